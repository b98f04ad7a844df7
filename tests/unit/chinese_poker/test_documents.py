"""What the API's reference says of this game is what its golden rounds show: views, events, actions, convention."""

import pytest

from games.chinese_poker.serializers import ACTIONS, ChinesePokerConvention
from tests.contract import errors
from tests.playthroughs import PLAYTHROUGHS

from .table import ENGINE

GOLDEN = [each for each in PLAYTHROUGHS.values() if each["script"]["game"] == ENGINE.code]


def errors_of(name, body):
    return errors({"$ref": f"#/components/schemas/{name}"}, body)


@pytest.mark.parametrize("golden", GOLDEN, ids=lambda each: str(each["script"]["setup"]["seats"]))
def test_views_events_and_actions_are_as_documented(golden):
    for step in golden["played"]["steps"]:
        for seen in step.get("views", []):
            assert errors_of("ChinesePokerView", seen["view"]) == []
        for event in step.get("events", []):
            assert errors_of("ChinesePokerEvent", event) == []
        for specs in step.get("to_act", []):
            for spec in specs["legal_actions"]:
                for suggestion in spec["suggestions"]:
                    body = ACTIONS[suggestion["type"]](data=suggestion)
                    assert body.is_valid() and dict(body.validated_data) == suggestion


def test_a_convention_with_seats_and_limits_is_a_setup():
    body = ChinesePokerConvention(data={"point_price_minor": 5})
    assert body.is_valid()
    rake = {"basis_points": 250, "cap_minor": None}
    limits = {**ENGINE.default_limits["first"], "rake": rake}
    complete = {**body.validated_data, "seats": 3, "rake": rake, "limits": limits, "pay_table": {}}
    assert ENGINE.dump_setup(ENGINE.parse_setup(complete)) == complete


@pytest.mark.parametrize(
    "wrong", [{"target": 0}, {"target": 10_001}, {"compare_timeout_seconds": 0}, {"rake": {}}, {"seats": 2}, {"rake": None}]
)
def test_a_convention_out_of_bounds_is_refused(wrong):
    assert not ChinesePokerConvention(data={"point_price_minor": 5, **wrong}).is_valid()

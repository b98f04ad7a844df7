"""RP-7 and RP-8: rounds without their player, and what a screen needs."""

import pytest

from games.core.engine import Wait
from games.russian_poker.engine.actions import TYPES

from .table import ENGINE, NO_GAME, Table, limits

THREES, PAIR, HIGH = "3s 3h 3d 9c Js", "6s 6h 4d 2c Ks", "7s 8h Td Qc 4s"


def boxes(*numbers):
    return [{"box": number, "ante_minor": 100} for number in numbers]


def abandon(table):
    """Let the system play to the end; return what it played."""
    played = []
    while not table.over:
        action = ENGINE.dump_action(ENGINE.timeout_action(table.state, 0))
        played.append(action)
        table.act(**action)
    return played


def test_rp_7_1_a_round_waits_for_the_halls_time_since_the_last_action():
    table = Table(PAIR, NO_GAME, limits=limits(abandon_after_seconds=600))
    assert ENGINE.wait(table.state, 0) == Wait("abandon_after_seconds", 600, "action")
    assert ENGINE.wait(table.play("fold").state, 0) is None


@pytest.mark.parametrize(
    ("hand", "type"), [(PAIR, "bet"), ("As Kh 9d 7c 2s", "bet"), ("As Qh 9d 7c 2s", "fold"), (THREES, "bet")]
)
def test_rp_7_1_an_undecided_box_bets_from_ace_king_and_else_folds(hand, type):
    assert abandon(Table(hand, NO_GAME))[0] == {"type": type, "box": 1}


def test_rp_7_1_a_box_that_drew_is_played_on_its_new_cards():
    table = Table(HIGH, NO_GAME, "7h").play("sixth_card")
    assert abandon(table)[0] == {"type": "bet", "box": 1}
    table = Table(PAIR, NO_GAME, "Th").act("exchange", box=1, cards=["6s"])
    assert abandon(table)[0] == {"type": "fold", "box": 1}


def test_rp_7_1_nothing_is_exchanged_insured_or_bought_and_one_step_is_one_action():
    table = Table(THREES, HIGH, PAIR, NO_GAME, boxes=boxes(1, 3, 5))
    assert [action["type"] for action in abandon(table)] == ["bet", "fold", "open_dealer", "continue"]
    assert [box["outcome"] for box in table.view["boxes"]] == ["no_game", "folded", "no_game"]


def test_rp_7_1_purchases_and_insurances_already_made_stand():
    table = Table(THREES, NO_GAME, "2h").play("bet").act("insure", box=1, amount_minor=600)
    assert abandon(table) == [{"type": "open_dealer"}, {"type": "continue"}]
    assert table.box()["returned_minor"] == 1200 + 400
    table = Table(THREES, NO_GAME, "2h").play("bet", "open_dealer", "buy_game")
    assert abandon(table) == [{"type": "continue"}]
    assert table.box()["outcome"] == "won"


def test_rp_7_1_a_round_goes_on_exactly_where_it_stood():
    table = Table(THREES, HIGH, PAIR, NO_GAME, boxes=boxes(1, 3, 5)).play("sixth_card").play("bet").play("fold", box=3)
    again = ENGINE.load(ENGINE.dump(table.state))
    assert again == table.state
    assert ENGINE.view(again, 0) == table.view
    assert ENGINE.legal_actions(again, 0) == ENGINE.legal_actions(table.state, 0)


def test_rp_8_1_legal_actions_tell_every_box_its_costs_and_bounds():
    table = Table(THREES, "7s 7h 7d 9h Jh", NO_GAME, boxes=boxes(2, 4)).play("bet", box=2).play("bet", box=4)
    offered = {key: (spec.cost_minor, spec.parameters.get("amount_minor")) for key, spec in table.legal().items()}
    assert set(offered) == {("insure", 2), ("insure", 4), ("open_dealer", None)}
    assert offered["insure", 4][0] == offered["insure", 4][1].min_minor == 100


def test_rp_8_1_a_view_names_the_deciding_box_and_each_combination_with_its_pay():
    table = Table("As Ah Kd 8c 9h", NO_GAME)
    assert table.view["deciding_box"] == 1
    assert table.box()["first"] == {"category": "pair", "cards": ["As", "Ah"], "pay": 1}
    assert table.box()["second"] == {"category": "ace_king", "cards": ["As", "Kd"], "pay": 1}
    assert table.box()["multiple"] == 2


def test_rp_8_1_the_setup_of_a_round_can_be_played_again():
    data = ENGINE.dump_setup(Table(boxes=({"box": 4, "ante_minor": 30, "bonus_minor": 10}, {"box": 1, "ante_minor": 20})).setup)
    assert [box["box"] for box in data["boxes"]] == [1, 4]
    assert ENGINE.dump_setup(ENGINE.parse_setup(data)) == data


def test_rp_8_2_every_field_has_a_minimum_to_place():
    for rules in ENGINE.default_limits.values():
        assert set(rules["stakes"]) == set(ENGINE.stake_kinds) == {"ante", "bonus"}
        assert all(bounds["min_minor"] % bounds["step_minor"] == 0 for bounds in rules["stakes"].values())


def test_rp_8_3_action_types():
    assert set(TYPES) == {"exchange", "sixth_card", "fold", "bet", "insure", "open_dealer", "buy_game", "continue"}
    examples = {"cards": ["As", "Td"], "amount_minor": 5, "box": 1}
    keys = {"exchange": ("box", "cards"), "insure": ("box", "amount_minor"), "open_dealer": (), "continue": ()}
    for type in TYPES:
        data = {"type": type, **{key: examples[key] for key in keys.get(type, ("box",))}}
        assert ENGINE.dump_action(ENGINE.parse_action(data)) == data


def test_a_round_takes_at_most_the_declared_number_of_steps():
    hands = ("3s 3h 3d 9c Js", "4s 4h 4d 9d Jh", "6s 6h 6d 8c Tc", "7s 7h 7d 8d Th")
    table = Table(*hands, "2d 5h 9s Jd Kc", boxes=boxes(1, 2, 3, 4))
    for number in (1, 2):
        table.play("sixth_card", "bet", box=number)
    for number in (1, 2, 3, 4):
        table.act("insure", box=number, amount_minor=100)
    table.play("open_dealer")
    for number in (1, 2, 3, 4):
        table.play("buy_game", box=number)
    table.play("continue")
    assert table.over
    assert len(table.steps) == ENGINE.max_steps

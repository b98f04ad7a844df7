"""The worked cases of tests/vectors/chinese_poker.json."""

import json
from pathlib import Path

import pytest

from games.chinese_poker.engine.scoring import Position, differences, points_of, prize
from games.core.cards import DECK_52, card
from games.core.errors import IllegalAction, InvalidData
from games.core.ranking import strength

from .table import Table

VECTORS = json.loads(Path("tests/vectors/chinese_poker.json").read_text(encoding="utf-8"))["vectors"]


def of(kind):
    found = [vector for vector in VECTORS if vector["kind"] == kind]
    return pytest.mark.parametrize(
        ("given", "expected"), [(v["input"], v["expected"]) for v in found], ids=[v["id"] for v in found]
    )


def value(texts):
    return strength([card(text) for text in texts])


def test_every_kind_of_vector_is_played():
    assert {vector["kind"] for vector in VECTORS} == {"compare", "arrangement", "strength_prize", "deal", "settlement", "doezd"}
    assert len(VECTORS) == 18


@of("compare")
def test_compare(given, expected):
    position = Position.THIRD if given["cards_in_position"] == 3 else Position.FIRST
    values = [(value(given["a"]), value(given["b"]))] * (position + 1)
    points = points_of(position, values)
    assert points.comparison == (expected["points_a"], expected["points_b"])


@of("arrangement")
def test_arrangement(given, expected):
    if "sizes" in given:
        texts = [each.text for each in DECK_52]
        given = dict(
            zip(
                ("first", "second", "third"),
                (texts[20 * n : 20 * n + size] for n, size in enumerate(given["sizes"])),
                strict=True,
            )
        )
    used = [text for name in ("first", "second", "third") for text in given[name]]
    other = [each.text for each in DECK_52 if each.text not in used][:13]
    table = Table([" ".join(used), " ".join(other)])
    try:
        table.act(0, "arrange", **given)
        valid = True
    except IllegalAction as refused:
        assert refused.code == "second_below_third"
        valid = False
    except InvalidData as refused:
        assert refused.field == "third"
        valid = False
    assert valid is expected["valid"]


@of("strength_prize")
def test_strength_prize(given, expected):
    assert prize(Position(given["position"] - 1), value(given["cards"])) == expected["points"]


@of("deal")
def test_deal(given, expected):
    players = [" | ".join(" ".join(player[name]) for name in ("first", "second", "third")) for player in given["players"]]
    table = Table(players, ()).arrange()
    opened = [table.opened(position) for position in ("first", "second", "third")]
    assert [event["comparison_points"] for event in opened] == expected["comparison"]
    assert [event["prize_points"] for event in opened] == expected["strength"]
    assert [sum(each) for each in zip(*[event["two_positions_points"] for event in opened], strict=True)] == expected[
        "two_positions"
    ]
    assert table.event("deal_scored")["points"] == expected["total"]


@of("settlement")
def test_settlement(given, expected):
    assert list(differences(given["scores"])) == expected["net"]


TWO_ROYALS_EACH = ["As Ks Qs Js Ts | Ah Kh Qh Jh Th | 9s 8s 7s", "Ac Kc Qc Jc Tc | Ad Kd Qd Jd Td | 9c 8c 7c"]
"""A deal in which every position ties and each seat has 20 prize points: 23 in all."""


@of("doezd")
def test_doezd(given, expected):
    table = Table(*[TWO_ROYALS_EACH] * 3, target=given["target"]).arrange().arrange().arrange()
    assert table.scores == [57, 57]
    seats = ["AB".index(name) for name in given["available_to"]]
    assert table.event("window_opened") == {"type": "window_opened", "position": "first", "seats": seats}
    assert given["A"] == given["B"] == "continue"
    table.go_on(*seats)
    assert (not table.over) is not expected["settled"]
    assert expected["next"] == "compare second"
    assert table.opened("second")

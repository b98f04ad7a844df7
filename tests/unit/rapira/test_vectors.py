"""The worked cases of tests/vectors/rapira.json, each played out."""

import json
from pathlib import Path

import pytest

from games.core.errors import InvalidData
from games.rapira.engine.cards import coloured
from games.rapira.engine.scoring import Place, evaluate

from .table import ENGINE, Table

DATA = json.loads(Path("tests/vectors/rapira.json").read_text(encoding="utf-8"))
VECTORS = DATA["vectors"]
NAMES = {"high": "high_card", "trips": "three_of_a_kind", "quads": "four_of_a_kind", "five": "five_of_a_kind"}
LETTERS = ["red", "yellow", "green", "blue", "pink"]


def of(kind):
    found = [vector for vector in VECTORS if vector["kind"] == kind]
    return pytest.mark.parametrize(
        ("given", "expected"), [(v["input"], v["expected"]) for v in found], ids=[v["id"] for v in found]
    )


def read(text):
    """Translate ``7s/yellow+pink`` to the card that is written ``7s.yp`` here."""
    plain, _, colours = text.partition("/")
    letters = "".join(name[0] for name in LETTERS if name in colours.split("+"))
    return coloured(f"{plain}.{letters}" if letters else plain)


def test_every_kind_of_vector_is_played():
    kinds = {"combination", "winner", "points", "bonus_phase", "colour_bonus", "apply_bonus", "limits", "deck_flow"}
    assert {vector["kind"] for vector in VECTORS} == kinds
    assert len(VECTORS) == 33


def test_places_are_the_vectors_strengths():
    assert {NAMES.get(name, name): place for name, place in DATA["strength"].items()} == {p.code: p.value for p in Place}


@of("combination")
def test_combination(given, expected):
    strength = evaluate([read(text) for text in given["played"]])
    assert Place(strength[0]).code == NAMES.get(expected["combination"], expected["combination"])
    assert strength[0] == expected["strength"]


def hold(table, seat, texts):
    """Put these cards first in a seat's hand."""
    slots = list(table.state.seats[seat].slots)
    for slot, text in zip(table.state.seats[seat].hand, texts, strict=False):
        slots[slot] = read(text)
    table.change(seat, slots=tuple(slots))


@of("winner")
def test_winner(given, expected):
    hands = given["played"]
    table = Table(seats=len(hands))
    for seat, hand in enumerate(hands):
        hold(table, seat, hand)
    for seat, hand in enumerate(hands):
        table.play(seat, *range(len(hand)))
    assert table.event("hand_won")["seats"] == expected["winners"]
    assert [each["points_lost"] for each in table.view()["last_hand"]["seats"]] == expected["loss"]


@of("points")
def test_points(given, expected):
    table = Table()
    hold(table, 0, ["7h"] * 5)
    hold(table, 1, ["2c"])
    assert given["loss"] == [0, 11]
    for seat, points in enumerate(given["before"]):
        table.change(seat, points=points)
    table.play(0, 0, 1, 2, 3, 4).play(1, 0)
    assert table.points == expected["after"]
    assert [seat["seat"] for seat in table.view()["seats"] if seat["is_out"]] == expected["eliminated"]
    assert table.over is expected["game_over"]


@of("bonus_phase")
def test_bonus_phase(given, expected):
    players = given["players"]
    table = Table(seats=len(players))
    for winners in given["hand_winners"]:
        for seat, player in enumerate(players):
            hold(table, seat, ["Ac", "Ad"] if player in winners else ["Kc", "Kd"])
        for seat in range(len(players)):
            table.play(seat, 0, 1)
    assert dict(zip(players, table.bonuses, strict=True)) == expected["bonuses"]


@of("colour_bonus")
def test_colour_bonus(given, expected):
    table = Table()
    hold(table, 0, [f"2c/{given['colours']}", "3d"])
    if given["fate_in_cycle"] == "discarded":
        table.discard(0, 0)
    else:
        table.play(0, 0)
    assert table.earned[0] == expected["bonuses"]


@of("apply_bonus")
def test_apply_bonus(given, expected):
    names = given.get("cards") or [given["left"], given["right"]]
    table = Table("As", "Ks", " ".join(names)).to_bonuses()
    left = table.bonuses[0]
    positions = list(range(len(names)))
    if given.get("card_not_among_the_eight"):
        with pytest.raises(InvalidData) as refused:
            table.act(0, "bonus_suit", positions=[8], suit=given["suit"])
        assert refused.value.field == "positions.0" and expected.keys() == {"error"}
        assert table.bonuses[0] == left
        return
    slots = [table.state.seats[0].shown[position] for position in positions]
    more = {"suit": given["suit"]} if "suit" in given else {}
    table.act(0, f"bonus_{given['bonus']}", positions=positions, **more)
    after = [card.text for card in table.state.seats[0].cards(slots)]
    assert after == (expected.get("cards") or [expected["left"], expected["right"]])
    assert len(table.own(0)["deck"]) == 52


@of("limits")
def test_limits(given, expected):
    table = Table()
    for _ in range(given["discards_used"]):
        table.discard(0, 0)
    try:
        table.discard(0, *range(given["discard"]))
        accepted = True
    except InvalidData as refused:
        assert refused.field == "positions"
        accepted = False
    assert accepted is expected["accepted"]


@of("deck_flow")
def test_deck_flow(given, expected):
    table = Table()
    played, hand = 5, given["hand_after_play"]
    deck = tuple(range(played + hand, played + hand + given["deck_left"]))
    rest = tuple(range(played + hand + given["deck_left"], 52))
    table.change(0, hand=tuple(range(played + hand)), deck=deck, pile=rest)
    table.play(0, *range(played))
    assert len(table.event("cards_drawn", 0)["cards"]) == expected["drawn"]
    assert len(table.own(0)["hand"]) == expected["hand"]
    assert ENGINE.view(table.state, 0)["own"]["deck"] == []

"""The worked cases of tests/vectors/ukrainian_poker.json, each played out."""

import json
from pathlib import Path

import pytest

from games.core.errors import IllegalAction
from games.ukrainian_poker.engine.schedule import Kind, schedule
from games.ukrainian_poker.engine.scoring import points

from .table import ENGINE, Table

VECTORS = json.loads(Path("tests/vectors/ukrainian_poker.json").read_text(encoding="utf-8"))["vectors"]


def of(kind):
    found = [vector for vector in VECTORS if vector["kind"] == kind]
    return pytest.mark.parametrize(
        ("given", "expected"), [(v["input"], v["expected"]) for v in found], ids=[v["id"] for v in found]
    )


def test_every_kind_of_vector_is_played():
    kinds = {"schedule", "trump", "bids", "legal_cards", "trick", "score", "invariants"}
    assert {vector["kind"] for vector in VECTORS} == kinds
    assert len(VECTORS) == 28


@of("schedule")
def test_schedule(given, expected):
    rounds = schedule(given["players"])
    assert len(rounds) == expected["rounds"]
    assert [each.cards for each in rounds] == expected["cards_per_round"]
    assert [each.kind.value for each in rounds[-4:]] == expected["special"]
    assert sum(each.cards for each in rounds) == expected["total_tricks"]
    assert sum(each.kind is Kind.NINES for each in rounds) == expected["nine_card_rounds_in_the_climb"]


@of("trump")
def test_trump(given, expected):
    table = Table(seats=given["players"])
    while table.view()["kind"] != given["round"]:
        table.time_out()
    assert table.view()["cards_per_hand"] == given["cards"]
    assert table.view()["trump"] == expected["trump"]


@of("bids")
def test_bids(given, expected):
    if "bid" in given:
        with pytest.raises(IllegalAction):
            Table(seats=2).bidding("nines").bid(given["bid"])
        return
    table = Table(seats=len(given["previous_bids"]) + given["is_last"]).bidding("climb", made=given["previous_bids"])
    table.state = table.state._replace(number=given["cards"])
    assert table.legal_bids() == expected["allowed"]


@of("legal_cards")
def test_legal_cards(given, expected):
    hand, turned = " ".join(given["hand"]), given["trump"] and "2" + given["trump"]
    table = Table(seats=3)
    if given["led"]:
        table.at(hands=["", hand, ""], led=given["led"], turned=turned, by_highest=given["by_highest"])
    else:
        table.at(hands=[hand, "", ""], turned=turned)
    assert table.legal().split() == expected["legal"]


@of("trick")
def test_trick(given, expected):
    names, played = zip(*given["plays"], strict=True)
    table = Table(seats=len(played)).at(
        hands=[f"{card} 3c" for card in played], turned="2" + given["trump"], by_highest=given["by_highest"]
    )
    table.state = table.state._replace(hands=tuple(hand[:1] for hand in table.state.hands))
    claim = "!" if given["by_highest"] else ""
    table.play(played[0] + claim).play(" ".join(played[1:]))
    assert names[table.event("trick_taken", -1)["seat"]] == expected["winner"] == expected["leads_next"]


@of("score")
def test_score(given, expected):
    kind = Kind.CLIMB if given["round"] == "normal" else Kind(given["round"])
    assert points(kind, given["bid"], given["taken"]) == expected["points"]


@of("invariants")
def test_invariants(given, expected):
    for seats in range(2, 7):
        rows = Table(seats=seats).play_out().view()["scores"]
        assert len(rows) == 20 + seats
        assert sum(seat["taken"] for row in rows for seat in row["seats"]) == 108 + 9 * seats
        assert all(sum(seat["taken"] for seat in row["seats"]) == row["cards_per_hand"] for row in rows)
        totals = {row["kind"]: sum(seat["points"] for seat in row["seats"]) for row in rows}
        assert totals["minimum"] == expected["minimum_round_total"]
        assert totals["maximum"] == expected["maximum_round_total"]
        assert totals["minimum"] + totals["maximum"] == expected["minimum_plus_maximum"]
        for row in rows[:-2]:
            assert any(seat["bid"] != seat["taken"] for seat in row["seats"])
    assert ENGINE.max_steps == 1 + 6 * (108 + 54 + 24)

"""UP-6: what the system plays, and how actions are written."""

import pytest

from games.core.errors import InvalidData
from games.ukrainian_poker.engine.actions import PlayCard

from .table import ENGINE, Table, cards


def test_up_6_1_the_lowest_legal_bid():
    assert Table().time_out().event("bid_made")["tricks"] == 0
    table = Table(seats=3).bidding("nines", made=[4, 5])
    assert table.legal_bids()[0] == 1
    assert table.time_out().event("bid_made")["tricks"] == 1


@pytest.mark.parametrize(
    ("hand", "led", "turned", "played"),
    [
        ("Ah 3c 3s 3d X1", "", "2d", "3c"),
        ("X2 X1 Ad Ac", "", "2d", "Ac"),
        ("X2 X1", "", "2d", "X1"),
        ("Kh 2c 9h", "5h", "2d", "9h"),
        ("2c Kd X1", "5h", "2d", "Kd"),
        ("2c X2 X1", "5h", "2d", "X1"),
        ("Ac 2h As 9d", "X1", None, "2h"),
    ],
)
def test_up_6_1_the_lowest_legal_card(hand, led, turned, played):
    hands = ["4c", hand] if led else [hand, "4c"]
    table = Table().at(hands=hands, led=led, turned=turned).time_out()
    assert table.event("card_played")["card"] == played


def test_up_6_1_a_claim_binds_the_system_too_and_it_never_makes_one():
    table = Table().at(hands=["X1 3c", "2c Ad As Kc"], turned="2d").play("X1!").time_out()
    assert table.event("card_played")["card"] == "Ad"
    table = Table().at(hands=["X1", "2c"], turned="2d")
    assert ENGINE.timeout_action(table.state, 0) == PlayCard(*cards("X1"), by_highest=False)


def test_up_6_1_each_bid_and_each_card_has_its_time():
    table = Table(bid_timeout_seconds=20, play_timeout_seconds=45)
    wait = ENGINE.wait(table.state, table.turn)
    assert (wait.timer, wait.seconds, wait.since, wait.period) == ("bid_timeout_seconds", 20, "turn", "")
    table.bid(0, 0)
    wait = ENGINE.wait(table.state, table.turn)
    assert (wait.timer, wait.seconds, wait.since, wait.period) == ("play_timeout_seconds", 45, "turn", "")
    default = Table()
    assert ENGINE.wait(default.state, 1).seconds == 30
    assert ENGINE.wait(default.bid(0, 0).state, 1).seconds == 30


def test_up_6_2_actions_are_bid_and_play_card():
    for data in ({"type": "bid", "tricks": 3}, {"type": "play_card", "card": "X1", "by_highest": True}):
        assert ENGINE.dump_action(ENGINE.parse_action(data)) == data
    plain = {"type": "play_card", "card": "Th"}
    assert ENGINE.dump_action(ENGINE.parse_action(plain)) == {**plain, "by_highest": False}


@pytest.mark.parametrize(
    ("data", "field"),
    [
        ({}, "type"),
        ({"type": "pass"}, "type"),
        ({"type": "bid"}, "tricks"),
        ({"type": "bid", "tricks": 1, "card": "Th"}, "card"),
        ({"type": "play_card"}, "card"),
        ({"type": "play_card", "card": "10h"}, "card"),
        ({"type": "play_card", "card": ["Th"]}, "card"),
        ({"type": "play_card", "card": None}, "card"),
        ({"type": "play_card", "card": "Th", "by_highest": 1}, "by_highest"),
        ({"type": "play_card", "card": "Th", "by_highest": None}, "by_highest"),
        ({"type": "play_card", "card": "Th", "claim": True}, "claim"),
    ],
)
def test_up_6_2_other_shapes_are_refused(data, field):
    with pytest.raises(InvalidData) as refused:
        ENGINE.parse_action(data)
    assert refused.value.field == field


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"ante_minor": 0}, "ante_minor"),
        ({"ante_minor": "5"}, "ante_minor"),
        ({"blind_ban": 1}, "blind_ban"),
        ({"joker_any_time": None}, "joker_any_time"),
        ({"bid_timeout_seconds": 0}, "bid_timeout_seconds"),
        ({"play_timeout_seconds": 86_401}, "play_timeout_seconds"),
        ({"rake": {"basis_points": 10_001}}, "rake.basis_points"),
        ({"limits": {}}, "limits.stakes"),
        ({"pay_table": {"bet": 1}}, "pay_table.bet"),
        ({"stakes": 1}, "stakes"),
    ],
)
def test_up_6_2_a_setup_that_makes_no_sense_is_refused(changes, field):
    with pytest.raises(InvalidData) as refused:
        ENGINE.parse_setup({"seats": 2, "ante_minor": 100, **changes})
    assert refused.value.field == field


def test_up_6_2_nothing_is_played_when_the_game_is_over():
    table = Table().play_out()
    table.refuse("game_over", "bid", seat=0, tricks=0)
    table.refuse("game_over", "play_card", seat=1, card="2c")
    assert ENGINE.legal_actions(table.state, 0) == ()
    assert ENGINE.legal_actions(table.state, -1) == ()

"""UP-2: the schedule, the deal, the card turned."""

import pytest

from games.ukrainian_poker.engine.schedule import schedule

from .table import ENGINE, Table


@pytest.mark.parametrize("seats", range(2, 7))
def test_up_2_1_rounds_of_a_game(seats):
    table, seen = Table(seats=seats), {}
    while not table.over:
        view = table.view()
        seen[view["round"]] = view["kind"], view["cards_per_hand"]
        assert view["rounds"] == 20 + seats
        table.time_out()
    climb = [("climb", count) for count in range(1, 9)]
    last = [(kind, 9) for kind in ("no_trump", "blind", "minimum", "maximum")]
    assert [seen[number] for number in sorted(seen)] == [
        *climb,
        *[("nines", 9)] * seats,
        *[("descent", count) for _, count in climb[::-1]],
        *last,
    ]
    rows = table.view()["scores"]
    assert len(rows) == 20 + seats
    assert sum(seat["taken"] for row in rows for seat in row["seats"]) == 108 + 9 * seats
    assert sum(each.cards for each in schedule(seats)) == 108 + 9 * seats


def test_up_2_2_one_card_at_a_time_from_the_dealers_left_then_one_is_turned():
    table = Table("", "2c 3c 4c 5c 6c 7c 8h", seats=3, first_dealer=0)
    table.bid(0, 0, 0).time_out().time_out().time_out()
    assert (table.state.number, table.state.dealer) == (2, 1)
    assert [table.view(seat)["hand"] for seat in (2, 0, 1)] == [["2c", "5c"], ["3c", "6c"], ["4c", "7c"]]
    assert (table.view()["turned"], table.view()["trump"]) == ("8h", "h")
    assert len(table.state.stock) == 54 - 7


@pytest.mark.parametrize("kind", ["minimum", "maximum"])
def test_up_2_2_a_card_is_turned_in_the_minimum_and_the_maximum_round_too(kind):
    table = Table(*[""] * 30, seats=2)
    while table.view()["kind"] != kind:
        table.time_out()
    assert table.view()["turned"] == "7d"
    assert table.view()["trump"] == "d"


def test_up_2_3_nothing_is_turned_in_the_round_without_trump():
    table = Table(seats=2)
    while table.view()["kind"] != "no_trump":
        table.time_out()
    assert (table.view()["turned"], table.view()["trump"]) == (None, None)
    assert len(table.state.stock) == 54 - 18
    assert len(set(ENGINE.cards(table.state))) == 54


def test_up_2_3_a_joker_turned_is_shown_and_makes_no_trump():
    table = Table("2c 3c X1")
    assert (table.view()["turned"], table.view()["trump"]) == ("X1", None)
    assert table.event("round_dealt")["turned"] == "X1"
    table.bid(0, 0)
    assert table.legal() == "2c"


def test_up_2_3_six_players_with_nine_cards_leave_none_to_turn():
    table = Table(seats=6)
    while table.view()["kind"] != "nines":
        table.time_out()
    assert (table.view()["turned"], table.view()["trump"]) == (None, None)
    assert table.state.stock == ()
    assert [len(hand) for hand in table.state.hands] == [9] * 6
    assert Table(seats=5).bidding("nines").view()["cards_per_hand"] == 9

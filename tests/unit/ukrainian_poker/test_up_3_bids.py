"""UP-3: bids, and what others see of them in the blind round."""

import pytest

from games.core.errors import InvalidData

from .table import ENGINE, Table


def test_up_3_1_bids_go_from_the_dealers_left_to_the_dealer():
    table = Table(seats=4, first_dealer=2)
    order = []
    for tricks in (0, 1, 0, 1):
        order.append(table.turn)
        table.refuse("seat_not_to_act", "bid", seat=(table.turn + 1) % 4, tricks=0)
        table.bid(tricks)
    assert order == [3, 0, 1, 2]
    assert [seat["bid"] for seat in table.view()["seats"]] == [1, 0, 1, 0]
    assert table.turn == 3
    table.refuse("bids_not_open", "bid", tricks=0)


@pytest.mark.parametrize(
    ("cards", "made", "legal"), [(1, [1], [1]), (1, [0], [0]), (5, [5], [1, 2, 3, 4, 5]), (5, [2], [0, 1, 2, 4, 5])]
)
def test_up_3_1_the_last_bidder_may_not_make_the_sum_equal_to_the_cards(cards, made, legal):
    table = Table()
    table.bidding("climb", made=made)
    table.state = table.state._replace(number=cards)
    assert table.legal_bids() == legal
    for tricks in {*range(cards + 1)} - {*legal}:
        table.refuse("bid_makes_sum_equal_cards", "bid", tricks=tricks)


def test_up_3_1_a_sum_beyond_the_cards_leaves_the_last_bidder_free():
    table = Table(seats=3).bidding("nines", made=[9, 3])
    assert table.legal_bids() == list(range(10))


def test_up_3_1_bids_are_from_none_to_all_cards():
    table = Table(seats=3)
    table.bidding("climb")
    assert table.legal_bids() == [0, 1]
    for tricks in (-1, 2, 10, 10**9):
        table.refuse("bid_out_of_range", "bid", tricks=tricks)
    for tricks in ("1", True, None, []):
        with pytest.raises(InvalidData):
            ENGINE.parse_action({"type": "bid", "tricks": tricks})


def test_up_3_1_no_card_is_played_before_all_bids_are_made():
    table = Table("2c 3c 4d").bid(1)
    table.refuse("bids_not_complete", "play_card", card="3c")


def test_up_3_2_others_see_only_that_a_seat_has_bid():
    table = Table(seats=3).bidding("blind").bid(4)
    for viewer in (0, 2, None):
        assert table.view(viewer)["seats"][1] == {
            "seat": 1,
            "has_bid": True,
            "bid": None,
            "taken": 0,
            "cards_left": 1,
            "total": 0,
        }
        assert table.told(viewer) == [{"type": "bid_made", "seat": 1, "tricks": None, "secret": True}]
    assert table.view(1)["seats"][1]["bid"] == 4
    assert table.told(1) == [{"type": "bid_made", "seat": 1, "tricks": 4, "secret": True}]
    assert table.view(2)["seats"][2]["has_bid"] is False


def test_up_3_2_bids_are_shown_together_after_the_last():
    table = Table(seats=3).bidding("blind").bid(4, 0)
    assert [seat["bid"] for seat in table.view(0)["seats"]] == [None, None, None]
    table.bid(9)
    for viewer in (0, 1, 2, None):
        assert [seat["bid"] for seat in table.view(viewer)["seats"]] == [9, 4, 0]
        assert table.told(viewer)[-1] == {"type": "bids_shown", "bids": [9, 4, 0]}


@pytest.mark.parametrize("first", range(10))
@pytest.mark.parametrize("second", [0, 3, 9])
def test_up_3_2_hidden_bids_change_nothing_for_others(first, second):
    """Whatever was bid in secret: views, events, refusals and choices of a bidder who is not the last are the same."""
    reference, table = (Table(seats=4).bidding("blind", made=made) for made in ([1, 2], [first, second]))
    for viewer in (0, 3, None):
        assert table.view(viewer) == reference.view(viewer)
    assert table.legal_bids() == reference.legal_bids() == list(range(10))
    assert ENGINE.timeout_action(table.state, 3) == ENGINE.timeout_action(reference.state, 3)
    for each in (table, reference):
        each.refuse("bid_out_of_range", "bid", tricks=10)
        each.refuse("seat_not_to_act", "bid", seat=1, tricks=first)
        each.refuse("bids_not_complete", "play_card", card="2c")
        each.refuse("seat_not_to_act", "play_card", seat=0, card="2c")
        each.bid(5)
    for viewer in (0, 3, None):
        assert table.told(viewer) == reference.told(viewer)
        assert table.view(viewer) == reference.view(viewer)


def test_up_3_2_a_time_out_keeps_the_secret():
    timed_out, chosen = Table(seats=3).bidding("blind").time_out(), Table(seats=3).bidding("blind").bid(7)
    for viewer in (0, 2, None):
        assert timed_out.told(viewer) == chosen.told(viewer)
        assert timed_out.view(viewer) == chosen.view(viewer)


def test_up_3_2_the_last_bidder_is_bound_unless_the_table_says_otherwise():
    table = Table(seats=3).bidding("blind", made=[4, 3])
    assert table.legal_bids() == [0, 1, 3, 4, 5, 6, 7, 8, 9]
    table.refuse("bid_makes_sum_equal_cards", "bid", tricks=2)
    free = Table(seats=3, blind_ban=False)
    assert free.bidding("blind", made=[4, 3]).legal_bids() == list(range(10))
    assert free.bidding("nines", made=[4, 3]).legal_bids() == [0, 1, 3, 4, 5, 6, 7, 8, 9]


def test_up_3_2_cards_are_visible_to_their_owner():
    table = Table("2c 3c 4d").at("blind", bids=(None, None), leader=1, dealer=0)
    assert table.view(1)["hand"] == ["2c"]


@pytest.mark.parametrize("kind", ["minimum", "maximum"])
def test_up_3_3_no_bids_in_the_minimum_and_the_maximum_round(kind):
    table = Table()
    while table.view()["kind"] != kind:
        table.time_out()
    assert table.view()["phase"] == "playing"
    assert table.turn == (table.state.dealer + 1) % 2
    table.refuse("bids_not_open", "bid", tricks=0)
    assert [seat["bid"] for seat in table.view()["seats"]] == [None, None]

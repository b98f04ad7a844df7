"""UP-4: following, trumps, jokers, the claim, and what everybody sees."""

import pytest

from .table import Table

KINDS = ["climb", "nines", "no_trump", "blind", "minimum", "maximum"]


def follow(hand, led, turned="2d", **settings):
    """What a hand may play on what was led."""
    return Table(**settings).at(hands=["", hand], led=led, turned=turned).legal()


def refused(code, hand, led, card, turned="2d", **settings):
    Table(**settings).at(hands=["", hand], led=led, turned=turned).refuse_card(code, card)


def taken_by(text, turned="2d", *, by_highest=False):
    """Which of three seats takes a trick that seat 0 leads."""
    *played, last = text.split()
    table = Table(seats=3).at(hands=["4c", "4c", f"{last} 4c"], led=" ".join(played), turned=turned, by_highest=by_highest)
    table.state = table.state._replace(hands=((), (), table.state.hands[2][:1]))
    return table.play(last).event("trick_taken", -1)["seat"]


def test_up_4_1_the_dealers_left_leads_then_the_winner_of_each_trick():
    table = Table("", "Kh 2h 3h 5c Ah 6c 9d", seats=3).bid(0, 0, 0).time_out().time_out().time_out()
    assert (table.state.dealer, table.turn) == (1, 2)
    table.bid(0, 0, 0)
    assert table.turn == 2
    table.play("Kh 2h 3h")
    assert table.turn == 2
    table = Table("", "2h Kh 3h 5c Ah 6c 9d", seats=3).bid(0, 0, 0).time_out().time_out().time_out().bid(0, 0, 0)
    table.play("2h Kh 3h")
    assert table.turn == 0
    table.refuse("seat_not_to_act", "play_card", seat=2, card="5c")
    assert table.play("Ah").turn == 1


@pytest.mark.parametrize(
    ("played", "turned", "winner"),
    [
        ("5h 9h Kh", "2d", 2),
        ("5h 4h As", "2d", 0),
        ("Ah 3d Kh", "2d", 1),
        ("Ah 3d 4d", "2d", 2),
        ("Ah X1 Ad", "2d", 1),
        ("Ad X2 Kd", "2d", 1),
        ("Ah 3d Kh", None, 0),
        ("Ah X1 Kh", None, 1),
        ("Ah 3d Kh", "X1", 0),
        ("2c 3c Ah", "2d", 1),
    ],
)
def test_up_4_1_the_higher_card_takes_the_trick(played, turned, winner):
    assert taken_by(played, turned) == winner


@pytest.mark.parametrize(
    ("hand", "led", "turned", "legal"),
    [
        ("7h Kh 2s X1", "5h", "2s", "7h Kh"),
        ("7c 3d Kc", "5h", "2d", "3d"),
        ("7c Kc", "5h", "2d", "7c Kc"),
        ("7c X1", "5h", "2d", "X1"),
        ("7c X1 3d X2", "5h", "2d", "X1 3d X2"),
        ("7d X1 Ac", "5d", "2d", "7d X1"),
        ("X2 Ac", "5d", "2d", "X2"),
        ("7h Ac", "5d", "2d", "7h Ac"),
        ("7d Kc 2s", "5h", None, "7d Kc 2s"),
        ("7d Kc X1", "5h", None, "7d Kc X1"),
        ("7h Kc X1", "5h", None, "7h"),
        ("7d Kc X2", "5h", "X1", "7d Kc X2"),
        ("2d Ad", "Kd", "3d", "2d Ad"),
        ("2d 3d Ac", "Kh", "4d", "2d 3d"),
    ],
)
def test_up_4_2_follow_the_suit_else_trump_else_anything(hand, led, turned, legal):
    assert follow(hand, led, turned) == legal


def test_up_4_2_nobody_has_to_play_higher():
    table = Table(seats=3).at(hands=["", "", "2d Qd Ac"], led="5h Kd", turned="3d")
    assert table.legal() == "2d Qd"


def test_up_4_2_refusals_say_which_duty_was_forgotten():
    refused("must_follow_suit", "7h Ac 2d", "5h", "Ac")
    refused("must_follow_suit", "7h Ac 2d", "5h", "2d")
    refused("must_follow_suit", "7h X1", "5h", "X1")
    refused("must_follow_suit", "7d Ac", "5d", "Ac")
    refused("must_play_trump", "7d Ac", "5h", "Ac")
    refused("must_play_trump", "X1 Ac", "5h", "Ac")
    refused("must_play_trump", "X1 Ac", "5d", "Ac")
    refused("must_play_trump", "7d Ac", "X1", "Ac")
    refused("card_not_in_hand", "7d Ac", "5h", "Kd")


@pytest.mark.parametrize(
    ("hand", "led", "turned", "legal"),
    [
        ("7h Kh 2s X1", "5h", "2s", "7h Kh X1"),
        ("X2 7h X1", "5h", None, "X2 7h X1"),
        ("7c X1 3d", "5h", "2d", "X1 3d"),
        ("7d X1 Ac", "5d", "2d", "7d X1"),
        ("7c Ac", "5h", "2d", "7c Ac"),
    ],
)
def test_up_4_2_with_joker_any_time_a_joker_is_one_more_choice(hand, led, turned, legal):
    assert follow(hand, led, turned, joker_any_time=True) == legal


def test_up_4_2_leading_any_card_goes():
    assert Table().at(hands=["7d Kc 2s", ""], turned="3s").legal() == "7d Kc 2s"


@pytest.mark.parametrize(
    ("hand", "turned", "legal"),
    [
        ("7c 3d Kc", "2d", "3d"),
        ("7c 3d X2", "2d", "3d X2"),
        ("7c X2", "2d", "X2"),
        ("7c Kh", "2d", "7c Kh"),
        ("7c 3d X2", None, "7c 3d X2"),
        ("7c 3d Ah", "X2", "7c 3d Ah"),
    ],
)
@pytest.mark.parametrize("any_time", [False, True])
def test_up_4_3_a_joker_led_without_a_claim_asks_for_trumps(hand, turned, legal, any_time):
    assert follow(hand, "X1", turned, joker_any_time=any_time) == legal


@pytest.mark.parametrize(
    ("played", "turned", "winner"),
    [
        ("X1 Ad Kd", "2d", 0),
        ("X1 X2 Ad", "2d", 1),
        ("X2 Ad X1", "2d", 2),
        ("5h X1 X2", "2d", 2),
        ("5h X2 X1", None, 2),
        ("X2 Ah X1", None, 2),
    ],
)
def test_up_4_3_of_two_jokers_the_later_takes_an_unclaimed_trick(played, turned, winner):
    assert taken_by(played, turned) == winner


@pytest.mark.parametrize(
    ("hand", "legal"),
    [
        ("7d Ac X2", "X2"),
        ("7d Ac Ah 2d", "Ac Ah"),
        ("7d 3d Qs", "Qs"),
        ("2d 2c", "2d 2c"),
    ],
)
@pytest.mark.parametrize("turned", ["2d", None])
def test_up_4_4_by_the_highest_the_others_play_their_highest(hand, legal, turned):
    table = Table().at(hands=["X1 3c", hand], turned=turned).play("X1!")
    assert table.legal() == legal
    for text in set(hand.split()) - set(legal.split()):
        table.refuse_card("must_play_highest", text)


def test_up_4_4_the_claimer_takes_the_trick_even_from_the_other_joker():
    assert taken_by("X1 X2 Ad", by_highest=True) == 0
    assert taken_by("X2 Ad X1", by_highest=True) == 0
    table = Table(seats=3).at(hands=["X1 2c", "Ad 3c", "X2 4c"], turned="2d").play("X1! Ad X2")
    assert table.event("trick_taken") == {"type": "trick_taken", "seat": 0, "taken": 1}
    assert table.turn == 0


@pytest.mark.parametrize("kind", KINDS)
def test_up_4_4_the_claim_may_be_made_in_every_round_and_with_one_card(kind):
    table = Table().at(kind, hands=["X1", "5c"])
    assert table.legal() == "X1!"
    assert table.play("X1! 5c").event("trick_taken", -1)["seat"] == 0


def test_up_4_4_a_claim_with_any_other_play_is_refused():
    table = Table().at(hands=["X1 Ad", "5c X2"], turned="2d")
    assert table.legal() == "X1! Ad"
    table.refuse_card("claim_not_possible", "Ad!")
    table.play("X1")
    table.refuse_card("claim_not_possible", "X2!")
    assert table.legal() == "X2"
    table = Table().at(hands=["X1 Ad", "5c X2"], turned="2d").play("X1!")
    table.refuse_card("claim_not_possible", "X2!")


def test_up_4_4_a_claim_counts_for_one_trick_only():
    table = Table().at(hands=["X1 5h", "Ad 6h 2h"], turned="2d").play("X1! Ad 5h")
    assert table.legal() == "6h 2h"
    assert table.view()["trick"]["by_highest"] is False


def test_up_4_5_everybody_sees_what_lies_open():
    table = Table("", "Kh 2h 3h 5c Ah 6c 9d", seats=3).bid(1, 0, 1).play("2c 3c 4c").bid(0, 1, 2).play("Kh 2h 3h 5c")
    for viewer in (0, 1, 2, None):
        view = table.view(viewer)
        assert (view["turned"], view["trump"]) == ("9d", "d")
        assert view["trick"] == {"leader": 2, "cards": ["5c"], "by_highest": False, "winner": None}
        assert view["last_trick"] == {"leader": 2, "cards": ["Kh", "2h", "3h"], "by_highest": False, "winner": 2}
        assert [(seat["bid"], seat["taken"], seat["cards_left"]) for seat in view["seats"]] == [(1, 0, 1), (2, 0, 1), (0, 1, 0)]
        assert view["acting_seat"] == 0
    assert [table.view(viewer)["hand"] for viewer in (0, 1, 2, None)] == [["Ah"], ["6c"], [], None]


def test_up_4_5_the_running_trick_shows_its_claim_to_all():
    table = Table(seats=3).at(hands=["X1 2c", "Ad 3c", "X2 4c"], turned="2d").play("X1!")
    for viewer in (0, 1, 2, None):
        assert table.view(viewer)["trick"] == {"leader": 0, "cards": ["X1"], "by_highest": True, "winner": None}
        assert table.told(viewer) == [{"type": "card_played", "seat": 0, "card": "X1", "by_highest": True}]


def test_up_4_5_the_last_trick_of_a_round_is_still_shown_in_the_next():
    table = Table("2c Kc 4d", "5d Ad 3d 6d 7s").bid(0, 0).play("2c Kc")
    assert table.view()["round"] == 2
    assert table.view()["last_trick"] == {"leader": 1, "cards": ["2c", "Kc"], "by_highest": False, "winner": 0}


def test_up_4_5_hands_are_told_to_their_owners_only():
    table = Table("2c 3c 4c 7h", seats=3)
    assert [[each["cards"] for each in table.told(viewer, 0) if each["type"] == "hand_dealt"] for viewer in (0, 1, 2, None)] == [
        [["4c"]],
        [["2c"]],
        [["3c"]],
        [],
    ]

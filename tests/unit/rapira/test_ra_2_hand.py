"""RA-2: a hand, from its cards to its play, and who sees what of it."""

import pytest

from games.core.errors import InvalidData

from .table import ENGINE, Table

FIRST = "As Ks Qs Js Ts 9s 8s 7s 6s 5s 4s 3s 2s"
"""A deck whose first thirteen cards are the spades from the ace down."""


def parsed(type, **parameters):
    return ENGINE.parse_action({"type": type, **parameters})


def test_ra_2_1_the_hand_is_filled_to_eight_cards_from_the_own_deck():
    table = Table(FIRST, "2h")
    assert table.own(0)["hand"] == FIRST.split()[:8]
    assert table.own(1)["hand"][0] == "2h"
    assert table.types(None, 0) == ["cycle_started", "hand_started"]
    assert table.event("cards_drawn", 1, 0)["cards"] == table.own(1)["hand"]


def test_ra_2_1_up_to_four_times_up_to_five_cards_are_discarded_and_redrawn():
    table = Table(FIRST)
    table.discard(0, 7, 0, 2, 4, 1)
    assert table.own(0)["hand"] == ["Js", "9s", "8s", "6s", "5s", "4s", "3s", "2s"]
    for left in (3, 2, 1):
        assert table.own(0)["discards_left"] == left
        table.discard(0, 0)
    assert table.legal(0) == ["play_hand"]
    table.refuse("no_discards_left", 0, "discard", positions=[0])
    table.play(0, 0, 1, 2, 3, 4)


def test_ra_2_1_the_last_discard_may_be_of_five_cards():
    table = Table().discard(0, 0).discard(0, 0).discard(0, 0)
    table.discard(0, 0, 1, 2, 3, 4)
    assert len(table.own(0)["hand"]) == 8


@pytest.mark.parametrize("type", ["discard", "play_hand"])
@pytest.mark.parametrize("positions", [[], [0, 1, 2, 3, 4, 5], [0, 0], [8], [-1], ["0"], [True], "0", None])
def test_ra_2_1_one_to_five_different_positions_are_named(type, positions):
    with pytest.raises(InvalidData) as refused:
        parsed(type, positions=positions)
    assert refused.value.field.startswith("positions")


def test_ra_2_1_positions_may_come_in_any_order():
    assert parsed("play_hand", positions=[4, 0, 2]) == parsed("play_hand", positions=[0, 2, 4])
    table = Table(FIRST).play(0, 4, 0, 2)
    assert table.own(0)["played"] == ["As", "Qs", "Ts"]


def test_ra_2_1_a_position_beyond_the_hand_is_refused():
    table = Table()
    table.change(0, hand=(0, 1, 2))
    table.refuse("no_card_at_position", 0, "play_hand", positions=[0, 3])
    table.refuse("no_card_at_position", 0, "discard", positions=[3])


def test_ra_2_1_all_act_at_once_and_once():
    table = Table(seats=3)
    assert ENGINE.to_act(table.state) == {0, 1, 2}
    table.play(1, 0)
    assert ENGINE.to_act(table.state) == {0, 2}
    assert ENGINE.legal_actions(table.state, 1) == ()
    table.refuse("hand_already_played", 1, "play_hand", positions=[0])
    table.refuse("hand_already_played", 1, "discard", positions=[0])
    table.refuse("hand_running", 0, "bonus_skip")
    table.refuse("seat_not_to_act", 3, "play_hand", positions=[0])
    table.refuse("seat_not_to_act", -1, "play_hand", positions=[0])


def test_ra_2_2_played_and_discarded_cards_go_to_the_own_pile():
    table = Table(FIRST).discard(0, 1).play(0, 0, 1)
    assert table.own(0)["pile"] == ["Ks", "As", "Qs"]
    assert table.own(1)["pile"] == []


def test_ra_2_2_the_hand_is_filled_right_after_the_own_play_and_new_cards_go_last():
    table = Table(FIRST).play(0, 0, 2, 4)
    assert table.own(0)["hand"] == ["Ks", "Js", "9s", "8s", "7s", "6s", "5s", "4s"]
    assert table.event("cards_drawn", 0)["cards"] == ["6s", "5s", "4s"]
    assert ENGINE.to_act(table.state) == {1}


def test_ra_2_2_the_fourth_hand_too():
    table = Table(seats=2)
    for _ in range(3):
        table.play_all(0)
    table.play(0, 0, 1, 2)
    assert table.state.hand == 4 and len(table.own(0)["hand"]) == 8


def test_ra_2_2_discards_are_replaced_as_far_as_the_deck_goes():
    table = Table()
    table.change(0, deck=(50, 51), pile=tuple(range(8, 50)))
    table.discard(0, 0, 1, 2, 3)
    assert table.own(0)["hand"] == ["6c", "7c", "8c", "9c", "Ks", "As"]
    assert table.own(0)["deck"] == []


@pytest.mark.parametrize(("scope", "left"), [("hand", [4, 4]), ("cycle", [1, 4])])
def test_ra_2_2_four_discards_are_for_a_hand_or_for_a_cycle(scope, left):
    table = Table(discard_scope=scope).discard(0, 0).discard(0, 0).discard(0, 0).play_all(0)
    assert (table.state.hand, table.own(0)["discards_left"]) == (2, left[0])
    table.discard(0, 0)
    if scope == "cycle":
        table.refuse("no_discards_left", 0, "discard", positions=[0])
    table.to_next_cycle()
    assert (table.state.cycle, table.own(0)["discards_left"]) == (2, left[1])


def emptied(table, *seats):
    """Leave these seats no card but the one in hand."""
    for seat in seats:
        table.change(seat, deck=(), hand=(0,), pile=tuple(range(1, 52)))
    return table


def test_ra_2_3_a_discard_needs_a_card_in_the_deck():
    table = emptied(Table(), 0)
    assert table.legal(0) == ["play_hand"]
    table.refuse("deck_empty", 0, "discard", positions=[0])


def test_ra_2_3_a_seat_without_cards_plays_an_empty_hand_when_the_hand_begins():
    table = emptied(Table("As Ah"), 1).play(1, 0).play(0, 0)
    assert table.state.hand == 2
    assert table.types()[-2:] == ["hand_started", "seat_played"] and table.events()[-1]["seat"] == 1
    assert ENGINE.to_act(table.state) == {0}
    earned = table.earned[1]
    table.refuse("hand_already_played", 1, "play_hand", positions=[0])
    table.play_cards(0, "Ah")
    shown = [event for event in table.events() if event["type"] == "hand_shown"][1]
    assert shown == {"type": "hand_shown", "seat": 1, "cards": [], "combination": None, "place": 0, "ranks": []}
    assert table.earned[1] == earned
    assert table.points == [100, 100]


def test_ra_2_3_an_empty_hand_is_below_a_single_two_and_loses_by_place():
    table = emptied(Table("2c 2d"), 1).play(1, 0).play_cards(0, "2c")
    table.play_cards(0, "2d")
    assert table.event("hand_won")["seats"] == [0]
    table = emptied(Table("3c 4d 2c 2d"), 1).play(1, 0).play_cards(0, "3c").play_cards(0, "2c 2d")
    assert table.points == [100, 99]


def test_ra_2_3_when_nobody_has_a_card_all_win_and_the_game_goes_on_in_the_same_step():
    table = emptied(Table(), 0, 1).play(0, 0).play(1, 0)
    types = table.types()
    assert types.count("hand_won") == 4 and types.count("hand_started") == 3
    assert table.state.phase == "bonuses"
    assert table.bonuses == [1 + 4 + 1, 1 + 4 + 1]
    table = emptied(Table(max_cycles=1), 0, 1).play(0, 0).play(1, 0)
    assert table.over and ENGINE.result(table.state)["winners"] == [0, 1]


def secret(table, viewer, *changes):
    """Assert that a viewer sees and hears nothing of what is done."""
    before = table.view(viewer)
    for act in changes:
        act(table)
        assert table.view(viewer) == before
        assert table.events(viewer) == []


def test_ra_2_4_discards_are_seen_by_nobody_else():
    for viewer in (1, 2, None):
        table = Table(seats=3).play(2, 0)
        secret(table, viewer, lambda table: table.discard(0, 0, 1), lambda table: table.discard(0, 3))
        assert table.own(0)["discards_left"] == 2
        assert table.types(0) == ["cards_discarded", "cards_drawn"]


def seen(table, seat, viewer=None):
    """The counts of a seat's hand, deck and pile that a viewer sees."""
    return tuple(table.view(viewer)["seats"][seat][name] for name in ("hand_count", "deck_count", "pile_count"))


def test_ra_2_4_others_see_counts_as_they_stood_when_the_hand_began():
    table = Table().discard(0, 0, 1, 2).play(0, 0)
    assert seen(table, 0, 1) == (8, 44, 0)
    table.play(1, 0)
    assert seen(table, 0) == (8, 40, 4)
    table.to_bonuses()
    assert seen(table, 0, 1) == (0, 52, 0)


def test_ra_2_4_a_seat_that_is_out_is_counted_as_its_cards_lie_from_the_next_hand_on():
    table = Table("2c 3d", "As Ah", seats=3).play(2, 0)
    table.change(0, points=1)
    table.discard(0, 7).play(1, 0, 1)
    assert seen(table, 0) == (8, 44, 0)
    table.play(0, 0)
    assert table.view()["seats"][0]["is_out"] and len(table.own(0)["pile"]) == 2
    for viewer in (0, 1, 2, None):
        assert [seen(table, seat, viewer) for seat in range(3)] == [(8, 42, 2), (8, 42, 2), (8, 43, 1)]
    table.to_bonuses()
    assert [seen(table, seat) for seat in range(3)] == [(8, 42, 2), (0, 52, 0), (0, 52, 0)]
    table.to_next_cycle()
    assert [seen(table, seat) for seat in range(3)] == [(8, 42, 2), (8, 44, 0), (8, 44, 0)]


def test_ra_2_4_a_seat_that_falls_in_the_fourth_hand_is_counted_anew_in_the_bonus_phase():
    table = Table("2c", "As Ah", seats=3)
    while table.state.hand < 4:
        table.play(1, 2).play(2, 0).play(0, 1)
    table.change(0, points=1)
    table.play(2, 0).play(0, 0)
    assert seen(table, 0) == (8, 41, 3)
    table.play(1, 0, 1)
    assert table.state.phase == "bonuses" and table.points[0] == 0
    assert [seen(table, seat) for seat in range(3)] == [(8, 40, 4), (0, 52, 0), (0, 52, 0)]


def test_ra_2_4_when_the_game_is_over_the_counts_stay_those_of_its_last_hand():
    table = Table("2c", "As Ah")
    table.change(0, points=1)
    table.play(0, 0).play(1, 0, 1)
    assert table.over
    assert [seen(table, seat) for seat in (0, 1)] == [(8, 44, 0), (8, 44, 0)]


def test_ra_2_4_others_see_whether_a_seat_has_played_and_its_cards_when_all_have():
    table = Table("As Kd", "Qh").play(0, 0, 1)
    assert table.view(1)["seats"][0]["has_played"] and not table.view(1)["seats"][1]["has_played"]
    assert table.events(1) == table.events(None) == [{"type": "seat_played", "seat": 0}]
    assert table.view(1)["last_hand"] is None
    table.paint(1, "Qh.bp")
    table.play_cards(1, "Qh.bp")
    last = table.view(None)["last_hand"]
    assert [each["cards"] for each in last["seats"]] == [["As", "Kd"], ["Qh.bp"]]
    assert last["seats"][0] == {
        "seat": 0,
        "cards": ["As", "Kd"],
        "combination": "high_card",
        "place": 0,
        "ranks": [14, 13],
        "won": True,
        "points_lost": 0,
        "points": 100,
    }
    assert not any(seat["has_played"] for seat in table.view(0)["seats"])


def test_ra_2_4_bonuses_and_their_number_are_nobody_elses_business():
    for viewer in (1, 2, None):
        table = Table(seats=3, colours={0: "2c.r"}).to_bonuses()
        assert table.bonuses[0] >= 4
        while table.bonuses[0] > 3:
            secret(table, viewer, lambda table: table.skip(0))
        secret(table, viewer, lambda table: table.act(0, "bonus_colour", position=1, colour="blue"))
        secret(table, viewer, lambda table: table.act(0, "bonus_pipette", positions=[0, 1]))
        table.act(0, "bonus_suit", positions=[0, 1], suit="s")
        assert table.events(viewer) == [{"type": "bonuses_finished", "seat": 0}]
        assert table.view(viewer)["seats"][0]["has_finished_bonuses"]
        assert not table.view(viewer)["seats"][1]["has_finished_bonuses"]


def test_ra_2_4_the_owner_sees_its_decks_contents_and_never_its_order():
    table = Table(FIRST)
    expected = sorted(set(table.state.seats[0].deck))
    assert table.own(0)["deck"] == [table.state.seats[0].slots[slot].text for slot in expected]
    assert table.view(None)["own"] is None


def test_ra_2_2_what_the_last_seat_draws_before_a_bonus_phase_goes_back_unseen():
    table = Table()
    for _ in range(3):
        table.play_all(0)
    table.play(0, 0).play(1, 0)
    assert table.state.phase == "bonuses"
    assert "cards_drawn" in table.types(0, -2) and "cards_drawn" not in table.types(1)


def test_ra_2_4_a_hand_that_runs_short_while_the_hand_runs_is_not_seen_to():
    table = Table(seats=3)
    table.change(0, deck=(8, 9), pile=tuple(range(10, 52)), counted_pile=42)
    before = table.view(1)["seats"][0]
    table.discard(0, 0, 1, 2, 3)
    assert len(table.own(0)["hand"]) == 6 and table.view(1)["seats"][0] == before
    table.play(0, 0, 1)
    assert len(table.own(0)["hand"]) == 4 and table.view(1)["seats"][0] == {**before, "has_played": True}
    assert (before["hand_count"], before["deck_count"], before["pile_count"]) == (8, 2, 42)

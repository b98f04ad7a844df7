"""RA-6: the bonus phase."""

import pytest

from games.core.errors import InvalidData

from .table import ENGINE, Table


def phase(*decks, **settings):
    """A bonus phase in which the first bonus of seat 0 shows the cards of 2 to 9 of clubs."""
    return Table(*decks, **settings).to_bonuses()


def shown(table, seat=0):
    return table.own(seat)["bonus_cards"]


def test_ra_6_1_pile_and_hand_go_back_to_the_deck():
    table = Table()
    table.discard(0, 0, 1).to_bonuses()
    own = table.own(0)
    assert (own["hand"], own["pile"], len(own["deck"])) == ([], [], 52)
    assert table.types()[-1] == "bonus_phase_started"


def test_ra_6_1_one_bonus_one_for_each_hand_won_and_one_for_each_high_card():
    table = Table("As Ah 2s 3s 4s Ks Kh 5s", "Qs Qh Qd Qc Ad Td 9d 8d")
    for first, second in (("As Ah", "Ad"), ("2s", "Qs Qh"), ("Ks Kh", "Qd Qc"), ("3s", "Td")):
        table.play_cards(0, first).play_cards(1, second)
    assert [each["won"] for each in table.view()["last_hand"]["seats"]] == [False, True]
    assert table.bonuses == [1 + 2 + 2, 1 + 2 + 2]
    assert table.event("bonuses_counted", 0)["bonuses"] == 5


def test_ra_6_1_a_shared_win_counts_for_all_its_winners():
    table = Table("As Ah", "Ad Ac", "2s 2h", seats=3).play(0, 0, 1).play(1, 0, 1).play(2, 0, 1)
    assert table.earned == [1, 1, 0]


def test_ra_6_1_a_winner_with_only_a_high_card_gets_both():
    table = Table("As", "Ks").play(0, 0).play(1, 0)
    assert table.earned == [2, 1]


def test_ra_6_1_colours_count_and_nothing_is_kept_for_the_next_phase():
    table = Table("As Ah", colours={0: "As.r Ah.r"}).play(0, 0, 1).play(1, 0)
    assert table.earned[0] == 2 + 1
    table.to_next_cycle()
    assert table.earned == [0, 0] and table.bonuses == [0, 0]


def test_ra_6_2_eight_cards_of_the_own_deck_are_shown_for_each_bonus():
    table = phase("As Ah", "Ks", "9h 8d 7c 6s 5h 4d 3c 2s Ac")
    assert shown(table) == ["9h", "8d", "7c", "6s", "5h", "4d", "3c", "2s"]
    assert table.event("bonus_shown", 0) == {
        "type": "bonus_shown",
        "seat": 0,
        "bonuses": table.bonuses[0],
        "cards": shown(table),
    }
    assert table.own(1)["bonus_cards"] and table.view(None)["own"] is None


def test_ra_6_2_the_next_eight_are_shown_after_the_bonus_with_its_changes():
    table = phase("As", "Ks", "9h 8d", "8d 9h")
    left = table.bonuses[0]
    table.act(0, "bonus_suit", positions=[0, 1], suit="c")
    assert shown(table)[:2] == ["8c", "9c"]
    assert table.bonuses[0] == left - 1
    assert table.own(0)["deck"].count("9c") == 2 and len(table.own(0)["deck"]) == 52


def test_ra_6_2_a_bonus_may_be_skipped():
    table = phase("As", "Ks", "9h 8d", "8d 9h")
    before = table.state.seats[0]
    table.skip(0)
    assert table.types(0)[0] == "bonus_skipped"
    assert table.state.seats[0].slots == before.slots
    assert shown(table)[:2] == ["8d", "9h"]
    assert table.bonuses[0] == before.bonuses - 1


def test_ra_6_2_a_refused_bonus_is_not_spent():
    table = phase("As", "Ks", "9h")
    table.paint(0, "9h.r")
    left = table.bonuses[0]
    table.refuse("colour_already_there", 0, "bonus_colour", position=0, colour="red")
    table.refuse("bonus_phase_running", 0, "play_hand", positions=[0])
    table.refuse("bonus_phase_running", 0, "discard", positions=[0])
    assert table.bonuses[0] == left


def test_ra_6_2_who_has_used_all_waits_for_the_others():
    table = phase()
    table.skip(0, table.bonuses[0])
    assert table.event("bonuses_finished")["seat"] == 0
    assert ENGINE.to_act(table.state) == {1}
    assert (shown(table), table.legal(0)) == ([], [])
    table.refuse("bonuses_finished", 0, "bonus_skip")


@pytest.mark.parametrize(("cap", "bonuses"), [(None, 1 + 4 + 4), (3, 3), (20, 9), (1, 1)])
def test_ra_6_2_max_bonuses_caps_a_seats_bonuses(cap, bonuses):
    table = Table("As Ah Ad Ac", "2s 2h 2d 2c", max_bonuses=cap)
    for _ in range(4):
        table.play_cards(0, next(text for text in table.own(0)["hand"] if text[0] == "A"))
        table.play_cards(1, next(text for text in table.own(1)["hand"] if text[0] == "2"))
    assert table.bonuses[0] == bonuses


def test_ra_6_2_without_any_bonus_the_next_cycle_begins_at_once():
    table = Table(max_bonuses=0, max_cycles=2)
    for _ in range(4):
        table.play_all(0)
    assert (table.state.phase, table.state.cycle, table.state.hand) == ("hand", 2, 1)
    assert table.types()[-5:] == ["bonus_phase_started", "bonuses_finished", "bonuses_finished", "cycle_started", "hand_started"]


def test_ra_6_3_suit_changes_one_to_three_cards_and_leaves_their_colours():
    table = phase("As", "Ks", "4s 9d Kc 5s")
    table.paint(0, "9d.rb")
    table.act(0, "bonus_suit", positions=[0, 1, 2], suit="h")
    assert table.event("suit_changed", 0) == {
        "type": "suit_changed",
        "seat": 0,
        "suit": "h",
        "before": ["4s", "9d.rb", "Kc"],
        "after": ["4h", "9h.rb", "Kh"],
    }
    assert table.own(0)["deck"].count("4h") == 2
    assert {"9h.rb", "Kh"} <= set(table.own(0)["deck"])
    assert not {"4s", "9d.rb", "9d", "Kc"} & set(table.own(0)["deck"])


@pytest.mark.parametrize(
    ("type", "parameters", "field"),
    [
        ("bonus_suit", {"positions": [], "suit": "h"}, "positions"),
        ("bonus_suit", {"positions": [0, 1, 2, 3], "suit": "h"}, "positions"),
        ("bonus_suit", {"positions": [8], "suit": "h"}, "positions.0"),
        ("bonus_suit", {"positions": [0, 0], "suit": "h"}, "positions"),
        ("bonus_suit", {"positions": [0], "suit": "x"}, "suit"),
        ("bonus_suit", {"positions": [0], "suit": "cd"}, "suit"),
        ("bonus_suit", {"positions": [0]}, "suit"),
        ("bonus_pipette", {"positions": [0]}, "positions"),
        ("bonus_pipette", {"positions": [3, 3]}, "positions"),
        ("bonus_pipette", {"positions": [0, 1, 2]}, "positions"),
        ("bonus_colour", {"position": 8, "colour": "red"}, "position"),
        ("bonus_colour", {"position": 0, "colour": "black"}, "colour"),
        ("bonus_colour", {"positions": [0], "colour": "red"}, "position"),
        ("bonus_skip", {"positions": [0]}, "positions"),
        ("bonus_all", {}, "type"),
    ],
)
def test_ra_6_3_a_bonus_names_cards_of_the_eight(type, parameters, field):
    with pytest.raises(InvalidData) as refused:
        ENGINE.parse_action({"type": type, **parameters})
    assert refused.value.field == field


@pytest.mark.parametrize("named", [[0, 1], [1, 0]])
def test_ra_6_3_the_pipette_copies_the_later_card_onto_the_earlier_one_whichever_is_named_first(named):
    table = phase("As", "Ks", "4s Kh")
    table.paint(0, "4s.g", "Kh.ry")
    table.act(0, "bonus_pipette", positions=named)
    assert table.own(0)["deck"].count("Kh.ry") == 2
    assert "4s.g" not in table.own(0)["deck"]
    assert table.event("card_copied", 0)["after"] == ["Kh.ry", "Kh.ry"]


def test_ra_6_3_left_and_right_go_by_the_order_in_which_the_cards_are_shown():
    table = phase("As", "Ks", "Kh 4s")
    table.act(0, "bonus_pipette", positions=[0, 1])
    assert table.own(0)["deck"].count("4s") == 2 and "Kh" not in table.own(0)["deck"]


@pytest.mark.parametrize("colour", ["red", "yellow", "green", "blue", "pink"])
def test_ra_6_3_colour_adds_a_colour_that_the_card_lacks(colour):
    table = phase("As", "Ks", "4s Kh")
    table.act(0, "bonus_colour", position=1, colour=colour)
    assert f"Kh.{colour[0]}" in table.own(0)["deck"] and "Kh" not in table.own(0)["deck"]


def test_ra_6_3_colours_that_may_be_added_are_listed_with_the_cards_that_lack_them():
    table = phase("As", "Ks", "4s Kh")
    table.paint(0, "4s.r", "Kh.rygbp")
    specs = {
        spec.parameters["colour"].options: spec.parameters["position"].options
        for spec in ENGINE.legal_actions(table.state, 0)
        if spec.type == "bonus_colour"
    }
    others = (2, 3, 4, 5, 6, 7)
    assert specs == {("red",): others} | {(name,): (0, *others) for name in ("yellow", "green", "blue", "pink")}


def test_ra_6_3_a_suit_that_is_there_or_a_twin_copied_onto_its_twin_spends_the_bonus():
    table = phase("As", "Ks", "4s Kh", "4s Kh", "4s Kh")
    left = table.bonuses[0]
    slots = table.state.seats[0].slots
    table.act(0, "bonus_suit", positions=[0], suit="s")
    assert (table.bonuses[0], table.state.seats[0].slots) == (left - 1, slots)
    table.paint(0, "4s=Kh")
    table.act(0, "bonus_pipette", positions=[0, 1])
    assert table.bonuses[0] == left - 2


def test_ra_6_4_then_the_next_cycle_begins_with_a_shuffle():
    table = phase()
    used = table.state.next_shuffle
    table.to_next_cycle()
    assert table.state.cycle == 2 and table.state.hand == 1
    assert table.types()[-3:] == ["bonuses_finished", "cycle_started", "hand_started"]
    assert table.state.next_shuffle == used + 2
    assert [len(seat.hand) for seat in table.state.seats] == [8, 8]


def test_ra_6_4_changed_cards_stay_in_the_slots():
    table = phase("As", "Ks", "4s Kh")
    table.act(0, "bonus_colour", position=0, colour="pink").to_next_cycle()
    own = table.own(0)
    assert "4s.p" in own["hand"] + own["deck"]

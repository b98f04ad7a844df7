"""RA-3: what played cards are worth and which of two hands is stronger."""

import pytest

from games.rapira.engine.scoring import Place, evaluate

from .readings import worth
from .table import Table, cards


def of(text):
    """A hand's combination and the ranks that compare; the long way round must say the same."""
    strength = evaluate(cards(text))
    assert strength == worth(text.split())
    return Place(strength[0]).code, list(strength[1:])


def test_ra_3_1_places_run_from_high_card_to_rapira():
    assert [place.code for place in Place] == [
        "high_card",
        "pair",
        "two_pair",
        "three_of_a_kind",
        "straight",
        "flush",
        "full_house",
        "four_of_a_kind",
        "straight_flush",
        "five_of_a_kind",
        "flush_house",
        "rapira",
    ]
    assert list(Place) == list(range(12))


@pytest.mark.parametrize(
    ("hand", "expected"),
    [
        ("Ks", ("high_card", [13])),
        ("9s 2d Kc", ("high_card", [13, 9, 2])),
        ("Js Jh", ("pair", [11, 11])),
        ("3s 3h 7d 7c", ("two_pair", [7, 7, 3, 3])),
        ("4s 4h 4d", ("three_of_a_kind", [4, 4, 4])),
        ("4s 5h 6d 7c 8s", ("straight", [8, 7, 6, 5, 4])),
        ("4h 8h Th Jh Ah", ("flush", [14, 11, 10, 8, 4])),
        ("6s 6h 6d 8c 8s", ("full_house", [6, 6, 6, 8, 8])),
        ("9s 9h 9d 9c", ("four_of_a_kind", [9, 9, 9, 9])),
        ("9s 9h 9d 9c 2c", ("four_of_a_kind", [9, 9, 9, 9, 2])),
        ("4h 5h 6h 7h 8h", ("straight_flush", [8, 7, 6, 5, 4])),
        ("Th Jh Qh Kh Ah", ("straight_flush", [14, 13, 12, 11, 10])),
        ("4s 4h 4d 4c 4s", ("five_of_a_kind", [4, 4, 4, 4, 4])),
        ("4h 4h Th Th Th", ("flush_house", [10, 10, 10, 4, 4])),
        ("7h 7h 7h 7h 7h", ("rapira", [7, 7, 7, 7, 7])),
    ],
)
def test_ra_3_1_each_combination(hand, expected):
    assert of(hand) == expected


@pytest.mark.parametrize(
    ("hand", "expected"),
    [
        ("4h 4h 9h Jh Ah", ("flush", [14, 11, 9, 4, 4])),
        ("4h 4h 9h 9h Ah", ("flush", [14, 9, 9, 4, 4])),
        ("4h 4h 4h 9h Ah", ("flush", [14, 9, 4, 4, 4])),
        ("4h 4h 4h 4h Ah", ("four_of_a_kind", [4, 4, 4, 4, 14])),
        ("Qh Qh", ("pair", [12, 12])),
        ("4h 5h 6h 7h", ("high_card", [7, 6, 5, 4])),
    ],
)
def test_ra_3_1_the_highest_place_that_fits_counts(hand, expected):
    assert of(hand) == expected


@pytest.mark.parametrize(
    ("hand", "expected"),
    [
        ("4s.y 6h.y", ("pair", [5, 5])),
        ("5s.y 5h 5d 6c 6s", ("full_house", [6, 6, 6, 5, 5])),
        ("7s.yp 8h 8h 8h 8h", ("rapira", [8, 8, 8, 8, 8])),
        ("9h.y", ("high_card", [10])),
        ("9h.y Ts.y", ("pair", [10, 10])),
        ("2s.y 4h.y 9d.y", ("pair", [3, 3, 10])),
        ("4h.y 4h.y 4h.y 5h 5h.y", ("rapira", [5, 5, 5, 5, 5])),
        ("4h.y 4h.y 3h.y 2h 6h", ("straight_flush", [6, 5, 4, 3, 2])),
        ("Th.y Th Th 9h 9h", ("flush_house", [10, 10, 10, 9, 9])),
        ("Th.y Td.p Td.p 9h 9h", ("flush_house", [10, 10, 10, 9, 9])),
        ("Th.y Td Tc 9h 9s.y", ("four_of_a_kind", [10, 10, 10, 10, 9])),
        ("5h.y 5h.y 5h.y 5h.y 7h", ("four_of_a_kind", [6, 6, 6, 6, 7])),
    ],
)
def test_ra_3_1_of_all_readings_the_highest_place_then_the_highest_ranks_count(hand, expected):
    assert of(hand) == expected


def test_ra_3_1_a_high_card_is_never_chosen_for_its_bonus():
    table = Table("4s 6h", "2c", colours={0: "4s.y 6h.y"}).play_cards(0, "4s.y 6h.y").play_cards(1, "2c")
    assert table.view()["last_hand"]["seats"][0]["combination"] == "pair"
    assert table.earned == [1, 1]


@pytest.mark.parametrize(
    ("hand", "expected"),
    [
        ("As 2h 3d 4c 5s", ("straight", [5, 4, 3, 2, 1])),
        ("Ah 2h 3h 4h 5h", ("straight_flush", [5, 4, 3, 2, 1])),
        ("Qs Kh Ad 2c 3s", ("high_card", [14, 13, 12, 3, 2])),
        ("Ks.y 2h 3d 4c 5s", ("straight", [5, 4, 3, 2, 1])),
        ("As.y 2h 3d 4c 5s", ("straight", [5, 4, 3, 2, 1])),
        ("2s.y 3h 4d 5c 6s", ("straight", [6, 5, 4, 3, 2])),
        ("As.y Qh Jd Tc 9s", ("straight", [13, 12, 11, 10, 9])),
        ("Ks.y Kh.y Qd Jc Ts", ("straight", [14, 13, 12, 11, 10])),
    ],
)
def test_ra_3_2_the_ace_may_begin_a_straight_and_no_run_goes_round_it(hand, expected):
    assert of(hand) == expected


def test_ra_3_2_a_yellow_two_is_no_ace():
    assert of("2s.y 2h 3d 4c 5s") == ("pair", [3, 3, 5, 4, 2])
    assert of("2s.y 3h 4d 5c") == ("pair", [3, 3, 5, 4])


def test_ra_3_2_straights_and_flushes_take_five_cards():
    assert of("Ah Kh Qh Jh")[0] == "high_card"


@pytest.mark.parametrize(
    ("stronger", "weaker"),
    [
        ("3s 3h Qd Qc", "9s 9h Jd Jc As"),
        ("3s 3h Qd Qc As", "3d 3c Qs Qh Ks"),
        ("2s 3s 4s Qs As", "6h 8h Th Jh Ah"),
        ("3s 3h 4d 4c 4s", "2s 2h 2d Jc Js"),
        ("9s 9h 9d 5c 5s", "9s 9h 9d 4c 4s"),
        ("3h 3h 4h 4h 4h", "2s 2s Js Js 2s"),
        ("Js Jh 2c", "Jd Jc"),
        ("Js Jh 9s 3d", "Jd Jc 9h"),
        ("As 2d", "Ah"),
        ("2s 3h 4d 5c 6s", "As 2h 3d 4c 5s"),
        ("9s 9h 9d 9c 3h", "9s 9h 9d 9c"),
        ("Ks 4h", "Kd 3h 2c"),
    ],
)
def test_ra_3_3_the_combination_compares_first_then_the_other_played_cards(stronger, weaker):
    assert evaluate(cards(stronger)) > evaluate(cards(weaker))


def test_ra_3_3_cards_that_were_not_played_never_compare():
    table = Table("Js Jh As", "Jd Jc 2s").play_cards(0, "Js Jh").play_cards(1, "Jd Jc")
    assert table.event("hand_won")["seats"] == [0, 1]


def test_ra_3_4_equal_hands_win_together():
    table = Table("2s 3s 6s Ts Qs", "2h 3h 6h Th Qh", "4d 4c", seats=3)
    table.play(0, 0, 1, 2, 3, 4).play(1, 0, 1, 2, 3, 4).play(2, 0, 1)
    assert table.event("hand_won")["seats"] == [0, 1]
    assert [each["won"] for each in table.view()["last_hand"]["seats"]] == [True, True, False]
    assert table.points == [100, 100, 96]
    assert table.earned == [1, 1, 0]

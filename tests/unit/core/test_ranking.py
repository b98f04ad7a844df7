"""Ordinary poker order."""

import pytest

from games.core.cards import card
from games.core.ranking import HandRank, strength


def hand(text):
    return tuple(map(card, text.split()))


ASCENDING = [
    "2s 3h 4d 5c 7s",
    "As Qh Jd Tc 9s",
    "As Kh 4d 3c 2s",
    "2s 2h 5d 4c 3s",
    "2s 2h Ad 4c 3s",
    "As Ah 4d 3c 2s",
    "3s 3h 2d 2c 4s",
    "As Ah 2d 2c 3s",
    "As Ah Kd Kc 2s",
    "2s 2h 2d 4c 3s",
    "As 2h 3d 4c 5s",
    "2h 3d 4c 5s 6s",
    "As Kh Qd Jc Ts",
    "7s 5s 4s 3s 2s",
    "As 6s 4s 3s 2s",
    "2s 2h 2d 3c 3s",
    "2s 2h 2d Ac As",
    "3s 3h 3d 2c 2s",
    "2s 2h 2d 2c 3s",
    "2s 2h 2d 2c As",
    "As 2s 3s 4s 5s",
    "2s 3s 4s 5s 6s",
    "As Ks Qs Js Ts",
]


def test_hands_rise_in_the_ordinary_order():
    found = [strength(hand(text)) for text in ASCENDING]
    assert found == sorted(set(found))


def test_suits_break_no_tie():
    assert strength(hand("Ad Kh Jd 7c 2s")) == strength(hand("As Kd Jh 7s 2d"))


@pytest.mark.parametrize(
    ("six", "five"),
    [
        ("Ks Kh 8d 8h 2c 2s", "Ks Kh 8d 8h 2c"),
        ("7s 7h 7d 8h 8c 8s", "8h 8c 8s 7s 7h"),
        ("As Kh Qd Jc Ts 9h", "As Kh Qd Jc Ts"),
        ("As Ks 9s 5s 3s 2s", "As Ks 9s 5s 3s"),
        ("As 2s 3s 4s 5s 6h", "As 2s 3s 4s 5s"),
        ("As 2s 3s 4s 5s 6s", "6s 2s 3s 4s 5s"),
        ("7s 7h 7d 7c 8h 8s", "7s 7h 7d 7c 8h"),
    ],
)
def test_the_best_five_of_six_count(six, five):
    assert strength(hand(six)) == strength(hand(five))


def test_three_cards_make_pairs_and_threes_only():
    assert strength(hand("As Ks Qs")) == (HandRank.HIGH_CARD, 14, 13, 12)
    assert strength(hand("As Ah Qs")) == (HandRank.PAIR, 14, 12)
    assert strength(hand("As Ah Ad")) == (HandRank.THREE_OF_A_KIND, 14)

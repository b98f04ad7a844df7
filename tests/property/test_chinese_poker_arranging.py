"""What is suggested is always legal, and the first suggestion has the strongest First that there is."""

from itertools import combinations
from math import comb
from random import Random

import pytest

from games.chinese_poker.engine.arranging import _all, _swapped, arrangements, dealt_out, set_of, sparing
from games.chinese_poker.engine.scoring import in_order
from games.core.cards import DECK_52, card
from games.core.ranking import strength

CURIOUS = [
    "2s 3s 4s 5s 6s 7s 8s 9s Ts Js Qs Ks As",
    "2s 3h 4d 5c 6s 7h 8d 9c Ts Jh Qd Kc As",
    "2s 2h 2d 2c 3s 3h 3d 3c 4s 4h 4d 4c 5s",
    "2s 2h 3s 3h 4s 4h 5s 5h 6s 6h 7s 7h 8s",
    "2s 2h 2d 3s 3h 3d 4s 4h 4d 5s 5h 5d 6s",
    "As Ah 3s 3h 5s 5h 7d 7c 9s 9h Jd Jc Ks",
    "Ks Kh Kd Qs Qh 5s 6h 7d 8c 9s 2s 2h 2d",
    "As 2s 3s 4s 5s Ah 2h 3h 4h 5h Kd Kc Kh",
    "As 2s 3s 4s 5s 6s 6h 2h 3h 4h 5h Kd Kc",
    "As Ks Qs Js Ts Ah Kh Qh Jh Th 9c 9d 9h",
    "As Ah Ad Ac Ks Kh Kd Kc Qs Qh Qd Qc Js",
    "As Ks 9s 7s 4s 2s Ah Kh 9h 7h 4h 2h 3d",
]


def hands_of(random, count):
    """Hands of all kinds: of the whole pack, of few ranks, of few suits, and curious ones."""
    packs = [DECK_52, DECK_52[:26], [each for each in DECK_52 if each.rank >= 9], [each for each in DECK_52 if each.rank < 7]]
    for number in range(count):
        yield tuple(random.sample(packs[number % len(packs)], 13))
    for text in CURIOUS:
        yield tuple(map(card, text.split()))


@pytest.mark.parametrize("chunk", range(4))
def test_suggestions_are_legal_and_different(chunk):
    for hand in hands_of(Random(chunk), 1500):
        found = arrangements(hand)
        assert len({tuple(map(frozenset, each)) for each in found}) == len(found) == 2
        for first, second, third in found:
            assert (len(first), len(second), len(third)) == (5, 5, 3)
            assert {*first, *second, *third} == set(hand)
            assert in_order(first, second, third) == (True, True)


def test_the_first_suggestion_has_the_strongest_first_then_the_strongest_second():
    for hand in hands_of(Random(5), 30):
        first, second, _ = arrangements(hand)[0]
        assert strength(first) == max(map(strength, combinations(hand, 5)))
        left = [each for each in hand if each not in first]
        assert strength(second) == max(map(strength, combinations(left, 5)))


def test_sparing_arrangements_are_legal_as_they_are_made():
    for hand in hands_of(Random(6), 3000):
        assert all(in_order(*dealt_out(sparing(set_of(hand)))))


def test_when_nothing_better_is_found_every_arrangement_is_tried():
    hand = tuple(map(card, CURIOUS[6].split()))
    every = {tuple(map(frozenset, hands)) for hands in _all(set_of(hand))}
    assert len(every) == comb(13, 3) * comb(10, 5)
    nearest = {tuple(map(frozenset, hands)) for hands in _swapped(arrangements(hand)[0])}
    assert len(nearest) == 5 * 5 + 5 * 3 + 5 * 3
    assert nearest < every

"""Kinds of hands, counted over all hands that there are, and dealt alike to every place."""

from itertools import combinations, product
from math import comb

import numpy as np
import pytest

from audit.fairness.hands import LAYOUTS, POKER, deck_size, equal_places, hands, kinds, kinds_law
from games.core.cards import DECK_52
from games.core.ranking import HandRank, strength
from tests.unit.fairness.faulty import chance_of, fair


def every_hand(items, size):
    return np.fromiter(combinations(range(items), size), dtype=(np.uint8, size), count=comb(items, size))


def test_the_poker_ranks_of_all_hands_of_five():
    numbers, counts = np.unique(kinds(every_hand(52, 5)), return_counts=True)
    law = kinds_law(5, 0)
    assert dict(zip(numbers.tolist(), counts.tolist(), strict=True)) == {n: round(p * comb(52, 5)) for n, p in law.items()}
    assert sum(POKER.values()) == comb(52, 5)


@pytest.mark.parametrize(("size", "jokers"), [(2, 2), (3, 2), (4, 0)])
def test_the_patterns_of_all_hands_with_and_without_jokers(size, jokers):
    dealt = every_hand(52 + jokers, size)
    numbers, counts = np.unique(kinds(dealt), return_counts=True)
    law = kinds_law(size, jokers)
    assert dict(zip(numbers.tolist(), counts.tolist(), strict=True)) == {n: round(p * len(dealt)) for n, p in law.items()}


@pytest.mark.parametrize(("size", "jokers"), [(5, 0), (8, 0), (13, 0), (9, 2)])
def test_the_chances_of_all_kinds_are_one_together(size, jokers):
    assert sum(kinds_law(size, jokers).values()) == pytest.approx(1)


def test_kinds_of_five_are_those_of_the_games_own_ranking():
    number_of = {
        HandRank.STRAIGHT_FLUSH: 3_000_000,
        HandRank.FOUR_OF_A_KIND: 256,
        HandRank.FULL_HOUSE: 17,
        HandRank.FLUSH: 1_000_000,
        HandRank.STRAIGHT: 2_000_000,
        HandRank.THREE_OF_A_KIND: 16,
        HandRank.TWO_PAIR: 2,
        HandRank.PAIR: 1,
    }
    for order in fair(chance_of(2), 2_000)[:, :5]:
        rank, *sides = strength([DECK_52[card] for card in order])
        high = 4_000_000 if sides[:2] == [14, 13] else 0
        assert kinds(order[None])[0] == number_of.get(HandRank(rank), high)


@pytest.mark.parametrize("game", LAYOUTS)
def test_a_layout_deals_no_card_twice_and_none_that_is_not_there(game):
    places = [place for hand in LAYOUTS[game].places for place in hand]
    assert len(places) == len(set(places))
    assert max(places) < deck_size(game)


def test_places_that_get_other_hands_are_found():
    orders = fair(chance_of(7), 3_000)
    names = {each.name: each.p for each in hands(orders, "russian_poker")}
    assert len(names) == 6
    assert min(names.values()) > 1e-3
    # In half of the decks the dealer's place gets a pair of what lies before its last card.
    worse = orders.copy()
    pair = orders[:, 23] % 13 >= 6
    worse[pair, 24] = (orders[pair, 23] + 13) % 52
    found = {each.name: each.p for each in hands(worse, "russian_poker")}
    assert found["russian_poker: hands of place 4"] < 1e-6
    assert found["russian_poker: hands alike at all places"] < 1e-4
    assert found["russian_poker: hands of place 0"] == names["russian_poker: hands of place 0"]


def test_the_comparison_of_places_has_the_mean_of_its_law():
    """Over all ways to give two decks' hands to three places, the mean is exactly (places - 1)(groups - 1)."""
    decks = [(0, 0, 1), (0, 1, 2)]
    ways = [sorted({(a[i], a[j], a[k]) for i, j, k in product(range(3), repeat=3) if len({i, j, k}) == 3}) for a in decks]
    values, weights = [], []
    for one, other in product(*ways):
        values.append(equal_places("x", np.array([one, other]).T, 3).statistic)
        weights.append(1)
    assert np.average(values, weights=weights) == pytest.approx(2 * 2)

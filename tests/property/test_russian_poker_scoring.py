"""Combinations against a search that knows only the definitions, ranking against that and against phevaluator."""

from collections import Counter
from itertools import combinations
from random import Random

import phevaluator
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.core.cards import DECK_52, unpacked
from games.core.ranking import strength
from games.russian_poker.engine.scoring import Category, evaluate, shown
from games.russian_poker.engine.setup import BET_CATEGORIES, DEFAULT_PAY_TABLE, parse_pay_table

PAYS = parse_pay_table(DEFAULT_PAY_TABLE).bet
RUNS = [set(range(low, low + 5)) for low in range(2, 11)] + [{14, 2, 3, 4, 5}]


def meaning(cards):
    """Say what some cards are, all of them and nothing beside (RP-1.4), and how high within that; None for no combination."""
    ranks = sorted((each.rank for each in cards), reverse=True)
    counts = sorted(Counter(ranks).values(), reverse=True)
    by_count = sorted(Counter(ranks), key=lambda rank: (ranks.count(rank), rank), reverse=True)
    run = len(ranks) == 5 and set(ranks) in RUNS
    suited = len(ranks) == 5 and len({each.suit for each in cards}) == 1
    height = [5] if run and set(ranks) == RUNS[-1] else by_count[:1] if run else by_count
    if run and suited:
        return (Category.ROYAL_FLUSH if height == [14] else Category.STRAIGHT_FLUSH), height
    if suited:
        return Category.FLUSH, height
    if run:
        return Category.STRAIGHT, height
    shapes = {
        (4,): Category.FOUR_OF_A_KIND,
        (3, 2): Category.FULL_HOUSE,
        (3,): Category.THREE_OF_A_KIND,
        (2, 2): Category.TWO_PAIR,
        (2,): Category.PAIR,
    }
    if ranks == [14, 13]:
        return Category.ACE_KING, []
    return (shapes[tuple(counts)], height) if tuple(counts) in shapes else None


def searched(cards):
    """Find first and second among all sets of cards (RP-1.5), with their places."""
    found = []
    for size in range(2, 6):
        for places in combinations(range(len(cards)), size):
            meant = meaning([cards[place] for place in places])
            if meant:
                found.append((meant[0], meant[1], [-place for place in places], places))
    if not found:
        return None, None
    first = max(found, key=lambda each: each[:3])
    beside = [each for each in found if not set(each[3]) <= set(first[3])]
    second = max(beside, key=lambda each: (PAYS[each[0]], *each[:3]), default=None)
    return first, second


def check(cards):
    first, second = searched(cards)
    hand = evaluate(cards)
    if first is None:
        assert hand.first.category is Category.NOTHING and hand.second is None
        return
    shown_first, shown_second = shown(hand, cards)
    assert (shown_first.category, shown_first.cards) == (first[0], tuple(cards[place] for place in first[3]))
    assert (shown_second is None) is (second is None)
    if shown_second and second:
        assert (shown_second.category, shown_second.cards) == (second[0], tuple(cards[place] for place in second[3]))
    assert hand.multiple(PAYS) == PAYS[first[0]] + (PAYS[second[0]] if second else 0)


RICH = list(unpacked("AsKsQsJsTs9s8sAhKhAdAcKcKdTh9h2s3s4s5s6h"))
"""Cards among which combinations are frequent."""

hands = st.integers(5, 6).flatmap(lambda size: st.permutations(DECK_52).map(lambda deck: deck[:size]))
rich_hands = st.integers(5, 6).flatmap(lambda size: st.permutations(RICH).map(lambda deck: deck[:size]))


@settings(max_examples=300, deadline=None)
@given(hands | rich_hands)
def test_both_combinations_are_those_of_the_definitions(cards):
    check(cards)


@pytest.mark.parametrize("size", [5, 6])
def test_both_combinations_on_many_hands(size):
    random = Random(size)
    for _ in range(1500):
        check(random.sample(random.choice([RICH, RICH, DECK_52]), size))


@settings(max_examples=200, deadline=None)
@given(rich_hands, st.lists(st.integers(0, 50), min_size=10, max_size=10))
def test_with_any_pay_table_that_never_falls_the_second_pays_best(cards, steps):
    multiples = [sum(steps[: place + 1]) for place in range(10)]
    table = {"bet": {}, "bonus": DEFAULT_PAY_TABLE["bonus"]}
    table["bet"] = {category.code: multiple for category, multiple in zip(BET_CATEGORIES, multiples, strict=True)}
    pays = parse_pay_table(table).bet
    first, _ = searched(cards)
    outside = [
        pays[meant[0]]
        for size in range(2, 6)
        for places in combinations(range(len(cards)), size)
        if (meant := meaning([cards[place] for place in places])) and first and not set(places) <= set(first[3])
    ]
    assert evaluate(cards).multiple(pays) == (pays[first[0]] if first else 0) + max(outside, default=0)


@settings(max_examples=200, deadline=None)
@given(rich_hands, st.randoms(use_true_random=False))
def test_the_total_does_not_depend_on_the_order_of_the_cards(cards, random):
    mixed = random.sample(cards, len(cards))
    assert evaluate(mixed) == evaluate(cards)
    assert strength(mixed) == strength(cards)


def oracle(cards):
    """The strength by another library: lower is higher there."""
    return -phevaluator.evaluate_cards(*[each.text for each in cards])


@pytest.mark.parametrize("size", [5, 6, 7])
def test_hands_compare_as_phevaluator_compares_them(size):
    random = Random(size)
    sampled = [random.sample(random.choice([RICH, DECK_52]), size) for _ in range(3000)]
    ordered = sorted(sampled, key=strength)
    theirs = [oracle(cards) for cards in ordered]
    assert theirs == sorted(theirs)
    assert len({strength(cards) for cards in sampled}) == len(set(theirs))


@settings(max_examples=200, deadline=None)
@given(hands | rich_hands)
def test_the_best_five_of_six_are_the_best_of_all_fives(cards):
    assert strength(cards) == max(strength(five) for five in combinations(cards, 5))


@settings(max_examples=200, deadline=None)
@given(hands | rich_hands)
def test_the_ladder_is_the_order_of_poker(cards):
    """A first combination is of the category that the strength ranks, so the higher strength never has the lower category."""
    category = evaluate(cards).first.category
    rank = strength(cards)[0]
    expected = {0: {Category.NOTHING, Category.ACE_KING}, 8: {Category.STRAIGHT_FLUSH, Category.ROYAL_FLUSH}}
    assert category in expected.get(rank, {Category(rank + 1)})

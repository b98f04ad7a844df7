"""RA-3 on random cards: the engine's reading of colours is the best of all readings, and a time-out plays the best choice."""

from itertools import combinations
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.rapira.engine.cards import CARDS, card_texts
from games.rapira.engine.scoring import evaluate, strongest
from tests.unit.rapira.readings import worth
from tests.unit.rapira.table import cards

PLAIN = [card for card in CARDS if not card.colours]
WILD = [card for card in CARDS if {"y", "p"} & set(card.text[2:])]
NEIGHBOURS = [card for card in CARDS if card.text[0] in "4567" and set(card.text[3:]) <= {"y", "p"}]
ENDS = [card for card in CARDS if card.text[0] in "2345KA" and set(card.text[3:]) <= {"y", "p"}]
ONE_SUIT = [card for card in CARDS if (card.text[1] == "h" or "p" in card.text) and set(card.text[3:]) <= {"y", "p"}]
PACKS = {"all": CARDS, "plain": PLAIN, "wild": WILD, "neighbours": NEIGHBOURS, "ends": ENDS, "one_suit": ONE_SUIT}
"""Twins are possible in each: pipettes make them."""


def some(random, pack, size):
    return [random.choice(pack) for _ in range(size)]


@pytest.mark.parametrize("size", range(1, 6))
@pytest.mark.parametrize("pack", PACKS)
def test_the_reading_that_counts_is_the_best_of_all(pack, size):
    random = Random(f"{pack} {size}")
    for _ in range({5: 60, 4: 120}.get(size, 200)):
        hand = some(random, PACKS[pack], size)
        assert evaluate(hand) == worth(card_texts(hand)), hand


@given(st.lists(st.sampled_from(CARDS), min_size=1, max_size=5), st.randoms(use_true_random=False))
@settings(max_examples=100, deadline=None)
def test_the_order_of_cards_means_nothing(hand, random):
    other = random.sample(hand, len(hand))
    assert evaluate(hand) == evaluate(other)


@given(st.lists(st.sampled_from(CARDS), min_size=1, max_size=4), st.sampled_from(CARDS))
@settings(max_examples=300, deadline=None)
def test_one_card_more_is_always_stronger(hand, more):
    assert evaluate([*hand, more]) > evaluate(hand)


def strongest_of_all(hand):
    """RA-7.1 to the letter: of every choice of one to five cards the strongest, of equal ones the lowest list of positions."""
    choices = [choice for size in range(1, 6) for choice in combinations(range(len(hand)), size)]
    best = max(evaluate([hand[position] for position in choice]) for choice in choices)
    return min(choice for choice in choices if evaluate([hand[position] for position in choice]) == best)


@pytest.mark.parametrize("pack", PACKS)
def test_a_time_out_plays_the_best_of_all_218_choices(pack):
    random = Random(pack)
    for size in (*range(1, 9), 8, 8, 8, 8, 8, 8, 8, 8, 8, 8):
        hand = some(random, PACKS[pack], size)
        assert strongest(hand) == strongest_of_all(hand)


def test_a_time_out_takes_the_first_of_equal_choices():
    hand = cards("9c 4d 9c 4d 2h 3s 2d 3c")
    assert strongest(hand) == strongest_of_all(hand) == (0, 1, 2, 3, 5)


@pytest.mark.slow
@pytest.mark.parametrize("pack", PACKS)
def test_the_reading_that_counts_is_the_best_of_all_of_very_many(pack):
    random = Random(pack)
    for _ in range(4000):
        hand = some(random, PACKS[pack], random.randint(1, 5))
        assert evaluate(hand) == worth(card_texts(hand)), hand

"""The production's shuffle gone through exactly (R009): every order once, every word used evenly or passed over."""

from itertools import repeat

import pytest

from audit.fairness.enumeration import exact_faults, index_of, shuffle_by_words, uneven_orders
from games.core.shuffle import Seed


@pytest.mark.parametrize("items", range(2, 7))
def test_every_sequence_of_indexes_gives_an_order_of_its_own(items):
    assert uneven_orders(shuffle_by_words, items) == {}


def test_nothing_is_uneven():
    assert exact_faults() == []


@pytest.mark.parametrize("items", [3, 5, 52, 54])
def test_a_word_of_the_rejected_zone_is_passed_over_and_not_folded(items):
    limit = 2**32 - 2**32 % items
    assert index_of(shuffle_by_words, items, limit - 1) == items - 1
    for word in range(limit, 2**32):
        assert index_of(shuffle_by_words, items, word) is None
        with_more = shuffle_by_words(iter([word, 1, *repeat(0, items)]), items)
        assert with_more == shuffle_by_words(iter([1, *repeat(0, items)]), items)


def test_the_words_fed_by_hand_are_read_as_the_seeds_own_are():
    seed = Seed("00000000-0000-4000-8000-000000000001", bytes(range(32)), ("a",))
    words = [word for block in zip(seed._blocks(3), range(8), strict=False) for word in block[0]]
    assert shuffle_by_words(iter(words), 52) == seed.shuffled(range(52), 3)

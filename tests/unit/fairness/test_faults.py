"""Every fault of COMPLIANCE's table is caught by what can catch it, and by no more than its sample."""

from itertools import islice

import numpy as np
import pytest

from audit.fairness.battery import battery, failures
from audit.fairness.between import repeats
from audit.fairness.decks import orders_of
from audit.fairness.enumeration import shuffle_by_words, uneven_orders, uneven_words
from tests.unit.fairness import faulty
from tests.unit.fairness.faulty import chance_of, decks_to_show, index_counts

GAMES = ("russian_poker", "chinese_poker")
DAY_OF_MILLISECONDS = 24 * 3600 * 1000
BY_STATISTICS = [
    (faulty.swap_with_any, 500, "rank correlation of card and position"),
    (faulty.swap_with_any, 500, "card by position"),
    (faulty.never_stays, 500, "fixed points"),
    (faulty.byte_modulo, 2_000, "rank correlation of card and position"),
    (faulty.byte_modulo, 10_000, "card by position"),
    (faulty.seven_riffles, 500, "descents of the inverse (rising sequences)"),
    (faulty.sorted_by_byte, 500, "descents"),
]


@pytest.mark.parametrize(("fault", "decks", "test"), BY_STATISTICS, ids=[f"{f.__name__} {n} {t}" for f, n, t in BY_STATISTICS])
def test_the_named_statistic_finds_the_fault_in_the_named_sample(fault, decks, test):
    found = [{each.name: each.p for each in battery(fault(chance_of(seed), decks))}[test] for seed in range(3)]
    assert np.median(found) < 1e-4


@pytest.mark.parametrize("fault", sorted({fault for fault, _, _ in BY_STATISTICS}, key=lambda fault: fault.__name__))
def test_the_battery_fails_each_of_them_at_the_size_of_every_commit(fault):
    assert failures(list(battery(fault(chance_of(11), 10_000), GAMES)))


def test_the_battery_passes_the_control():
    assert failures(list(battery(faulty.fair(chance_of(11), 10_000), GAMES))) == ()


def test_sixteen_bits_modulo_pass_the_battery_and_are_caught_by_enumeration():
    assert failures(list(battery(faulty.word_modulo(chance_of(11), 10_000), GAMES))) == ()
    counts = index_counts(faulty.word_modulo_by_words, 52, range(2**16))
    assert {counts[index] for index in range(16)} == {1_261}  # 65,536 = 52 · 1,260 + 16
    assert {counts[index] for index in range(16, 52)} == {1_260}
    assert "52 items: words from 65520 on are not passed over" in uneven_words(faulty.word_modulo_by_words, 2**16)


def test_a_word_that_is_folded_back_is_caught_by_enumeration():
    faults = uneven_words(faulty.folding_by_words)
    assert "52 items: words from 4294967248 on are not passed over" in faults
    assert not [fault for fault in faults if fault.startswith(("2 ", "4 ", "8 ", "16 ", "32 "))]  # they divide 2^32


def test_swapping_with_any_place_is_caught_by_enumeration():
    for items in range(3, 6):
        uneven = uneven_orders(faulty.swap_with_any_by_words, items, [items] * (items - 1))
        assert sum(uneven.values()) > 0
    # Of the nine pairs of choices among three places two orders get two, two get one … and none gets 9/6.
    assert sorted(uneven_orders(faulty.swap_with_any_by_words, 3, [3, 3]).values()) == [1, 1, 1, 2, 2, 2]
    assert uneven_orders(shuffle_by_words, 5) == {}


@pytest.mark.parametrize(("seeds", "decks"), [(2**20, 10_000), (DAY_OF_MILLISECONDS, decks_to_show(DAY_OF_MILLISECONDS))])
def test_a_small_number_of_seeds_is_caught_by_repeated_decks(seeds, decks):
    orders = orders_of(faulty.few_seeds(chance_of(11), seeds), 52, decks)
    found = repeats(orders)
    assert found.statistic >= 1
    assert found.p < 1e-6
    assert "repeated decks" in [each.name for each in failures(list(battery(orders)))]


@pytest.mark.slow
def test_seeds_of_32_bits_are_caught_by_repeated_decks():
    decks = decks_to_show(2**32)
    assert decks == 198_893
    assert repeats(orders_of(faulty.few_seeds(chance_of(11), 2**32), 52, decks)).statistic >= 1


@pytest.mark.slow
def test_so_many_decks_show_a_small_number_of_seeds_in_99_of_100_tries():
    seeds, tries = DAY_OF_MILLISECONDS, 400
    shown = [
        len(set(islice(iter(chance_of(number).integers(0, seeds, decks_to_show(seeds)).tolist()), None))) < decks_to_show(seeds)
        for number in range(tries)
    ]
    assert sum(shown) / tries == pytest.approx(0.99, abs=0.02)

"""The blocking test: the shuffle that deals for money, on decks that a seed fixes, for every pack in use."""

import pytest

from audit.fairness.battery import battery, failures, skipped
from audit.fairness.bits.suite import BITS, raw_bits
from audit.fairness.decks import PACKS, fixed_seeds, orders_of, raw_sequences

SEED = "casino-shuffle/1"


def failed(pack, decks):
    orders = orders_of(fixed_seeds(f"{SEED} {pack.name}"), len(pack.items), decks)
    outcomes = list(battery(orders, pack.games))
    assert outcomes
    too_few_for = {"top card by the next deck's"} if decks <= 5 * len(pack.items) ** 2 else set()
    assert set(skipped(outcomes, len(pack.items), pack.games)) == too_few_for
    return [(each.name, each.p) for each in failures(outcomes)]


@pytest.mark.parametrize("pack", PACKS.values(), ids=PACKS)
def test_ten_thousand_decks_are_fair(pack):
    assert failed(pack, 10_000) == []


def test_few_decks_are_only_looked_through_for_repeated_ones():
    orders = orders_of(fixed_seeds("a"), 52, 29)
    assert [each.name for each in battery(orders, ("russian_poker",))] == ["repeated decks"]
    assert list(battery(orders[:1])) == []
    assert "repeated decks" not in [each.name for each in battery(orders_of(fixed_seeds("a"), 6, 4_000))]


@pytest.mark.parametrize("pack", PACKS.values(), ids=PACKS)
def test_what_the_sample_is_too_small_for_is_named(pack):
    whole = fixed_seeds(f"{SEED} {pack.name}")
    names = {each.name for each in battery(orders_of(whole, len(pack.items), 15_000), pack.games)} - {"repeated decks"}
    for decks in (1, 29, 60):
        computed = list(battery(orders_of(fixed_seeds("a"), len(pack.items), decks), pack.games))
        left_out = skipped(computed, len(pack.items), pack.games)
        assert len(left_out) == len(set(left_out)) > 0
        assert set(left_out) == names - {each.name for each in computed}


@pytest.mark.slow
@pytest.mark.parametrize("pack", PACKS.values(), ids=PACKS)
def test_two_hundred_thousand_decks_are_fair(pack):
    assert failed(pack, 200_000) == []


@pytest.mark.slow
def test_a_hundred_million_raw_bits_are_fair():
    outcomes = list(raw_bits(raw_sequences(fixed_seeds(SEED), 100, BITS)))
    assert len(outcomes) == 2 * 188
    assert [(each.name, each.p) for each in failures(outcomes)] == []
    assert sum(not each.keeps_rule for each in outcomes) <= 5

"""Every law within decks against all orders of a small pack, and every count against a plain one."""

from itertools import pairwise, permutations
from math import factorial

import numpy as np
import pytest

from audit.fairness import within
from tests.unit.fairness.faulty import chance_of, fair

SMALL = (4, 5, 6)


def every(items):
    return np.array(list(permutations(range(items))), dtype=np.uint8)


def covariance_of(columns):
    """The exact covariance of indicators, from all orders."""
    return np.cov(columns.astype(float), rowvar=False, bias=True)


@pytest.mark.parametrize("items", SMALL)
@pytest.mark.parametrize(
    ("count", "law"),
    [
        (within.descents, within.descents_law),
        (within.cycles, within.cycles_law),
        (within.inversions, within.inversions_law),
    ],
    ids=["descents", "cycles", "inversions"],
)
def test_mean_and_variance_are_those_of_all_orders(items, count, law):
    values = count(every(items))
    assert (values.mean(), values.var()) == pytest.approx(law(items))


def test_the_figures_for_52_cards():
    assert within.descents_law(52) == (25.5, pytest.approx(53 / 12))
    assert within.cycles_law(52) == (pytest.approx(4.538, abs=5e-4), pytest.approx(2.912, abs=5e-4))
    assert within.inversions_law(52) == (663, pytest.approx(4014.8, abs=0.05))


@pytest.mark.parametrize("items", SMALL)
def test_fixed_points_are_as_likely_as_in_all_orders(items):
    fixed = (every(items) == np.arange(items)).sum(axis=1)
    seen = np.bincount(np.minimum(fixed, 5), minlength=6) / factorial(items)
    assert within.fixed_points_law(items) == pytest.approx(seen)


def test_fixed_points_of_52_cards_follow_poisson():
    assert within.fixed_points_law(52)[:5] == pytest.approx([np.exp(-1) / factorial(k) for k in range(5)])


@pytest.mark.parametrize("items", SMALL)
def test_the_rank_correlation_of_one_deck_has_its_variance(items):
    z = np.array([within.rank_correlation(order[None]).statistic for order in every(items)])
    assert (z.mean(), z.var()) == (pytest.approx(0, abs=1e-12), pytest.approx(1))


@pytest.mark.parametrize("items", SMALL)
def test_the_table_of_cards_and_positions_has_its_chi_square(items):
    """Its covariance, times (n - 1)/n, is a projection on (n - 1)² dimensions: so the law is chi-square of as many."""
    indicators = (every(items)[:, :, None] == np.arange(items)).reshape(-1, items**2)
    values = np.linalg.eigvalsh(covariance_of(indicators) * items * (items - 1) / items)
    assert np.sort(values) == pytest.approx([*[0] * (2 * items - 1), *[1] * (items - 1) ** 2], abs=1e-9)


@pytest.mark.parametrize("items", SMALL)
def test_neighbours_have_their_mean_and_variance(items):
    orders = every(items).astype(int)
    pairs = (orders[:, :-1] * items + orders[:, 1:])[:, :, None] == np.arange(items**2)
    covariance = covariance_of(pairs.any(axis=1)) * items
    mean, half_variance = within.neighbours_law(items)
    assert (np.trace(covariance), np.trace(covariance @ covariance)) == pytest.approx((mean, half_variance))


def test_the_counts_are_those_of_a_plain_program():
    orders = fair(chance_of(1), 20)
    for order, descents, inversions, cycles in zip(
        orders, within.descents(orders), within.inversions(orders), within.cycles(orders), strict=True
    ):
        cards = [int(card) for card in order]
        assert descents == sum(b < a for a, b in pairwise(cards))
        assert inversions == sum(cards[j] < cards[i] for i in range(52) for j in range(i + 1, 52))
        left, rounds = set(range(52)), 0
        while left:
            at, rounds = left.pop(), rounds + 1
            while (at := cards[at]) in left:
                left.remove(at)
        assert cycles == rounds


def test_all_orders_once_fit_too_well():
    """All 720 orders of six, ten times each, are no sample: the fit is too good, which fails too."""
    (found,) = within.within_decks(np.tile(every(6), (10, 1)))
    assert (found.name, found.statistic) == ("every order", 0)
    assert found.p < 1e-9


def test_what_a_sample_is_too_small_for_is_left_out():
    names = [each.name for each in within.within_decks(fair(chance_of(1), 100))]
    assert "card by position" not in names
    assert "descents" in names
    assert list(within.within_decks(every(6)[:100])) == []

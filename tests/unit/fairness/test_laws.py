"""P-values, Holm's step-down and pooled cells against figures worked out by hand."""

from math import exp

import numpy as np
import pytest

from audit.fairness.battery import holm
from audit.fairness.laws import chi_square, even, goodness, normal, poisson_excess, pooled


@pytest.mark.parametrize(
    ("p_values", "level", "rejected"),
    [
        ([0.01, 0.04, 0.03, 0.005], 0.05, (3, 0)),  # 0.005 <= 0.0125, 0.01 <= 0.0166…, 0.03 > 0.025
        ([0.01, 0.02, 0.03], 0.05, (0, 1, 2)),  # 0.01 <= 0.0166…, 0.02 <= 0.025, 0.03 <= 0.05
        ([0.02, 0.02, 0.02], 0.05, ()),  # 0.02 > 0.0166…, though each is below 0.05
        ([0.01], 0.01, (0,)),
        ([0.0100001], 0.01, ()),
        ([float("nan"), 0.5], 0.01, ()),
        ([], 0.01, ()),
    ],
)
def test_holm_steps_down_as_by_hand(p_values, level, rejected):
    assert holm(p_values, level) == rejected


def test_a_chi_square_is_judged_on_both_sides():
    # With two degrees of freedom the upper tail is exp(-x/2).
    assert chi_square("x", 10, 2).p == pytest.approx(2 * exp(-5))
    assert chi_square("x", 0.01, 2).p == pytest.approx(2 * (1 - exp(-0.005)))
    assert chi_square("x", 2 * np.log(2), 2).p == pytest.approx(1)


def test_a_sum_is_judged_on_both_sides():
    assert normal("x", 1.959963985).p == normal("x", -1.959963985).p == pytest.approx(0.05)
    assert normal("x", 0).p == 1


def test_only_too_many_of_what_is_rare_fail():
    assert poisson_excess("x", 0, 1e-6).p == 1
    assert poisson_excess("x", 1, 1e-6).p == pytest.approx(1e-6)
    assert (poisson_excess("x", 0, 0).p, poisson_excess("x", 1, 0).p) == (1, 0)


def test_rare_cells_are_counted_together():
    assert [sorted(group) for group in pooled(np.array([50.0, 3, 1, 20, 2]))] == [[3], [0], [1, 2, 4]]
    assert [sorted(group) for group in pooled(np.array([50.0, 1, 6]))] == [[0], [1, 2]]
    assert pooled(np.array([1.0, 2])) == []


def test_goodness_of_fit_by_hand():
    # (30 - 25)²/25 + (20 - 25)²/25 + (50 - 50)²/50 = 2, and exp(-1) is the tail.
    found = goodness("x", np.array([30, 20, 50]), np.array([0.25, 0.25, 0.5]))
    assert found is not None
    assert (found.statistic, found.law) == (pytest.approx(2), "chi-square(2)")
    assert found.p == pytest.approx(2 * exp(-1))
    assert goodness("x", np.array([3, 1]), np.array([0.5, 0.5])) is None


def test_uniform_p_values_are_told_from_others():
    ranks = np.arange(1, 101) / 101
    assert even("x", list(ranks)).p > 0.99
    assert even("x", list(ranks**2)).p < 1e-4

"""What every statistic of the battery comes down to: a value, its law under a fair shuffle, and how unlikely it is."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats

LEAST_EXPECTED = 5.0
"""Cells in which a fair shuffle would put less on average are counted together: the chi-square law needs that many."""

Counts = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Outcome:
    """One test of a run: its name, its statistic, the law of that under a fair shuffle, and the p-value.

    ``keeps_rule`` says what the test's own publication makes of it, where that has a rule apart from the p-value.
    """

    name: str
    statistic: float
    law: str
    p: float
    keeps_rule: bool | None = None


def chi_square(name: str, statistic: float, freedom: float) -> Outcome:
    """Judge a chi-square statistic on both sides: a fit that is too good is a failure too."""
    lower, upper = stats.chi2.cdf(statistic, freedom), stats.chi2.sf(statistic, freedom)
    return Outcome(name, float(statistic), f"chi-square({freedom:g})", _both_sides(float(lower), float(upper)))


def normal(name: str, statistic: float) -> Outcome:
    """Judge a standardised sum on both sides."""
    return Outcome(name, float(statistic), "normal(0, 1)", min(1.0, 2 * float(stats.norm.sf(abs(statistic)))))


def poisson_excess(name: str, count: int, mean: float) -> Outcome:
    """Judge a count of what should hardly ever happen: only too many are a failure."""
    return Outcome(name, float(count), f"Poisson({mean:.3g})", float(stats.poisson.sf(count - 1, mean)))


def even(name: str, p_values: Sequence[float]) -> Outcome:
    """Judge by Kolmogorov and Smirnov whether p-values are uniform."""
    found = stats.kstest(p_values, "uniform")
    return Outcome(name, float(found.statistic), f"Kolmogorov-Smirnov of {len(p_values)}", float(found.pvalue))


def goodness(name: str, observed: Counts, chances: Floats) -> Outcome | None:
    """Judge counts of kinds against their chances, rare kinds together; None where nothing is left to compare.

    **Shapes** the chances sum to one, in the order of the counts.
    """
    groups = pooled(chances * observed.sum())
    if len(groups) < 2:
        return None
    seen = np.array([observed[group].sum() for group in groups], dtype=np.float64)
    expected = np.array([chances[group].sum() for group in groups]) * observed.sum()
    return chi_square(name, float(((seen - expected) ** 2 / expected).sum()), len(groups) - 1)


def pooled(expected: Floats) -> list[NDArray[np.intp]]:
    """Group kinds so that each group is expected at least ``LEAST_EXPECTED`` times: the rarest ones are put together."""
    order, rare = np.argsort(expected, kind="stable"), 0
    while rare < len(order) and (
        expected[order[rare]] < LEAST_EXPECTED or (rare and expected[order[:rare]].sum() < LEAST_EXPECTED)
    ):
        rare += 1
    groups = [np.array([kind], dtype=np.intp) for kind in order[rare:]]
    return groups if expected[order[:rare]].sum() < LEAST_EXPECTED else [*groups, order[:rare]]


def _both_sides(lower: float, upper: float) -> float:
    return min(1.0, 2 * min(lower, upper))

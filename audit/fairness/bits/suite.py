"""All fifteen tests over many sequences, judged as SP 800-22, 4.2 says: how many passed, and are the p-values even?"""

from collections.abc import Callable, Iterable, Iterator
from math import sqrt

import numpy as np
from scipy import stats

from audit.fairness.bits import excursions, patterns, structure, sums
from audit.fairness.bits.sums import Bits
from audit.fairness.laws import Outcome

LEVEL = 0.01
BITS = 1_000_000
"""Of a sequence."""
LEAST_UNIFORMITY = 0.0001


def p_values(bits: Bits) -> Iterator[tuple[str, float]]:
    """Yield the p-values of one sequence with their names; 188 of them, or 162 where the walk has too few cycles."""
    yield "frequency", sums.frequency(bits)
    yield "block frequency", sums.block_frequency(bits)
    yield from zip(("cumulative sums forward", "cumulative sums backward"), sums.cumulative_sums(bits), strict=True)
    yield "runs", sums.runs(bits)
    yield "longest run", sums.longest_run(bits)
    yield "matrix rank", structure.matrix_rank(bits)
    yield "spectral", structure.spectral(bits)
    yield from ((f"template {template}", p) for template, p in patterns.non_overlapping(bits))
    yield "overlapping template", patterns.overlapping(bits)
    yield "universal", patterns.universal(bits)
    yield "approximate entropy", patterns.approximate_entropy(bits)
    yield from ((f"excursions to {state}", p) for state, p in excursions.excursions(bits))
    yield from ((f"excursions variant {state}", p) for state, p in excursions.variants(bits))
    yield from zip(("serial", "serial, second difference"), patterns.serial(bits), strict=True)
    yield "linear complexity", structure.linear_complexity(bits)


def raw_bits(sequences: Iterable[Bits], progress: Callable[[int], None] = lambda done: None) -> Iterator[Outcome]:
    """Judge raw bits: for each test the share of sequences that passed at 0.01, and whether its p-values are uniform."""
    found: dict[str, list[float]] = {}
    for done, bits in enumerate(sequences, start=1):
        for name, p in p_values(bits):
            found.setdefault(name, []).append(p)
        progress(done)
    for name, values in found.items():
        yield proportion(f"{name}: share passed", values)
        yield uniformity(f"{name}: p-values even", values)


def proportion(name: str, values: list[float]) -> Outcome:
    """Judge how many sequences passed; the publication's rule allows 0.99 ± 3·sqrt(0.99·0.01/m)."""
    count, passed = len(values), sum(p >= LEVEL for p in values)
    least = least_share(count)
    p = float(stats.binom.sf(count - passed - 1, count, LEVEL))
    return Outcome(name, passed / count, f"at least {least:.4f} of {count}", p, passed / count >= least)


def least_share(count: int) -> float:
    """Return the least share of sequences that must pass by the publication's rule."""
    return 1 - LEVEL - 3 * sqrt((1 - LEVEL) * LEVEL / count)


def uniformity(name: str, values: list[float]) -> Outcome:
    """Judge whether p-values are uniform, in ten classes; the publication's rule asks for 0.0001 or more."""
    seen = np.bincount(np.minimum((np.array(values) * 10).astype(np.int64), 9), minlength=10)
    expected = len(values) / 10
    statistic = float(((seen - expected) ** 2 / expected).sum())
    p = sums.chi_square_tail(statistic, 9)
    return Outcome(name, statistic, "chi-square(9)", p, p >= LEAST_UNIFORMITY)

"""Tests of the walk of ones up and zeros down between its returns to zero (SP 800-22, 2.14 and 2.15)."""

from collections.abc import Iterator
from math import erfc, sqrt

import numpy as np
from numpy.typing import NDArray

from audit.fairness.bits.sums import Bits, chi_square_tail

STATES = (-4, -3, -2, -1, 1, 2, 3, 4)
VARIANT_STATES = (*range(-9, 0), *range(1, 10))
LEAST_CYCLES = 500
MOST_VISITS = 5


def excursions(bits: Bits, least_cycles: int = LEAST_CYCLES) -> Iterator[tuple[int, float]]:
    """2.14: each state is visited as often as it should be between two zeros; nothing where the zeros are too few."""
    walk, cycle, cycles = _walked(bits)
    if cycles < least_cycles:
        return
    for state in STATES:
        visits = np.bincount(cycle[walk == state], minlength=cycles)
        seen = np.bincount(np.minimum(visits, MOST_VISITS), minlength=MOST_VISITS + 1)
        expected = cycles * visits_law(state)
        yield state, chi_square_tail(float(((seen - expected) ** 2 / expected).sum()), MOST_VISITS)


def visits_law(state: int) -> NDArray[np.float64]:
    """Return the chances of 0, 1, … and of five or more visits to a state."""
    stay = 1 - 1 / (2 * abs(state))
    between = [(1 - stay) ** 2 * stay ** (times - 1) for times in range(1, MOST_VISITS)]
    return np.array([stay, *between, (1 - stay) * stay ** (MOST_VISITS - 1)])


def variants(bits: Bits, least_cycles: int = LEAST_CYCLES) -> Iterator[tuple[int, float]]:
    """2.15: so it is over the whole walk."""
    walk, _, cycles = _walked(bits)
    if cycles < least_cycles:
        return
    for state in VARIANT_STATES:
        visits = int((walk == state).sum())
        yield state, erfc(abs(visits - cycles) / sqrt(2 * cycles * (4 * abs(state) - 2)))


def _walked(bits: Bits) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
    """Return the walk, which cycle each of its places is in, and how many cycles there are; the last one may stop early."""
    walk = np.append(np.cumsum(2 * bits.astype(np.int64) - 1), 0)
    zeros = walk == 0
    if len(walk) > 1 and walk[-2] == 0:
        zeros[-1] = False
    cycle = np.cumsum(zeros) - zeros
    return walk, cycle, int(zeros.sum())

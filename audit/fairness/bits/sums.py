"""Tests of how many ones there are, and how they run on (SP 800-22, 2.1 to 2.4 and 2.13)."""

from math import erfc, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy import special, stats

Bits = NDArray[np.uint8]

BLOCK = 128
_RUNS = (
    (750_000, 10_000, 10, (0.0882, 0.2092, 0.2483, 0.1933, 0.1208, 0.0675, 0.0727)),
    (6_272, 128, 4, (0.1174, 0.2430, 0.2493, 0.1752, 0.1027, 0.1124)),
    (128, 8, 1, (0.2148, 0.3672, 0.2305, 0.1875)),
)
"""From so many bits on: the block's size, the longest run that the first class still holds, and the chances of the classes."""


def chi_square_tail(statistic: float, freedom: float) -> float:
    """Return the chance that a chi-square is at least so great: the publication's igamc(freedom/2, statistic/2)."""
    return float(special.gammaincc(freedom / 2, statistic / 2))


def frequency(bits: Bits) -> float:
    """2.1: ones and zeros are equally many."""
    return erfc(abs(2 * int(bits.sum()) - len(bits)) / sqrt(2 * len(bits)))


def block_frequency(bits: Bits, block: int = BLOCK) -> float:
    """2.2: so they are in each block."""
    shares = bits[: len(bits) // block * block].reshape(-1, block).mean(axis=1)
    return chi_square_tail(4 * block * float(((shares - 0.5) ** 2).sum()), len(shares))


def runs(bits: Bits) -> float:
    """2.3: a bit is followed by its like half of the time; zero where ``frequency`` has failed already."""
    share = float(bits.mean())
    if abs(share - 0.5) >= 2 / sqrt(len(bits)):
        return 0.0
    changes = 1 + int(np.count_nonzero(bits[1:] != bits[:-1]))
    even = share * (1 - share)
    return erfc(abs(changes - 2 * len(bits) * even) / (2 * sqrt(2 * len(bits)) * even))


def longest_run(bits: Bits) -> float:
    """2.4: the longest run of ones in a block is as long as it should be."""
    _, block, least, chances = next(each for each in _RUNS if len(bits) >= each[0])
    rows = bits[: len(bits) // block * block].reshape(-1, block)
    longest, run = np.zeros(len(rows), dtype=np.int64), np.zeros(len(rows), dtype=np.int64)
    for column in np.ascontiguousarray(rows.T):
        run = (run + 1) * column
        np.maximum(longest, run, out=longest)
    seen = np.bincount(np.clip(longest, least, least + len(chances) - 1) - least, minlength=len(chances))
    expected = len(rows) * np.array(chances)
    return chi_square_tail(float(((seen - expected) ** 2 / expected).sum()), len(chances) - 1)


def cumulative_sums(bits: Bits) -> tuple[float, float]:
    """2.13: the walk of ones up and zeros down does not stray too far, forward and backward."""
    steps = 2 * bits.astype(np.int64) - 1
    return _stray(steps), _stray(steps[::-1])


def _stray(steps: NDArray[np.int64]) -> float:
    count = len(steps)
    far = int(np.abs(np.cumsum(steps)).max())
    root = sqrt(count)
    first = np.arange(int((-count / far + 1) / 4), int((count / far - 1) / 4) + 1)
    second = np.arange(int((-count / far - 3) / 4), int((count / far - 1) / 4) + 1)
    inner = stats.norm.cdf((4 * first + 1) * far / root) - stats.norm.cdf((4 * first - 1) * far / root)
    outer = stats.norm.cdf((4 * second + 3) * far / root) - stats.norm.cdf((4 * second + 1) * far / root)
    return float(1 - inner.sum() + outer.sum())

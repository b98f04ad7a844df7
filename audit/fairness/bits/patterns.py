"""Tests of which short patterns come how often (SP 800-22, 2.7 to 2.9, 2.11 and 2.12)."""

from collections.abc import Iterator
from functools import cache
from math import erfc, log, sqrt

import numpy as np
from numpy.typing import NDArray

from audit.fairness.bits.sums import Bits, chi_square_tail

TEMPLATE = 9
TEMPLATE_BLOCKS = 8
OVERLAPPING_BLOCK = 1_032
OVERLAPPING = (0.364091, 0.185659, 0.139381, 0.100571, 0.070432, 0.139865)
_UNIVERSAL = {7: (6.1962507, 3.125), 6: (5.2177052, 2.954)}
"""By the length of a word: the mean and variance of the logarithm of how long ago it came last."""
SERIAL, ENTROPY = 16, 10


@cache
def templates(length: int = TEMPLATE) -> tuple[int, ...]:
    """Return the patterns of so many bits that cannot overlap themselves, first bit highest."""
    texts = [f"{value:0{length}b}" for value in range(2**length)]
    return tuple([int(t, 2) for t in texts if all(t[cut:] != t[:-cut] for cut in range(1, length))])


def windows(bits: Bits, length: int) -> NDArray[np.int64]:
    """Return the value of the pattern that begins at each place, along the last axis."""
    count = bits.shape[-1] - length + 1
    found = np.zeros((*bits.shape[:-1], count), dtype=np.int64)
    for at in range(length):
        found <<= 1
        found |= bits[..., at : at + count]
    return found


def non_overlapping(bits: Bits, length: int = TEMPLATE, blocks: int = TEMPLATE_BLOCKS) -> Iterator[tuple[str, float]]:
    """2.7: each template that cannot overlap itself comes as often as it should; yield its bits and its p-value."""
    size = len(bits) // blocks
    found = windows(bits[: size * blocks].reshape(blocks, size), length)
    seen = np.stack([np.bincount(row, minlength=2**length) for row in found])
    mean = (size - length + 1) / 2**length
    variance = size * (1 / 2**length - (2 * length - 1) / 2 ** (2 * length))
    statistics = ((seen - mean) ** 2 / variance).sum(axis=0)
    for template in templates(length):
        yield f"{template:0{length}b}", chi_square_tail(float(statistics[template]), blocks)


def overlapping(bits: Bits) -> float:
    """2.8: nine ones in a row come in blocks as often as they should, overlapping ones each for itself."""
    seen = overlapping_counts(bits)
    expected = seen.sum() * np.array(OVERLAPPING)
    return chi_square_tail(float(((seen - expected) ** 2 / expected).sum()), len(OVERLAPPING) - 1)


def overlapping_counts(bits: Bits) -> NDArray[np.int64]:
    """Count the blocks by how often the template comes in them, five times and more together."""
    rows = bits[: len(bits) // OVERLAPPING_BLOCK * OVERLAPPING_BLOCK].reshape(-1, OVERLAPPING_BLOCK)
    times = (windows(rows, TEMPLATE) == 2**TEMPLATE - 1).sum(axis=1)
    return np.bincount(np.minimum(times, len(OVERLAPPING) - 1), minlength=len(OVERLAPPING)).astype(np.int64)


def universal(bits: Bits) -> float:
    """2.9, Maurer: how long ago each word came last tells how far the bits can be compressed."""
    length = 7 if len(bits) >= 904_960 else 6
    mean, variance = _UNIVERSAL[length]
    words = windows(bits, length)[::length]
    first = 10 * 2**length
    order = np.argsort(words, kind="stable")
    last = np.full(len(words), -1, dtype=np.int64)
    same = words[order[1:]] == words[order[:-1]]
    last[order[1:][same]] = order[:-1][same]
    count = len(words) - first
    found = float(np.log2((np.arange(len(words)) - last)[first:]).mean())
    factor = 0.7 - 0.8 / length + (4 + 32 / length) * count ** (-3 / length) / 15
    return erfc(abs(found - mean) / (sqrt(2) * factor * sqrt(variance / count)))


def serial(bits: Bits, length: int = SERIAL) -> tuple[float, float]:
    """2.11: all patterns of a length come equally often, the sequence taken as a ring; two p-values."""
    longest, middle, shortest = (_unevenness(bits, length - less) for less in range(3))
    first, second = longest - middle, longest - 2 * middle + shortest
    return chi_square_tail(first, 2 ** (length - 1)), chi_square_tail(second, 2 ** (length - 2))


def _unevenness(bits: Bits, length: int) -> float:
    if length == 0:
        return 0.0
    seen = _ring(bits, length).astype(np.float64)
    return float((seen**2).sum() * 2**length / len(bits) - len(bits))


def approximate_entropy(bits: Bits, length: int = ENTROPY) -> float:
    """2.12: patterns of one length tell nothing of the next bit."""
    shares = [_ring(bits, each) / len(bits) for each in (length, length + 1)]
    shorter, longer = (float((share[share > 0] * np.log(share[share > 0])).sum()) for share in shares)
    return chi_square_tail(2 * len(bits) * (log(2) - (shorter - longer)), 2**length)


def _ring(bits: Bits, length: int) -> NDArray[np.int64]:
    return np.bincount(windows(np.append(bits, bits[: length - 1]), length), minlength=2**length).astype(np.int64)

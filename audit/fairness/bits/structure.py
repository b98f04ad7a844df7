"""Tests of what bits have to do with bits far away: linear dependence and period (SP 800-22, 2.5, 2.6 and 2.10)."""

from math import erfc, exp, log, sqrt

import numpy as np
from numpy.typing import NDArray

from audit.fairness.bits.sums import Bits, chi_square_tail

SIDE = 32
COMPLEXITY_BLOCK = 500
RANKS = (0.2887880952, 0.5775761902, 0.1336357146)
_COMPLEXITIES = (1 / 96, 1 / 32, 1 / 8, 1 / 2, 1 / 4, 1 / 16, 1 / 48)


def matrix_rank(bits: Bits) -> float:
    """2.5: matrices of 32 by 32 bits have full rank, one less, or lower, as often as they should."""
    matrices = bits[: len(bits) // SIDE**2 * SIDE**2].reshape(-1, SIDE, SIDE)
    ranks = binary_ranks(matrices)
    seen = np.array([(ranks == SIDE).sum(), (ranks == SIDE - 1).sum(), (ranks < SIDE - 1).sum()])
    expected = len(matrices) * np.array(RANKS)
    return exp(-float(((seen - expected) ** 2 / expected).sum()) / 2)


def binary_ranks(matrices: Bits) -> NDArray[np.int64]:
    """Return the ranks of square matrices of bits, with sums modulo 2."""
    count, side, _ = matrices.shape
    rows = (matrices.astype(np.uint64) << np.arange(side, dtype=np.uint64)).sum(axis=2, dtype=np.uint64)
    ranks = np.zeros(count, dtype=np.int64)
    every, places = np.arange(count), np.arange(side)
    for column in range(side):
        has = ((rows >> np.uint64(column)) & np.uint64(1)).astype(bool) & (places >= ranks[:, None])
        found = has.any(axis=1)
        pivot, target = has.argmax(axis=1)[found], ranks[found]
        which = every[found]
        chosen = rows[which, pivot]
        rows[which, pivot] = rows[which, target]
        rows[which, target] = chosen
        clear = ((rows[which] >> np.uint64(column)) & np.uint64(1)).astype(bool) & (places > target[:, None])
        rows[which] ^= np.where(clear, chosen[:, None], np.uint64(0))
        ranks[found] += 1
    return ranks


def spectral(bits: Bits) -> float:
    """2.6: the discrete Fourier transform shows no period: 95 % of its peaks stay under the limit."""
    count = len(bits)
    peaks = np.abs(np.fft.rfft(2.0 * bits - 1.0))[: count // 2]
    low = int((peaks < sqrt(count * log(1 / 0.05))).sum())
    return erfc(abs((low - 0.95 * count / 2) / sqrt(count * 0.95 * 0.05 / 4)) / sqrt(2))


def linear_complexity(bits: Bits, block: int = COMPLEXITY_BLOCK) -> float:
    """2.10: the shortest shift register that makes a block is as long as it should be."""
    found = complexities(bits[: len(bits) // block * block].reshape(-1, block))
    sign = (-1) ** block
    mean = block / 2 + (9 - sign) / 36 - (block / 3 + 2 / 9) / 2.0**block
    classes = np.clip(np.ceil(sign * (found - mean) + 2 / 9 + 2.5), 0, len(_COMPLEXITIES) - 1).astype(np.int64)
    seen = np.bincount(classes, minlength=len(_COMPLEXITIES))
    expected = len(found) * np.array(_COMPLEXITIES)
    return chi_square_tail(float(((seen - expected) ** 2 / expected).sum()), len(_COMPLEXITIES) - 1)


def complexities(blocks: Bits) -> NDArray[np.int64]:
    """Return the linear complexity of each block, by the algorithm of Berlekamp and Massey on all of them at once.

    **Rule** Polynomials are rows of 64-bit words, lowest power first; ``past`` holds the bits so far, the newest first.
    """
    count, size = blocks.shape
    words = size // 64 + 1
    current = np.zeros((count, words), dtype=np.uint64)
    current[:, 0] = 1
    former, past = current.copy(), np.zeros_like(current)
    length = np.zeros(count, dtype=np.int64)
    for place in range(size):
        past = _shifted(past)
        past[:, 0] |= blocks[:, place].astype(np.uint64)
        former = _shifted(former)
        differs = np.bitwise_count(current & past).sum(axis=1) % 2 == 1
        grows = differs & (2 * length <= place)
        before = current[grows]
        current ^= np.where(differs[:, None], former, np.uint64(0))
        former[grows] = before
        length[grows] = place + 1 - length[grows]
    return length


def _shifted(polynomials: NDArray[np.uint64]) -> NDArray[np.uint64]:
    moved = polynomials << np.uint64(1)
    moved[:, 1:] |= polynomials[:, :-1] >> np.uint64(63)
    return moved

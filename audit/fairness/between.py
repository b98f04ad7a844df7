"""Statistics between decks: does one tell anything of the next, and does one come again?"""

from collections.abc import Iterator
from math import factorial, sqrt

import numpy as np

from audit.fairness.decks import Orders
from audit.fairness.laws import LEAST_EXPECTED, Outcome, chi_square, normal, poisson_excess
from audit.fairness.within import descents, descents_law

LAGS = range(1, 11)
RARE = 1e-3
"""Repeated decks are counted where a fair shuffle would give fewer than so many."""
REPEATED = "repeated decks"
BETWEEN_NAMES = ("top card by the next deck's", *(f"descents against those {lag} decks on" for lag in LAGS))
"""Every test of the decks' order, however few there are; and apart from it the look for repeated ones, which any two allow."""


def between_decks(orders: Orders) -> Iterator[Outcome]:
    """Judge the decks in the order in which they were made."""
    decks, items = orders.shape
    if decks > LEAST_EXPECTED * items**2:
        yield top_cards(orders)
    if decks > 10 * max(LAGS):
        yield from lags(orders)


def top_cards(orders: Orders) -> Outcome:
    """Count which top card follows which in the next deck; independence is chi-square((n - 1)²)."""
    items = orders.shape[1]
    now, then = orders[:-1, 0].astype(np.int64), orders[1:, 0]
    table = np.bincount(now * items + then, minlength=items * items).reshape(items, items)
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    reached = expected > 0
    freedom = float(np.count_nonzero(table.sum(axis=1)) - 1) * float(np.count_nonzero(table.sum(axis=0)) - 1)
    return chi_square(BETWEEN_NAMES[0], ((table - expected)[reached] ** 2 / expected[reached]).sum(), freedom)


def lags(orders: Orders) -> Iterator[Outcome]:
    """Correlate each deck's descents with those of the 1st to 10th deck after it."""
    mean, variance = descents_law(orders.shape[1])
    centred = (descents(orders) - mean) / sqrt(variance)
    for lag, name in zip(LAGS, BETWEEN_NAMES[1:], strict=True):
        yield normal(name, float(centred[:-lag] @ centred[lag:]) / sqrt(len(centred) - lag))


def repeats(orders: Orders) -> Outcome:
    """Count the decks that were there before."""
    whole = np.ascontiguousarray(orders).view(np.dtype((np.void, orders.shape[1] * orders.itemsize)))
    return poisson_excess(REPEATED, len(orders) - len(np.unique(whole)), repeats_expected(*orders.shape))


def repeats_expected(decks: int, items: int) -> float:
    """Return how many pairs of equal decks a fair shuffle makes on average."""
    return decks * (decks - 1) / 2 / factorial(items)

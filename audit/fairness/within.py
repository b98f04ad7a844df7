"""Statistics within decks: where cards lie, who lies beside whom, and how each order stands to that of a fresh pack.

A deck is a row of item numbers, 0 to n - 1, the first dealt first. Laws are exact in mean and variance for every n.
"""

from collections.abc import Iterator
from math import comb, factorial, sqrt

import numpy as np

from audit.fairness.decks import Orders
from audit.fairness.laws import LEAST_EXPECTED, Counts, Floats, Outcome, chi_square, goodness, normal

MOST_ORDERS_OF = 6
"""Packs of up to so many items are judged by counting every order; the other statistics are for greater ones."""
FIXED_POINT_BINS = 6
EVERY_ORDER = "every order"
RISING = "descents of the inverse (rising sequences)"
CORRELATION = "rank correlation of card and position"


def within_names(items: int) -> tuple[str, ...]:
    """Name every test of decks of so many items, one by one, however few there are."""
    if items <= MOST_ORDERS_OF:
        return (EVERY_ORDER,)
    return "card by position", "ordered neighbours", "fixed points", "descents", RISING, CORRELATION, "inversions", "cycles"


def within_decks(orders: Orders) -> Iterator[Outcome]:
    """Judge the decks one by one; a statistic is left out where the sample is too small for its law."""
    decks, items = orders.shape
    if items <= MOST_ORDERS_OF:
        yield from _every_order(orders)
        return
    if decks >= LEAST_EXPECTED * items:
        yield card_by_position(orders)
        yield neighbours(orders)
    found = fixed_points(orders)
    if found is not None:
        yield found
    inverse = np.argsort(orders, axis=1).astype(np.uint8)
    yield _mean("descents", descents(orders), *descents_law(items))
    yield _mean(RISING, descents(inverse), *descents_law(items))
    yield rank_correlation(orders)
    yield _mean("inversions", inversions(orders), *inversions_law(items))
    yield _mean("cycles", cycles(orders), *cycles_law(items))


def card_by_position(orders: Orders) -> Outcome:
    """Count which card lies where.

    **Rule** Each deck fills every row and column of the table once, so that X² times (n - 1)/n follows chi-square((n - 1)²).
    """
    decks, items = orders.shape
    table = np.stack([np.bincount(orders[:, place], minlength=items) for place in range(items)])
    pearson = ((table - decks / items) ** 2).sum() / (decks / items)
    return chi_square("card by position", pearson * (items - 1) / items, (items - 1) ** 2)


def neighbours(orders: Orders) -> Outcome:
    """Count which card follows which.

    **Rule** X² over the n(n - 1) ordered pairs has mean (n - 1)²; its covariance has the eigenvalues 1, n(n - 3)/2 times,
    (n + 1)/(n - 1), (n - 1)(n - 2)/2 times, and 1/(n - 1), 2(n - 1) times. The chi-square law is scaled to that variance.
    """
    decks, items = orders.shape
    pairs = np.zeros(items * items, dtype=np.int64)
    for place in range(items - 1):
        pairs += np.bincount(orders[:, place].astype(np.int64) * items + orders[:, place + 1], minlength=items * items)
    table = pairs.reshape(items, items)
    off = ~np.eye(items, dtype=bool)
    pearson = ((table[off] - decks / items) ** 2).sum() / (decks / items)
    mean, half_variance = neighbours_law(items)
    scale = half_variance / mean
    return chi_square("ordered neighbours", pearson / scale, mean / scale)


def neighbours_law(items: int) -> tuple[float, float]:
    """Return the mean and half the variance of the neighbours' X²."""
    anti = (items + 1) / (items - 1)
    mean = (items - 1) ** 2
    half = items * (items - 3) / 2 + anti**2 * (items - 1) * (items - 2) / 2 + 2 / (items - 1)
    return mean, half


def fixed_points(orders: Orders) -> Outcome | None:
    """Count the decks by how many cards lie where they lie in a fresh pack; for 52 cards that is Poisson(1)."""
    items = orders.shape[1]
    fixed = (orders == np.arange(items, dtype=orders.dtype)).sum(axis=1)
    seen: Counts = np.bincount(np.minimum(fixed, FIXED_POINT_BINS - 1), minlength=FIXED_POINT_BINS).astype(np.int64)
    return goodness("fixed points", seen, fixed_points_law(items))


def fixed_points_law(items: int) -> Floats:
    """Return the chances of 0, 1, … and, last, of all the more fixed points in a random order."""
    exact = [
        comb(items, fixed) * sum((-1) ** k * factorial(items - fixed) // factorial(k) for k in range(items - fixed + 1))
        for fixed in range(FIXED_POINT_BINS - 1)
    ]
    chances = [count / factorial(items) for count in exact]
    return np.array([*chances, 1 - sum(chances)])


def descents(orders: Orders) -> Counts:
    """Count in each deck the cards that are lower than the one before."""
    return np.asarray((orders[:, 1:] < orders[:, :-1]).sum(axis=1), dtype=np.int64)


def descents_law(items: int) -> tuple[float, float]:
    """Return the mean and variance of a deck's descents."""
    return (items - 1) / 2, (items + 1) / 12


def rank_correlation(orders: Orders) -> Outcome:
    """Correlate cards with their positions, by Spearman: in one deck mean 0 and variance 1/(n - 1)."""
    decks, items = orders.shape
    centred = np.arange(items) - (items - 1) / 2
    sums = (orders.sum(axis=0, dtype=np.float64) - decks * (items - 1) / 2) @ centred
    correlations = sums / (centred @ centred)
    return normal(CORRELATION, correlations * sqrt((items - 1) / decks))


def inversions(orders: Orders) -> Counts:
    """Count in each deck the pairs of cards of which the higher one lies first."""
    found = np.zeros(len(orders), dtype=np.int64)
    for place in range(orders.shape[1] - 1):
        found += (orders[:, place + 1 :] < orders[:, place : place + 1]).sum(axis=1)
    return found


def inversions_law(items: int) -> tuple[float, float]:
    """Return the mean and variance of a deck's inversions."""
    pairs = items * (items - 1)
    return pairs / 4, pairs * (2 * items + 5) / 72


def cycles(orders: Orders) -> Counts:
    """Count the cycles of each deck, as a permutation of a fresh pack's places."""
    items = orders.shape[1]
    least, step = np.broadcast_to(np.arange(items, dtype=orders.dtype), orders.shape), orders
    for _ in range(items.bit_length()):
        least, step = np.minimum(least, np.take_along_axis(least, step, 1)), np.take_along_axis(step, step, 1)
    return np.asarray((least == np.arange(items)).sum(axis=1), dtype=np.int64)


def cycles_law(items: int) -> tuple[float, float]:
    """Return the mean and variance of a deck's cycles."""
    mean = sum(1 / size for size in range(1, items + 1))
    return mean, mean - sum(1 / size**2 for size in range(1, items + 1))


def _every_order(orders: Orders) -> Iterator[Outcome]:
    decks, items = orders.shape
    if decks < LEAST_EXPECTED * factorial(items):
        return
    numbers = orders.astype(np.int64) @ (items ** np.arange(items))
    seen = np.unique(numbers, return_counts=True)[1]
    counts = np.zeros(factorial(items), dtype=np.int64)
    counts[: len(seen)] = seen
    found = goodness(EVERY_ORDER, counts, np.full(len(counts), 1 / len(counts)))
    if found is not None:
        yield found


def _mean(name: str, values: Counts, mean: float, variance: float) -> Outcome:
    return normal(name, float(values.sum() - len(values) * mean) / sqrt(len(values) * variance))

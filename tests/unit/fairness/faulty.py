"""Shuffles with a fault, each as somebody has once built it: what the audit must catch, and what shows it.

Rows are decks, the first dealt first. Chance comes from NumPy with a seed: the fault is in what is made of it.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from math import ceil, log, sqrt

import numpy as np
from numpy.random import Generator, default_rng
from numpy.typing import NDArray

from audit.fairness.decks import Orders
from audit.fairness.enumeration import ShuffleByWords, index_of
from games.core.shuffle import Seed

CARDS = 52


def _swapped(chance: Generator, decks: int, chosen: Callable[[int], NDArray[np.int64]]) -> Orders:
    """Go from the last card down, as casino-shuffle/1 does, and swap each with the one that was chosen."""
    orders = np.tile(np.arange(CARDS, dtype=np.uint8), (decks, 1))
    every = np.arange(decks)
    for place in range(CARDS - 1, 0, -1):
        other = chosen(place)
        moved = orders[every, other]
        orders[every, other] = orders[:, place]
        orders[:, place] = moved
    return orders


def fair(chance: Generator, decks: int) -> Orders:
    """The control: no fault."""
    return _swapped(chance, decks, lambda place: chance.integers(0, place + 1, decks))


def swap_with_any(chance: Generator, decks: int) -> Orders:
    """Swap each card with any position, not only with those still to be filled."""
    return _swapped(chance, decks, lambda place: chance.integers(0, CARDS, decks))


def never_stays(chance: Generator, decks: int) -> Orders:
    """Off by one: the card itself is never chosen, so that none ever stays where it was."""
    return _swapped(chance, decks, lambda place: chance.integers(0, place, decks))


def byte_modulo(chance: Generator, decks: int) -> Orders:
    """Take a random byte modulo the number of places."""
    return _swapped(chance, decks, lambda place: chance.integers(0, 2**8, decks) % (place + 1))


def word_modulo(chance: Generator, decks: int) -> Orders:
    """Take 16 random bits modulo the number of places."""
    return _swapped(chance, decks, lambda place: chance.integers(0, 2**16, decks) % (place + 1))


def seven_riffles(chance: Generator, decks: int) -> Orders:
    """Cut by coin tosses and riffle seven times, which is said to be enough."""
    orders = np.tile(np.arange(CARDS, dtype=np.uint8), (decks, 1))
    for _ in range(7):
        is_lower = chance.integers(0, 2, (decks, CARDS))
        comes_from = np.argsort(np.argsort(is_lower, axis=1, kind="stable"), axis=1, kind="stable")
        orders = np.take_along_axis(orders, comes_from, axis=1)
    return orders


def sorted_by_byte(chance: Generator, decks: int) -> Orders:
    """Sort by a random byte for each card, equal ones in their old order."""
    return np.argsort(chance.integers(0, 2**8, (decks, CARDS)), axis=1, kind="stable").astype(np.uint8)


def word_modulo_by_words(words: Iterator[int], items: int) -> tuple[int, ...]:
    """The same fault as ``word_modulo``, in the shape that enumeration takes: 16 bits modulo the number of places."""
    order = list(range(items))
    for place in range(items - 1, 0, -1):
        other = next(words) % (place + 1)
        order[place], order[other] = order[other], order[place]
    return tuple(order)


def swap_with_any_by_words(words: Iterator[int], items: int) -> tuple[int, ...]:
    """The same fault as ``swap_with_any``."""
    order = list(range(items))
    for place in range(items - 1, 0, -1):
        other = next(words) % items
        order[place], order[other] = order[other], order[place]
    return tuple(order)


def folding_by_words(words: Iterator[int], items: int) -> tuple[int, ...]:
    """32 bits, but what is over is folded back and not passed over."""
    return word_modulo_by_words(words, items)


def few_seeds(chance: Generator, seeds: int) -> Iterator[Seed]:
    """The right shuffle, from a server seed that is one of only so many."""
    while True:
        yield Seed("00000000-0000-4000-8000-000000000000", int(chance.integers(0, seeds)).to_bytes(32, "big"), ("",))


def chance_of(seed: int) -> Generator:
    """Chance that a number fixes."""
    return default_rng(seed)


def decks_to_show(seeds: int, chance: float = 0.99) -> int:
    """Return how many decks show by a repeated one, with this chance, that there are only so many seeds."""
    return ceil(sqrt(2 * seeds * -log(1 - chance)))


def index_counts(shuffle: ShuffleByWords, items: int, words: Iterable[int]) -> Counter[int | None]:
    """Count which item each of the words chooses first; None for words that are passed over."""
    return Counter(index_of(shuffle, items, word) for word in words)

"""How many hands share no card with another hand: inclusion and exclusion over sets of cards, for all hands at once."""

from collections.abc import Iterator
from itertools import combinations
from math import comb

import numpy as np

from games.russian_poker.mathematics.counting.hands import CARDS, Ints

MOST_TOGETHER = 5
"""Sets of more cards than a hand has are held by none."""
CHUNK = 100_000

_STARTS = [sum(comb(CARDS, smaller) for smaller in range(size)) for size in range(MOST_TOGETHER + 2)]
_PLACES = np.array([[comb(card, place) for place in range(1, MOST_TOGETHER + 1)] for card in range(CARDS)], dtype=np.float64)


class Avoiding:
    """A growing collection of hands that tells how many of them avoid the cards of any other hand.

    **Rule** For each set of at most five cards it keeps how many of its hands hold the whole set. Of those the ones that share no
    card with a hand P are the sum over all sets T within P of (-1)^|T| times those that hold T.
    """

    def __init__(self) -> None:
        self._holding = np.zeros(_STARTS[-1], dtype=np.int64)

    def add(self, hands: Ints, times: Ints | int = 1) -> None:
        """Add hands, one in each row, cards ascending; or take them away, with ``times`` negative."""
        for part in _parts(len(hands)):
            sets, _ = _sets_within(hands[part])
            counted = times if isinstance(times, int) else times[part, np.newaxis]
            np.add.at(self._holding, sets, counted)

    def count(self, others: Ints) -> Ints:
        """Return for each of the other hands how many hands of the collection avoid it."""
        return np.concatenate([np.zeros(0, dtype=np.int64), *(self._count(others[part]) for part in _parts(len(others)))])

    def _count(self, others: Ints) -> Ints:
        sets, signs = _sets_within(others)
        counts: Ints = (self._holding[sets] * signs).sum(axis=1)
        return counts


def _parts(length: int) -> Iterator[slice]:
    return (slice(start, start + CHUNK) for start in range(0, length, CHUNK))


def _sets_within(hands: Ints) -> tuple[Ints, Ints]:
    """Return the numbers of all sets of at most five cards of each hand, and the sign of each by its size."""
    weights, starts, signs = _numbering(hands.shape[1])
    places = _PLACES[hands].reshape(len(hands), -1)
    return (places @ weights).astype(np.int64) + starts, signs


def _numbering(size: int) -> tuple[Ints, Ints, Ints]:
    if size not in _NUMBERINGS:
        chosen = [each for length in range(min(size, MOST_TOGETHER) + 1) for each in combinations(range(size), length)]
        weights = np.zeros((size, MOST_TOGETHER, len(chosen)))
        for column, cards in enumerate(chosen):
            for place, card in enumerate(cards):
                weights[card, place, column] = 1
        starts = np.array([_STARTS[len(cards)] for cards in chosen])
        signs = np.array([(-1) ** len(cards) for cards in chosen])
        _NUMBERINGS[size] = weights.reshape(size * MOST_TOGETHER, -1), starts, signs
    return _NUMBERINGS[size]


_NUMBERINGS: dict[int, tuple[Ints, Ints, Ints]] = {}
"""By the size of a hand: which cards make each set, where sets of that size start, and their signs."""

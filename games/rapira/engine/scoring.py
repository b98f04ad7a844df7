"""What played cards are worth (RA-3), yellow and pink ones read to their owner's best."""

from collections.abc import Iterator, Sequence
from enum import IntEnum
from functools import lru_cache
from itertools import combinations

from games.core.cards import ACE
from games.core.ranking import RUNS
from games.rapira.engine.cards import ANY_SUIT, KINDS, ColouredCard, ranks_of

FULL = 5
"""Straights, flushes and their kin take five cards (RA-3.2), and no more are played (RA-2.1)."""


class Place(IntEnum):
    """Combinations, weakest first; the number is the place (RA-3.1)."""

    HIGH_CARD = 0
    PAIR = 1
    TWO_PAIR = 2
    THREE_OF_A_KIND = 3
    STRAIGHT = 4
    FLUSH = 5
    FULL_HOUSE = 6
    FOUR_OF_A_KIND = 7
    STRAIGHT_FLUSH = 8
    FIVE_OF_A_KIND = 9
    FLUSH_HOUSE = 10
    RAPIRA = 11

    @property
    def code(self) -> str:
        """The combination's name in JSON."""
        return self.name.lower()


Strength = tuple[int, ...]
"""A place, then the ranks that the played cards count as, in the order in which they compare: the greater tuple is stronger.

The combination's cards come first, then those outside it (RA-3.3). A low ace counts 1. A missing side card is lowest, as a tuple
is lower than one that goes on.
"""
NOTHING: Strength = (-1,)
"""An empty hand: below every other, though its place counts as 0 (RA-2.3)."""

_FLUSHED: tuple[tuple[Place, tuple[int, ...] | None], ...] = (
    (Place.RAPIRA, (5,)),
    (Place.FLUSH_HOUSE, (3, 2)),
    (Place.STRAIGHT_FLUSH, None),
    (Place.FOUR_OF_A_KIND, (4,)),
    (Place.FLUSH, ()),
)
_PLAIN: tuple[tuple[Place, tuple[int, ...] | None], ...] = (
    (Place.FIVE_OF_A_KIND, (5,)),
    (Place.FOUR_OF_A_KIND, (4,)),
    (Place.FULL_HOUSE, (3, 2)),
    (Place.STRAIGHT, None),
    (Place.THREE_OF_A_KIND, (3,)),
    (Place.TWO_PAIR, (2, 2)),
    (Place.PAIR, (2,)),
    (Place.HIGH_CARD, ()),
)
"""The ladders from the top, with and without a suit in common: each place with the sizes of its groups of equal cards, None for a
straight. What is not listed is worth more as something that is."""

_RANKS = tuple(ranks_of(kind) for kind in range(KINDS))


def evaluate(cards: Sequence[ColouredCard]) -> Strength:
    """Return what up to five cards are worth at best.

    **Rule** RA-3.1: the reading with the highest place counts, among these the highest by RA-3.3.
    """
    if not cards:
        return NOTHING
    total, suits = 0, ANY_SUIT
    for card in cards:
        total += card.tally
        suits &= card.suits
    return _evaluated(total, bool(suits) and len(cards) == FULL)


def place_of(strength: Strength) -> int:
    """Return the place that differences of combinations are counted from (RA-4.1)."""
    return max(strength[0], 0)


def strongest(cards: Sequence[ColouredCard]) -> tuple[int, ...]:
    """Return the positions of the strongest choice of one to five cards.

    **Rule** RA-7.1: of fully equal ones the lowest positions, lists compared from the left. One card more always makes a choice
    stronger, if only as a side card, so that only choices of the most cards are looked at.
    """
    choices = combinations(range(len(cards)), min(FULL, len(cards)))
    return max(choices, key=lambda choice: evaluate([cards[position] for position in choice]))


@lru_cache(maxsize=1 << 16)
def _evaluated(total: int, flushed: bool) -> Strength:
    """Return the strength of cards given by the sum of their tallies."""
    options = [_RANKS[kind] for kind in range(KINDS) for _ in range(total >> 3 * kind & 7)]
    holders = [0] * (ACE + 1)
    for card, ranks in enumerate(options):
        for rank in ranks:
            holders[rank] |= 1 << card
    everything = (1 << len(options)) - 1
    for place, sizes in _FLUSHED if flushed else _PLAIN:
        found = _run(holders, everything) if sizes is None else _grouped(options, holders, everything, sizes)
        if found is not None:
            return (place.value, *found)
    raise AssertionError("any card is a high card")


def _grouped(
    options: Sequence[tuple[int, ...]], holders: Sequence[int], free: int, sizes: tuple[int, ...]
) -> tuple[int, ...] | None:
    """Return the highest ranks with which the free cards make groups of these sizes, then the side cards; None if they cannot."""
    if not sizes:
        return tuple(sorted([ranks[0] for card, ranks in enumerate(options) if free >> card & 1], reverse=True))
    size = sizes[0]
    for rank in range(ACE, 1, -1):
        able = holders[rank] & free
        if able.bit_count() >= size:
            rests = [_grouped(options, holders, free ^ group, sizes[1:]) for group in _subsets(able, size)]
            found = max([rest for rest in rests if rest is not None], default=None)
            if found is not None:
                return (rank,) * size + found
    return None


def _subsets(cards: int, size: int) -> Iterator[int]:
    """Yield every set of ``size`` of the cards; each card is a bit."""
    bits = [1 << card for card in range(FULL) if cards >> card & 1]
    return map(sum, combinations(bits, size))


def _run(holders: Sequence[int], free: int) -> tuple[int, ...] | None:
    """Return the highest straight that the cards make, its low ace as 1; None if they make none."""
    if free.bit_count() < FULL:
        return None
    for run in RUNS:
        if _fills(run, holders, free):
            return run if run[-1] != ACE else (*run[:-1], 1)
    return None


def _fills(run: tuple[int, ...], holders: Sequence[int], free: int) -> bool:
    """Say whether each rank of the run can be taken by a card of its own."""
    if not run:
        return True
    able = holders[run[0]] & free
    while able:
        card = able & -able
        if _fills(run[1:], holders, free ^ card):
            return True
        able ^= card
    return False

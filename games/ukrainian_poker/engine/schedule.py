"""Which rounds a game consists of (UP-2.1)."""

from enum import StrEnum
from functools import cache
from typing import NamedTuple

MOST_CARDS = 9


class Kind(StrEnum):
    """What kind of round is played."""

    CLIMB = "climb"
    NINES = "nines"
    DESCENT = "descent"
    NO_TRUMP = "no_trump"
    """Nothing is turned (UP-2.3)."""
    BLIND = "blind"
    """Bids are shown when all are made (UP-3.2)."""
    MINIMUM = "minimum"
    """No bids; every trick costs (UP-5.2)."""
    MAXIMUM = "maximum"
    """No bids; every trick earns (UP-5.2)."""

    @property
    def has_bids(self) -> bool:
        """Whether its players announce tricks (UP-3.3)."""
        return self is not Kind.MINIMUM and self is not Kind.MAXIMUM


class Round(NamedTuple):
    """A round of the schedule: what is played, with how many cards in each hand, and whether it has bids."""

    kind: Kind
    cards: int
    has_bids: bool


@cache
def schedule(seats: int) -> tuple[Round, ...]:
    """Return the rounds of a game in order; round 1 is the first item."""
    climb = [(Kind.CLIMB, cards) for cards in range(1, MOST_CARDS)]
    nines = [(Kind.NINES, MOST_CARDS)] * seats
    descent = [(Kind.DESCENT, cards) for cards in range(MOST_CARDS - 1, 0, -1)]
    last = [(kind, MOST_CARDS) for kind in (Kind.NO_TRUMP, Kind.BLIND, Kind.MINIMUM, Kind.MAXIMUM)]
    return tuple([Round(kind, cards, kind.has_bids) for kind, cards in (*climb, *nines, *descent, *last)])

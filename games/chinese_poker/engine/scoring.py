"""What a deal gives its players (CP-2.1 to CP-3.4): the order of hands, comparisons, prizes, won positions."""

from collections.abc import Sequence
from enum import IntEnum
from functools import lru_cache
from typing import NamedTuple

from games.core.cards import ACE, Card
from games.core.ranking import HandRank, Strength, strength

Hand = tuple[Card, ...]

HAND_SIZE = 13
WIN, TIE = 2, 1
"""Points of a comparison (CP-3.1)."""
TWO_POSITIONS = 2
TWO_POSITIONS_POINTS = 1
"""Winning so many positions against an opponent gives so many points, once (CP-3.3)."""


class Position(IntEnum):
    """Where a hand is laid, in the order of opening (CP-3.4)."""

    FIRST = 0
    SECOND = 1
    THIRD = 2

    @property
    def code(self) -> str:
        """Its name in documents."""
        return POSITION_CODES[self]


POSITIONS = tuple(Position)
POSITION_CODES = ("first", "second", "third")
SIZES = (5, 5, 3)
"""Cards of each position (CP-2.1)."""
SPANS = (slice(0, 5), slice(5, 10), slice(10, 13))
"""Where the cards of each position stand in an arranged hand."""

ROYAL_FLUSH: Strength = (HandRank.STRAIGHT_FLUSH, ACE)
THREE_ACES: Strength = (HandRank.THREE_OF_A_KIND, ACE)
FIVE_CARD_PRIZES: dict[int, int] = {HandRank.STRAIGHT_FLUSH: 4, HandRank.FOUR_OF_A_KIND: 3}
PRIZES: tuple[dict[int, int], ...] = (
    {**FIVE_CARD_PRIZES},
    {**FIVE_CARD_PRIZES, HandRank.FULL_HOUSE: 1},
    {HandRank.THREE_OF_A_KIND: 2},
)
HIGHEST_PRIZES: tuple[tuple[Strength, int], ...] = ((ROYAL_FLUSH, 10), (ROYAL_FLUSH, 10), (THREE_ACES, 10))
"""The prize of each position for one hand above all (CP-3.2)."""
MOST_PRIZES = 24
"""What one player's three hands can get at most: a royal flush, a straight flush and three aces, as a pack has four aces."""

NOT_ARRANGED: Strength = ()
"""The value of cards that were not arranged in time: below every hand, and equal to none (CP-2.5)."""

value_of = lru_cache(maxsize=4096)(strength)
"""How high a hand is. It is asked for when a hand is arranged and again when it is opened."""


class Points(NamedTuple):
    """What the opening of a position gave each seat."""

    comparison: tuple[int, ...]
    prize: tuple[int, ...]
    two_positions: tuple[int, ...]

    @property
    def totals(self) -> tuple[int, ...]:
        """All of it, by seat."""
        return tuple([sum(each) for each in zip(*self, strict=True)])


def in_order(first: Hand, second: Hand, third: Hand) -> tuple[bool, bool]:
    """Say whether First is not below Second, and whether Second is not below Third (CP-2.1).

    **Rule** CP-2.3: a strength of three cards is a shorter tuple, so it is the lower one where all its ranks are equal.
    """
    middle = value_of(second)
    return value_of(first) >= middle, middle >= value_of(third)


def prize(position: Position, value: Strength) -> int:
    """Return the prize for the strength of a hand in a position (CP-3.2)."""
    highest, points = HIGHEST_PRIZES[position]
    return points if value == highest else PRIZES[position].get(value[0], 0)


def points_of(position: Position, values: Sequence[Sequence[Strength]]) -> Points:
    """Return what a position gives, from the values of the hands in it and in those before it, by position and seat.

    **Rule** CP-3.1 to CP-3.3. The point for two positions is given with the position that is the second one won.
    """
    here, before = values[position], values[:position]
    comparison, two = [0] * len(here), [0] * len(here)
    for one, mine in enumerate(here):
        for other in range(one):
            theirs = here[other]
            if mine == theirs:
                if mine:
                    comparison[one] += TIE
                    comparison[other] += TIE
                continue
            winner, loser = (one, other) if mine > theirs else (other, one)
            comparison[winner] += WIN
            if before and 1 + sum([earlier[winner] > earlier[loser] for earlier in before]) == TWO_POSITIONS:
                two[winner] += TWO_POSITIONS_POINTS
    prizes = [prize(position, value) if value else 0 for value in here]
    return Points(tuple(comparison), tuple(prizes), tuple(two))


def differences(scores: Sequence[int]) -> tuple[int, ...]:
    """Return how many points each seat wins or, below zero, loses when everybody settles with everybody (CP-5.1)."""
    total = sum(scores)
    return tuple([len(scores) * score - total for score in scores])

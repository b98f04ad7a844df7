"""What a deal gives its players (CP-2.1 to CP-3.4): the order of hands, comparisons, prizes, won positions."""

from collections.abc import Sequence
from enum import IntEnum
from typing import NamedTuple

from games.core.cards import ACE, Card
from games.core.ranking import HandRank, Strength, strength

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

Value = Strength | None
"""How high an arranged hand is; None for cards that were not arranged in time (CP-2.5)."""


class Points(NamedTuple):
    """What the opening of a position gave each seat."""

    comparison: tuple[int, ...]
    prize: tuple[int, ...]
    two_positions: tuple[int, ...]

    @property
    def totals(self) -> tuple[int, ...]:
        """All of it, by seat."""
        return tuple([sum(each) for each in zip(*self, strict=True)])


def in_order(first: Sequence[Card], second: Sequence[Card], third: Sequence[Card]) -> tuple[bool, bool]:
    """Say whether First is not below Second, and whether Second is not below Third (CP-2.1).

    **Rule** CP-2.3: a strength of three cards is a shorter tuple, so it is the lower one where all its ranks are equal.
    """
    middle = strength(second)
    return strength(first) >= middle, middle >= strength(third)


def prize(position: Position, value: Strength) -> int:
    """Return the prize for the strength of a hand in a position (CP-3.2)."""
    highest, points = HIGHEST_PRIZES[position]
    return points if value == highest else PRIZES[position].get(value[0], 0)


def points_of(position: Position, values: Sequence[Sequence[Value]]) -> Points:
    """Return what a position gives, from the values of the hands in it and in those before it, by position and seat.

    **Rule** CP-3.1 to CP-3.3. The point for two positions is given with the position that is the second one won.
    """
    here = values[position]
    seats = range(len(here))
    comparison, two = [0] * len(here), [0] * len(here)
    for one in seats:
        for other in range(one + 1, len(here)):
            winner = _winner(here, one, other)
            if winner is not None:
                comparison[winner] += WIN
                loser = one + other - winner
                won_before = sum([_winner(before, winner, loser) == winner for before in values[:position]])
                two[winner] += TWO_POSITIONS_POINTS if won_before + 1 == TWO_POSITIONS else 0
            elif here[one] is not None:
                comparison[one] += TIE
                comparison[other] += TIE
    prizes = [0 if value is None else prize(position, value) for value in here]
    return Points(tuple(comparison), tuple(prizes), tuple(two))


def _winner(values: Sequence[Value], one: int, other: int) -> int | None:
    """Return the seat with the higher hand; None for equal hands, or where neither seat has arranged one (CP-2.5)."""
    ones, others = values[one], values[other]
    if ones == others:
        return None
    return one if others is None or (ones is not None and ones > others) else other


def differences(scores: Sequence[int]) -> tuple[int, ...]:
    """Return how many points each seat wins or, below zero, loses when everybody settles with everybody (CP-5.1)."""
    total = sum(scores)
    return tuple([len(scores) * score - total for score in scores])

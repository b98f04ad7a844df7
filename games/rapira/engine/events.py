"""What happened in a game, in the order in which it happened.

A seat's own business (what it draws, discards, plays and how it uses its bonuses) is told in ``Private`` events, to nobody else
(RA-2.4); what all may know is told in events of its own.
"""

from dataclasses import dataclass
from enum import StrEnum
from operator import attrgetter
from typing import Any

from games.core.engine import Event
from games.core.events import EventWriter
from games.rapira.engine.cards import ColouredCard
from games.rapira.engine.scoring import Place


class Ending(StrEnum):
    """Why a game ended."""

    LAST_SEAT = "last_seat"
    """One seat has points (RA-1.1)."""
    LAST_CYCLE = "last_cycle"
    """The last cycle is over (RA-1.3)."""


@dataclass(frozen=True, slots=True)
class Private(Event):
    """An event that only its seat may know."""

    seat: int


@dataclass(frozen=True, slots=True)
class CycleStarted(Event):
    """Every living seat's deck was shuffled (RA-6.4)."""

    cycle: int


@dataclass(frozen=True, slots=True)
class HandStarted(Event):
    """Seats may discard and play (RA-2.1)."""

    cycle: int
    hand: int


@dataclass(frozen=True, slots=True)
class CardsDrawn(Private):
    """Cards of a seat's deck went to the end of its hand (RA-2.2)."""

    cards: tuple[ColouredCard, ...]


@dataclass(frozen=True, slots=True)
class CardsDiscarded(Private):
    """Cards of a seat's hand went to its pile; green ones brought bonuses (RA-5.1)."""

    cards: tuple[ColouredCard, ...]
    bonuses: int


@dataclass(frozen=True, slots=True)
class CardsPlayed(Private):
    """A seat played cards; red ones, and blue ones that it kept, brought bonuses (RA-5.1, RA-5.4)."""

    cards: tuple[ColouredCard, ...]
    bonuses: int


@dataclass(frozen=True, slots=True)
class SeatPlayed(Event):
    """A seat has played, without cards by itself (RA-2.3)."""

    seat: int

    @property
    def hides_origin(self) -> bool:
        """What the system plays is the strongest choice; nothing of it is known until all have played (RA-2.1, RA-7.1)."""
        return True


@dataclass(frozen=True, slots=True)
class HandShown(Event):
    """A seat's played cards were shown when all had played; an empty hand is no combination (RA-2.3, RA-2.4)."""

    seat: int
    cards: tuple[ColouredCard, ...]
    combination: Place | None
    place: int
    ranks: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class HandWon(Event):
    """These seats won the hand (RA-3.4)."""

    seats: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class PointsLost(Event):
    """A seat lost points; ``points`` are left (RA-4.1)."""

    seat: int
    points_lost: int
    points: int


@dataclass(frozen=True, slots=True)
class SeatEliminated(Event):
    """A seat has no points left (RA-4.1)."""

    seat: int


@dataclass(frozen=True, slots=True)
class BonusPhaseStarted(Event):
    """Hands and piles went back to the decks (RA-6.1)."""

    cycle: int


@dataclass(frozen=True, slots=True)
class BonusesCounted(Private):
    """A seat was told how many bonuses it has (RA-6.1)."""

    bonuses: int


@dataclass(frozen=True, slots=True)
class BonusShown(Private):
    """Eight cards were shown for a bonus; ``bonuses`` are left with this one (RA-6.2)."""

    bonuses: int
    cards: tuple[ColouredCard, ...]


@dataclass(frozen=True, slots=True)
class SuitChanged(Private):
    """Cards took a suit (RA-6.3)."""

    suit: str
    before: tuple[ColouredCard, ...]
    after: tuple[ColouredCard, ...]


@dataclass(frozen=True, slots=True)
class CardCopied(Private):
    """The left one of two cards became the right one (RA-6.3)."""

    before: tuple[ColouredCard, ...]
    after: tuple[ColouredCard, ...]


@dataclass(frozen=True, slots=True)
class ColourAdded(Private):
    """A card got a colour (RA-6.3)."""

    colour: str
    before: tuple[ColouredCard, ...]
    after: tuple[ColouredCard, ...]


@dataclass(frozen=True, slots=True)
class BonusSkipped(Private):
    """A bonus was let go (RA-6.2)."""


@dataclass(frozen=True, slots=True)
class BonusesFinished(Event):
    """A seat has no bonus left in this phase."""

    seat: int

    @property
    def hides_origin(self) -> bool:
        """Bonuses that time took would tell how many there were (RA-2.4)."""
        return True


@dataclass(frozen=True, slots=True)
class GameEnded(Event):
    """The game is over; the winners share the pot (RA-1.1 to RA-1.3)."""

    ending: Ending
    winners: tuple[int, ...]


event_json = EventWriter({ColouredCard: attrgetter("text"), Place: attrgetter("code"), Ending: attrgetter("value")})
"""Write an event in full."""


def event_view(event: Event, viewer: int | None) -> dict[str, Any] | None:
    """Return an event as a viewer may know it: None for another seat's own business."""
    return None if isinstance(event, Private) and event.seat != viewer else event_json(event)

"""What happened in a game, in the order in which the table saw it.

No event shows a hand before it is opened, but to the seat that holds it; lists of hands, points and amounts have one item for
each seat.
"""

from dataclasses import dataclass
from operator import attrgetter

from games.chinese_poker.engine.scoring import Position
from games.chinese_poker.engine.state import Ending
from games.core.cards import Card
from games.core.engine import Event
from games.core.events import EventWriter


@dataclass(frozen=True, slots=True)
class DealStarted(Event):
    """Everybody got 13 cards (CP-1.1)."""

    deal: int


@dataclass(frozen=True, slots=True)
class HandDealt(Event):
    """A seat got these cards; no other seat sees this event."""

    seat: int
    cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class HandArranged(Event):
    """A seat has arranged its hand (CP-2.4)."""

    seat: int


@dataclass(frozen=True, slots=True)
class ArrangementMissed(Event):
    """A seat did not arrange in time and scores nothing in the deal (CP-2.5)."""

    seat: int


@dataclass(frozen=True, slots=True)
class PositionOpened(Event):
    """A position was opened and compared (CP-3); a hand is null where it was not arranged in time.

    ``two_positions_points`` are those that this position made certain; ``scores`` are the game's, with all of it.
    """

    deal: int
    position: Position
    hands: tuple[tuple[Card, ...] | None, ...]
    comparison_points: tuple[int, ...]
    prize_points: tuple[int, ...]
    two_positions_points: tuple[int, ...]
    scores: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class WindowOpened(Event):
    """These seats may settle the game or continue (CP-4.2)."""

    position: Position
    seats: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class CompareContinued(Event):
    """A seat has continued (CP-4.1)."""

    seat: int


@dataclass(frozen=True, slots=True)
class DoezdPressed(Event):
    """A seat has the game settled without the positions that are not open (CP-4.1)."""

    seat: int


@dataclass(frozen=True, slots=True)
class DealScored(Event):
    """A deal was compared to its end: what it gave, and the game's scores."""

    deal: int
    points: tuple[int, ...]
    scores: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class GameSettled(Event):
    """Everybody settled with everybody (CP-5); a net win is less its rake, a loss is below zero."""

    ending: Ending
    scores: tuple[int, ...]
    net_minor: tuple[int, ...]
    rake_minor: tuple[int, ...]


event_json = EventWriter({Card: attrgetter("text"), Position: attrgetter("code"), Ending: attrgetter("value")})
"""Write an event in full."""

"""What happened in a game, in the order in which the table saw it.

No event shows a hand before it is opened, but to the seat that holds it; lists of hands, points and amounts have one item for
each seat.
"""

import re
from dataclasses import dataclass, fields
from typing import Any

from games.chinese_poker.engine.scoring import Position
from games.chinese_poker.engine.state import Ending
from games.core.cards import Card, texts
from games.core.engine import Event


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


def type_of(kind: type[Event]) -> str:
    """Return the ``type`` of a kind of event: its name in snake case."""
    return re.sub(r"(?<=.)([A-Z])", r"_\1", kind.__name__).lower()


def event_json(event: Event) -> dict[str, Any]:
    """Return an event as JSON: its name in snake case as ``type``, then its fields."""
    kind = type(event)
    shape = _SHAPES.get(kind)
    if shape is None:
        shape = _SHAPES[kind] = type_of(kind), tuple([field.name for field in fields(event)])
    data: dict[str, Any] = {"type": shape[0]}
    for name in shape[1]:
        data[name] = _plain(getattr(event, name))
    return data


_SHAPES: dict[type[Event], tuple[str, tuple[str, ...]]] = {}


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return texts(value) if value and isinstance(value[0], Card) else [_plain(each) for each in value]
    if isinstance(value, Position):
        return value.code
    return value.value if isinstance(value, Ending) else value

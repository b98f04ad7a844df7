"""What happened in a game, in the order in which the table saw it, and what of it each seat is told."""

from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from games.core.cards import SUITS, Card
from games.core.engine import Event
from games.core.events import EventWriter
from games.ukrainian_poker.engine.schedule import Kind


@dataclass(frozen=True, slots=True)
class GameOpened(Event):
    """Every seat paid its ante (UP-1.2)."""

    ante_minor: int
    pot_minor: int


@dataclass(frozen=True, slots=True)
class RoundDealt(Event):
    """A round was dealt and, where there is one to turn, a card turned (UP-2); ``trump`` is null in a round without."""

    round: int
    kind: Kind
    cards_per_hand: int
    dealer: int
    turned: Card | None
    trump: str | None


@dataclass(frozen=True, slots=True)
class HandDealt(Event):
    """A seat got its cards; nobody else is told which (UP-2.2)."""

    seat: int
    cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class BidMade(Event):
    """A seat announced its tricks; a ``secret`` bid is null to others until all are made (UP-3)."""

    seat: int
    tricks: int | None
    secret: bool

    @property
    def hides_origin(self) -> bool:
        """An automatic bid is the lowest one, so who knew of it would know the bid (UP-3.2, UP-6.1)."""
        return self.secret


@dataclass(frozen=True, slots=True)
class BidsShown(Event):
    """The bids of the blind round were shown together, by seat (UP-3.2)."""

    bids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class CardPlayed(Event):
    """A seat played a card, perhaps with the claim "by the highest" (UP-4)."""

    seat: int
    card: Card
    by_highest: bool


@dataclass(frozen=True, slots=True)
class TrickTaken(Event):
    """A seat took the trick; ``taken`` counts its tricks of the round (UP-4.1)."""

    seat: int
    taken: int


@dataclass(frozen=True, slots=True)
class RoundScored(Event):
    """A round was finished: bids, tricks, points and totals by seat (UP-5); bids are null in a round without."""

    round: int
    bids: tuple[int | None, ...]
    taken: tuple[int, ...]
    points: tuple[int, ...]
    totals: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class PotShared(Event):
    """The game is over: the pot, less the rake, went to the highest totals (UP-1.2)."""

    totals: tuple[int, ...]
    winners: tuple[int, ...]
    pot_minor: int
    rake_minor: int


def suit_text(suit: int) -> str | None:
    """Return a suit's letter; None for none."""
    return SUITS[suit] if suit >= 0 else None


event_json = EventWriter({Card: attrgetter("text"), Kind: attrgetter("value")})
"""Write an event in full."""


def event_view(event: Event, viewer: int | None) -> dict[str, Any] | None:
    """Return what a viewer is told of an event: no other's hand, and of a secret bid only that it was made."""
    if isinstance(event, HandDealt) and event.seat != viewer:
        return None
    data = event_json(event)
    if isinstance(event, BidMade) and event.secret and event.seat != viewer:
        data["tricks"] = None
    return data

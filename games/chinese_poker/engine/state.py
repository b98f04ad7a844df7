"""A game at one moment."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, NamedTuple

from games.chinese_poker.engine.scoring import NOT_ARRANGED, SPANS, Hand, Points, Position, value_of
from games.chinese_poker.engine.setup import Setup, setup_from_text
from games.core.cards import Card, packed, unpacked
from games.core.engine import Json
from games.core.ranking import Strength
from games.core.shuffle import Shuffles, load_shuffles


class Phase(StrEnum):
    """What the game waits for."""

    ARRANGING = "arranging"
    """Seats lay out their hands (CP-2.4)."""
    DECIDING = "deciding"
    """A window is open: Доезд or Continue (CP-4.2)."""
    OVER = "over"


class Standing(StrEnum):
    """What has become of a seat's 13 cards in a deal."""

    ARRANGING = "arranging"
    ARRANGED = "arranged"
    TIMED_OUT = "timed_out"


class Ending(StrEnum):
    """Why a game was settled."""

    TARGET = "target"
    """A full deal in which somebody reached the target (CP-4.4)."""
    DOEZD = "doezd"
    TIMEOUT = "timeout"


class Deal(NamedTuple):
    """A deal. A hand is 13 cards; once arranged they stand in the order First, Second, Third.

    ``opened`` holds the points of the positions that are open; their number tells which ones are.
    """

    number: int
    hands: tuple[Hand, ...]
    standings: tuple[Standing, ...]
    opened: tuple[Points, ...] = ()

    @property
    def timed_out(self) -> tuple[int, ...]:
        """The seats that did not arrange in time (CP-2.5)."""
        return tuple([seat for seat, standing in enumerate(self.standings) if standing is Standing.TIMED_OUT])

    def shown(self, position: Position) -> tuple[Hand | None, ...]:
        """Each seat's hand in a position; None for cards that were not arranged in time."""
        span = SPANS[position]
        both = zip(self.hands, self.standings, strict=True)
        return tuple([hand[span] if standing is Standing.ARRANGED else None for hand, standing in both])

    def values(self) -> list[list[Strength]]:
        """How high the hands are, by position and seat."""
        hands = [
            hand if standing is Standing.ARRANGED else None for hand, standing in zip(self.hands, self.standings, strict=True)
        ]
        return [[value_of(hand[span]) if hand else NOT_ARRANGED for hand in hands] for span in SPANS]


class State(NamedTuple):
    """A game. ``scores`` count the positions that are open; ``rest`` are the cards that the deal left out.

    ``may_press`` are the seats of the window that was opened last, ``continued`` those of them that did. ``last`` is the deal
    before, which the step that dealt anew has opened to the end.
    """

    setup: Setup
    seed: Shuffles
    phase: Phase
    scores: tuple[int, ...]
    deal: Deal
    rest: tuple[Card, ...]
    may_press: tuple[int, ...] = ()
    continued: tuple[int, ...] = ()
    last: Deal | None = None
    ending: Ending | None = None
    pressed_by: int | None = None

    @property
    def position(self) -> Position:
        """The position that was opened last; it must be there."""
        return Position(len(self.deal.opened) - 1)


def dump_state(state: State) -> dict[str, Any]:
    """Return the whole state as JSON, with the seed."""
    return {
        "setup": state.setup.text,
        "seed": state.seed.dump(),
        "phase": state.phase.value,
        "scores": list(state.scores),
        "deal": _dump_deal(state.deal),
        "rest": packed(state.rest),
        "may_press": list(state.may_press),
        "continued": list(state.continued),
        "last": _dump_deal(state.last) if state.last else None,
        "ending": state.ending.value if state.ending else None,
        "pressed_by": state.pressed_by,
    }


def load_state(data: Json) -> State:
    """Return the state that was dumped."""
    return State(
        setup_from_text(data["setup"].encode()),
        load_shuffles(data["seed"]),
        Phase(data["phase"]),
        tuple(data["scores"]),
        _load_deal(data["deal"]),
        unpacked(data["rest"]),
        tuple(data["may_press"]),
        tuple(data["continued"]),
        _load_deal(data["last"]) if data["last"] else None,
        Ending(data["ending"]) if data["ending"] else None,
        data["pressed_by"],
    )


def _dump_deal(deal: Deal) -> dict[str, Any]:
    return {
        "number": deal.number,
        "hands": [packed(hand) for hand in deal.hands],
        "standings": [standing.value for standing in deal.standings],
        "opened": [[list(each) for each in points] for points in deal.opened],
    }


def _load_deal(data: Mapping[str, Any]) -> Deal:
    return Deal(
        data["number"],
        tuple([unpacked(hand) for hand in data["hands"]]),
        tuple([Standing(standing) for standing in data["standings"]]),
        tuple([Points(*map(tuple, points)) for points in data["opened"]]),
    )

"""What a seat asks (RA-7.4). Cards are named by their position in the hand or among the eight shown, from 0 (RA-2.1)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from games.core.cards import SUITS
from games.core.codec import Fields
from games.core.engine import Json
from games.core.errors import InvalidData
from games.rapira.engine.cards import COLOURS

HAND = 8
"""The hand is filled to so many cards (RA-2.1), and as many are shown for each bonus (RA-6.2)."""


@dataclass(frozen=True, slots=True)
class Discard:
    """Change one to five cards of the hand for new ones (RA-2.1)."""

    positions: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class PlayHand:
    """Play one to five cards of the hand (RA-2.1)."""

    positions: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class BonusSuit:
    """Give up to three of the cards shown one suit (RA-6.3)."""

    positions: tuple[int, ...]
    suit: str


@dataclass(frozen=True, slots=True)
class BonusPipette:
    """Make the left one of two cards shown a copy of the right one (RA-6.3)."""

    positions: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class BonusColour:
    """Add a colour to one of the cards shown (RA-6.3)."""

    position: int
    colour: str


@dataclass(frozen=True, slots=True)
class BonusSkip:
    """Let a bonus go (RA-6.2)."""


HandAction = Discard | PlayHand
BonusAction = BonusSuit | BonusPipette | BonusColour | BonusSkip
Action = HandAction | BonusAction

TYPES: Mapping[str, type[Action]] = {
    "discard": Discard,
    "play_hand": PlayHand,
    "bonus_suit": BonusSuit,
    "bonus_pipette": BonusPipette,
    "bonus_colour": BonusColour,
    "bonus_skip": BonusSkip,
}
NAMES: Mapping[type[Action], str] = {action: name for name, action in TYPES.items()}
COUNTS: Mapping[type[Action], tuple[int, int]] = {Discard: (1, 5), PlayHand: (1, 5), BonusSuit: (1, 3), BonusPipette: (2, 2)}
"""How many cards each kind of action names."""


def parse_action(data: Json) -> Action:
    """Read an action; positions are kept in ascending order, since the order in which they are named means nothing.

    **Errors** InvalidData: an unknown type, a missing or unknown key, positions too few, too many, twice the same or beyond the
    eight that there can be, an unknown suit or colour.
    """
    fields = Fields(data)
    kind = TYPES.get(fields.text("type"))
    if kind is None:
        raise InvalidData("type", f"must be one of {', '.join(TYPES)}")
    values: dict[str, Any] = {}
    if kind in COUNTS:
        values["positions"] = _positions(fields, *COUNTS[kind])
    if kind is BonusSuit:
        values["suit"] = _one_of(fields, "suit", SUITS)
    if kind is BonusColour:
        values["position"] = fields.integer("position", 0, HAND - 1)
        values["colour"] = _one_of(fields, "colour", tuple(COLOURS))
    fields.end()
    return kind(**values)


def dump_action(action: Action) -> dict[str, Any]:
    """Return an action as JSON."""
    data: dict[str, Any] = {"type": NAMES[type(action)]}
    if isinstance(action, BonusColour):
        data |= {"position": action.position, "colour": action.colour}
    elif not isinstance(action, BonusSkip):
        data["positions"] = list(action.positions)
    if isinstance(action, BonusSuit):
        data["suit"] = action.suit
    return data


def _positions(fields: Fields, least: int, most: int) -> tuple[int, ...]:
    positions = fields.items("positions", least, most)
    for place, position in enumerate(positions):
        if type(position) is not int or not 0 <= position < HAND:
            raise InvalidData(f"{fields.path('positions')}.{place}", f"must be a whole number from 0 to {HAND - 1}")
    if len(set(positions)) < len(positions):
        raise InvalidData(fields.path("positions"), "names a card twice")
    return tuple(sorted(positions))


def _one_of(fields: Fields, key: str, options: str | tuple[str, ...]) -> str:
    value = fields.text(key)
    if value not in tuple(options):
        raise InvalidData(fields.path(key), f"must be one of {', '.join(options)}")
    return value

"""What a seat asks (CP-1.4), and what the system does for one that did not arrange in time (CP-2.5)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from games.chinese_poker.engine.scoring import SIZES, Position
from games.core.cards import DECK_54, Card, texts
from games.core.codec import Fields
from games.core.engine import Json
from games.core.errors import InvalidData


@dataclass(frozen=True, slots=True)
class Arrange:
    """Lay the 13 cards out as three hands (CP-2.1)."""

    first: tuple[Card, ...]
    second: tuple[Card, ...]
    third: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class Doezd:
    """Have the game settled at once, without the positions that are not open (CP-4.1)."""


@dataclass(frozen=True, slots=True)
class CompareNext:
    """Continue: let the next position be opened (CP-4.1)."""


@dataclass(frozen=True, slots=True)
class ForfeitDeal:
    """Let a deal go without an arrangement: what the system plays when the time is over. No player can ask for it."""


Action = Arrange | Doezd | CompareNext | ForfeitDeal

TYPES: Mapping[str, type[Action]] = {"arrange": Arrange, "doezd": Doezd, "compare_next": CompareNext}
NAMES: Mapping[type[Action], str] = {**{kind: name for name, kind in TYPES.items()}, ForfeitDeal: "forfeit_deal"}

_CARDS: Mapping[str, Card] = {card.text: card for card in DECK_54}


def parse_action(data: Json) -> Action:
    """Read a player's action.

    **Errors** InvalidData: an unknown type, the system's own type too; a missing or unknown key; hands that are not of 5, 5 and 3
    cards. That a card is held, and named once, is for the rules to say.
    """
    fields = Fields(data)
    kind = TYPES.get(fields.text("type"))
    if kind is None:
        raise InvalidData("type", f"must be one of {', '.join(TYPES)}")
    hands = [_hand(fields, position) for position in Position] if kind is Arrange else []
    fields.end()
    return kind(*hands)


def _hand(fields: Fields, position: Position) -> tuple[Card, ...]:
    size = SIZES[position]
    found = []
    for place, text in enumerate(fields.items(position.code, size, size)):
        card = _CARDS.get(text) if isinstance(text, str) else None
        if card is None:
            raise InvalidData(f"{fields.path(position.code)}.{place}", "is not a card such as Th or As")
        found.append(card)
    return tuple(found)


def dump_action(action: Action) -> dict[str, Any]:
    """Return an action as JSON."""
    name = NAMES[type(action)]
    if isinstance(action, Arrange):
        return {"type": name, "first": texts(action.first), "second": texts(action.second), "third": texts(action.third)}
    return {"type": name}

"""What a player asks (RP-8.3)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from games.core.cards import Card, read_cards, texts
from games.core.codec import Fields
from games.core.engine import Json
from games.core.errors import InvalidData
from games.russian_poker.engine.setup import BOXES


@dataclass(frozen=True, slots=True)
class Exchange:
    """Change one to five cards of a box for new ones, at one Ante (RP-5.1)."""

    box: int
    cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class SixthCard:
    """Buy a box one more card, at one Ante (RP-5.2)."""

    box: int


@dataclass(frozen=True, slots=True)
class Fold:
    """Give a box up (RP-5.3)."""

    box: int


@dataclass(frozen=True, slots=True)
class Bet:
    """Play a box for twice its Ante (RP-5.4)."""

    box: int


@dataclass(frozen=True, slots=True)
class Insure:
    """Insure a playing box against a dealer without a game (RP-5.8)."""

    box: int
    amount_minor: int


@dataclass(frozen=True, slots=True)
class OpenDealer:
    """Close the insurance window: the dealer opens (RP-5.9)."""


@dataclass(frozen=True, slots=True)
class BuyGame:
    """Pay for a new card of the dealer's on behalf of a playing box (RP-6.3)."""

    box: int


@dataclass(frozen=True, slots=True)
class Continue:
    """Go on after a dealer without a game (RP-6.4)."""


Action = Exchange | SixthCard | Fold | Bet | Insure | OpenDealer | BuyGame | Continue

ON_A_BOX: tuple[type[Action], ...] = (Exchange, SixthCard, Fold, Bet, Insure, BuyGame)
ON_THE_TABLE: tuple[type[Action], ...] = (OpenDealer, Continue)

TYPES: Mapping[str, type[Action]] = {
    "exchange": Exchange,
    "sixth_card": SixthCard,
    "fold": Fold,
    "bet": Bet,
    "insure": Insure,
    "open_dealer": OpenDealer,
    "buy_game": BuyGame,
    "continue": Continue,
}
NAMES: Mapping[type[Action], str] = {action: name for name, action in TYPES.items()}


def parse_action(data: Json) -> Action:
    """Read an action.

    **Errors** InvalidData: an unknown type, a missing or unknown key, a box that no table has, no or more than five cards.
    """
    fields = Fields(data)
    kind = TYPES.get(fields.text("type"))
    if kind is None:
        raise InvalidData("type", f"must be one of {', '.join(TYPES)}")
    values: dict[str, Any] = {}
    if kind in ON_A_BOX:
        values["box"] = fields.integer("box", 1, BOXES)
    if kind is Insure:
        values["amount_minor"] = fields.integer("amount_minor", 1)
    if kind is Exchange:
        values["cards"] = read_cards(fields.items("cards", 1, 5), "cards")
    fields.end()
    return kind(**values)


def dump_action(action: Action) -> dict[str, Any]:
    """Return an action as JSON."""
    data: dict[str, Any] = {"type": NAMES[type(action)]}
    if not isinstance(action, (OpenDealer, Continue)):
        data["box"] = action.box
    if isinstance(action, Insure):
        data["amount_minor"] = action.amount_minor
    if isinstance(action, Exchange):
        data["cards"] = texts(action.cards)
    return data

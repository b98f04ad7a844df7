"""What happened in a round, in the order in which the table saw it.

Every event shows only what its moment shows: nobody at this table knows more than the player, and the dealer's hidden cards are
in no event before the dealer opens (RP-3.2, RP-5.9).
"""

from dataclasses import dataclass
from operator import attrgetter

from games.core.cards import Card, texts
from games.core.engine import Event
from games.core.events import EventWriter
from games.russian_poker.engine.scoring import Category, Combination
from games.russian_poker.engine.state import Outcome


@dataclass(frozen=True, slots=True)
class BoxDealt(Event):
    """Five cards went face down to a box (RP-3.1)."""

    box: int


@dataclass(frozen=True, slots=True)
class DealerDealt(Event):
    """Five cards went to the dealer, the last one shown (RP-3.1)."""

    shown: Card


@dataclass(frozen=True, slots=True)
class BonusWon(Event):
    """A Bonus was paid (RP-4.1); ``returned_minor`` is the stake with its win."""

    box: int
    category: Category
    multiple: int
    stake_minor: int
    returned_minor: int


@dataclass(frozen=True, slots=True)
class BonusLost(Event):
    """A Bonus was lost (RP-4.1)."""

    box: int
    stake_minor: int


@dataclass(frozen=True, slots=True)
class CardsShown(Event):
    """The player saw a box's cards (RP-3.2)."""

    box: int
    cards: tuple[Card, ...]
    first: Combination
    second: Combination | None
    multiple: int


@dataclass(frozen=True, slots=True)
class CardsExchanged(Event):
    """Cards of a box were changed for new ones, which took their places (RP-5.1)."""

    box: int
    discarded: tuple[Card, ...]
    drawn: tuple[Card, ...]
    fee_minor: int


@dataclass(frozen=True, slots=True)
class SixthCardBought(Event):
    """A box got one more card (RP-5.2)."""

    box: int
    drawn: Card
    fee_minor: int


@dataclass(frozen=True, slots=True)
class BoxFolded(Event):
    """A box was given up (RP-5.3)."""

    box: int
    lost_minor: int


@dataclass(frozen=True, slots=True)
class BetPlaced(Event):
    """A box plays for its Bet (RP-5.4), a blind one by itself (RP-5.6)."""

    box: int
    amount_minor: int
    blind: bool


@dataclass(frozen=True, slots=True)
class InsuranceOpened(Event):
    """These boxes may now be insured (RP-5.8)."""

    boxes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class BoxInsured(Event):
    """A box was insured (RP-5.8)."""

    box: int
    amount_minor: int


@dataclass(frozen=True, slots=True)
class DealerOpened(Event):
    """The dealer showed all cards (RP-6.1)."""

    cards: tuple[Card, ...]
    combination: Combination
    has_game: bool


@dataclass(frozen=True, slots=True)
class InsuranceSettled(Event):
    """An insurance was paid (twice the stake back), returned (the stake) or lost (0) (RP-6.2, RP-6.3)."""

    box: int
    stake_minor: int
    returned_minor: int


@dataclass(frozen=True, slots=True)
class GameBought(Event):
    """A new card of the dealer's was paid for (RP-6.3)."""

    box: int
    fee_minor: int


@dataclass(frozen=True, slots=True)
class DealerCardReplaced(Event):
    """The dealer's highest card gave way to the next one of the deck (RP-6.5)."""

    replaced: Card
    drawn: Card


@dataclass(frozen=True, slots=True)
class DealerShownAgain(Event):
    """The dealer's cards after the replacement (RP-6.6)."""

    cards: tuple[Card, ...]
    combination: Combination
    has_game: bool


@dataclass(frozen=True, slots=True)
class BoxSettled(Event):
    """Ante and Bet of a box were settled; ``returned_minor`` is what came back of both with the win (RP-6)."""

    box: int
    outcome: Outcome
    multiple: int
    returned_minor: int


event_json = EventWriter(
    {
        Card: attrgetter("text"),
        Category: attrgetter("code"),
        Outcome: attrgetter("value"),
        Combination: lambda value: {"category": value.category.code, "cards": texts(value.cards)},
    }
)
"""Write an event in full."""

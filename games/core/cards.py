"""Playing cards as values: one object per card, compared by identity."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from games.core.errors import InvalidData

RANKS = "23456789TJQKA"
SUITS = "cdhs"
ACE, KING = 14, 13
TALLY_SUITS = 3 * len(RANKS)
"""A sum of tallies holds three bits for the count of each rank, then, from this bit, four for the count of each suit."""


@dataclass(frozen=True, slots=True, eq=False)
class Card:
    """A card of the 54. Take one by its text with ``card``; a second object of the same card never exists.

    ``rank`` runs from 2 to 14, the ace; a joker has rank 0 and suit -1. ``index`` is the place in the unshuffled deck. ``tally``
    is what ``games.core.ranking`` adds up to count a hand's ranks and suits at once.
    """

    text: str
    rank: int
    suit: int
    index: int
    tally: int = 0

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return self.text

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return card, (self.text,)


DECK_52: tuple[Card, ...] = tuple(
    Card(rank + suit, value, s, 13 * s + value - 2, tally=1 << 3 * (value - 2) | 1 << TALLY_SUITS + 4 * s)
    for s, suit in enumerate(SUITS)
    for value, rank in enumerate(RANKS, start=2)
)
JOKERS: tuple[Card, Card] = (Card("X1", 0, -1, 52), Card("X2", 0, -1, 53))
DECK_54: tuple[Card, ...] = DECK_52 + JOKERS

_BY_TEXT: Mapping[str, Card] = MappingProxyType({each.text: each for each in DECK_54})


def card(text: str) -> Card:
    """Return the card written as rank then suit, or ``X1`` and ``X2``.

    **Errors** KeyError for any other text: for text from outside use ``read_cards``.
    """
    return _BY_TEXT[text]


def read_cards(value: object, field: str) -> tuple[Card, ...]:
    """Return the cards of a JSON list of different card texts.

    **Errors** InvalidData names the field.
    """
    if not isinstance(value, (list, tuple)):
        raise InvalidData(field, "must be a list of cards")
    found = tuple(_BY_TEXT.get(each) if isinstance(each, str) else None for each in value)
    cards = tuple(each for each in found if each is not None)
    if len(cards) != len(found):
        raise InvalidData(f"{field}.{found.index(None)}", "is not a card such as Th or As")
    if len(set(cards)) != len(cards):
        raise InvalidData(field, "names a card twice")
    return cards


def texts(cards: Iterable[Card]) -> list[str]:
    """Return the cards' texts, in order."""
    return [each.text for each in cards]


def packed(cards: Iterable[Card]) -> str:
    """Return the cards' texts in one string, as dumps keep them."""
    return "".join([each.text for each in cards])


def unpacked(text: str) -> tuple[Card, ...]:
    """Return the cards that ``packed`` wrote.

    **Errors** KeyError for text that it never writes.
    """
    return tuple([_BY_TEXT[text[at : at + 2]] for at in range(0, len(text), 2)])

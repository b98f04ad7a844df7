"""Cards with colours (RA-5): one object for each card and set of colours, compared by identity."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from games.core.cards import ACE, DECK_52, SUITS, Card

RED, YELLOW, GREEN, BLUE, PINK = 1, 2, 4, 8, 16
"""A set of colours is the sum of these."""
COLOURS: Mapping[str, int] = MappingProxyType({"red": RED, "yellow": YELLOW, "green": GREEN, "blue": BLUE, "pink": PINK})
SETS = 1 << len(COLOURS)
ANY_SUIT = (1 << len(SUITS)) - 1
SLOTS = len(DECK_52)
"""A deck's slots; slot i starts as card i of the unshuffled deck (RA-1.4)."""
KINDS = 26
"""Ranks, plain and yellow: what a card is for everything but a flush."""


@dataclass(frozen=True, slots=True, eq=False)
class ColouredCard:
    """A card and its colours. Take one by its text with ``coloured``; a second object of the same card never exists.

    ``index`` orders cards by their place in the unshuffled deck, then by their colours. ``suits`` has a bit for each suit that
    the card may count as, ``kind`` is its rank's number, 13 more when it is yellow, ``tally`` a digit of three bits for that.
    """

    text: str
    plain: Card
    colours: int
    index: int
    suits: int
    kind: int
    tally: int

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return self.text

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return coloured, (self.text,)


def _made(plain: Card, colours: int) -> ColouredCard:
    letters = "".join(name[0] for name, colour in COLOURS.items() if colours & colour)
    kind = plain.rank - 2 + (13 if colours & YELLOW else 0)
    return ColouredCard(
        text=f"{plain.text}.{letters}" if letters else plain.text,
        plain=plain,
        colours=colours,
        index=SETS * plain.index + colours,
        suits=ANY_SUIT if colours & PINK else 1 << plain.suit,
        kind=kind,
        tally=1 << 3 * kind,
    )


CARDS: tuple[ColouredCard, ...] = tuple(_made(plain, colours) for plain in DECK_52 for colours in range(SETS))
FRESH: tuple[ColouredCard, ...] = CARDS[::SETS]
"""What the slots of a deck are at the start: the unshuffled deck, without colours."""

_BY_TEXT: Mapping[str, ColouredCard] = MappingProxyType({each.text: each for each in CARDS})


def coloured(text: str) -> ColouredCard:
    """Return the card written as rank, suit and, after a dot, the letters of its colours in the order ``r y g b p``.

    **Errors** KeyError for any other text.
    """
    return _BY_TEXT[text]


def with_suit(card: ColouredCard, suit: str) -> ColouredCard:
    """Return the card in a suit; its colours stay (RA-6.3)."""
    plain = DECK_52[13 * SUITS.index(suit) + card.plain.rank - 2]
    return CARDS[SETS * plain.index + card.colours]


def with_colour(card: ColouredCard, colour: int) -> ColouredCard:
    """Return the card with one more colour (RA-6.3)."""
    return CARDS[SETS * card.plain.index + (card.colours | colour)]


def ranks_of(kind: int) -> tuple[int, ...]:
    """Return the ranks that a card of this kind may count as, highest first (RA-5.2)."""
    yellow, place = divmod(kind, 13)
    rank = place + 2
    return tuple(range(min(rank + 1, ACE), max(rank - 1, 2) - 1, -1)) if yellow else (rank,)


def card_texts(cards: Iterable[ColouredCard]) -> list[str]:
    """Return the cards' texts, in order."""
    return [each.text for each in cards]

"""Who takes a trick, and what tricks are worth (UP-4, UP-5)."""

from collections.abc import Sequence

from games.core.cards import Card
from games.ukrainian_poker.engine.schedule import Kind

POINTS_PER_TRICK = 10
POINTS_FOR_NONE = 5
NO_TRUMP = -2
"""What stands for the trump suit where there is none; a joker's suit is -1."""

_ABOVE_ALL = 15
_TRUMP = 20
_JOKER = 40


def height(card: Card) -> int:
    """Return a card's rank, a joker's above the ace (UP-1.1)."""
    return card.rank or _ABOVE_ALL


def is_joker(card: Card) -> bool:
    """Say whether a card is one of the two jokers."""
    return not card.rank


def trump_of(turned: Card | None) -> int:
    """Return the suit of the card turned; ``NO_TRUMP`` for a joker or where nothing is turned (UP-2.3)."""
    return NO_TRUMP if turned is None or is_joker(turned) else turned.suit


def winning_place(cards: Sequence[Card], trump: int, *, by_highest: bool) -> int:
    """Return which of a trick's cards takes it, by the order in which they were played (UP-4.1, UP-4.3, UP-4.4)."""
    if by_highest:
        return 0
    led = cards[0].suit
    best = best_place = 0
    for place, card in enumerate(cards):
        strength = card.rank
        if not strength:
            strength = _JOKER
        elif card.suit == trump:
            strength += _TRUMP
        elif card.suit != led:
            continue
        if strength >= best:
            best, best_place = strength, place
    return best_place


def points(kind: Kind, bid: int | None, taken: int) -> int:
    """Return the points of one seat for a round; ``bid`` is None in a round without bids (UP-5.1, UP-5.2)."""
    if bid is None:
        return taken * (-POINTS_PER_TRICK if kind is Kind.MINIMUM else POINTS_PER_TRICK)
    if taken > bid:
        return taken
    if taken < bid:
        return -POINTS_PER_TRICK * (bid - taken)
    return POINTS_PER_TRICK * bid or POINTS_FOR_NONE


def winners(totals: Sequence[int]) -> tuple[int, ...]:
    """Return the seats with the highest total (UP-1.1)."""
    best = max(totals)
    return tuple([seat for seat, total in enumerate(totals) if total == best])

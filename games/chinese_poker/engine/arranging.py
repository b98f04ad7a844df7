"""Good arrangements of 13 cards, to suggest: found in some fifty microseconds, since a client asks for them at every look.

A set of cards is a number with a bit for each card's ``index``, so 13 bits for each suit; a set of ranks is 13 bits.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

from games.chinese_poker.engine.scoring import SIZES, in_order
from games.core.cards import Card

RANKS = len("23456789TJQKA")
SUIT = (1 << RANKS) - 1
SUIT_SHIFTS = (0, RANKS, 2 * RANKS, 3 * RANKS)
OF_RANK = tuple(sum(1 << rank + shift for shift in SUIT_SHIFTS) for rank in range(RANKS))
LOWEST_STRAIGHT = 1 << RANKS - 1 | 0b1111
"""A-2-3-4-5."""
FEWEST_SUGGESTIONS = 2

Hands = tuple[tuple[Card, ...], tuple[Card, ...], tuple[Card, ...]]
Sets = tuple[int, int, int]


class Core(NamedTuple):
    """The cards that make a hand what it is, and how many side cards complete it to five."""

    cards: int
    sides: int


def arrangements(hand: Sequence[Card]) -> tuple[Hands, ...]:
    """Return at least two legal arrangements, the one with the strongest First first.

    The second one spares: it keeps back for Second and Third what First does not need. Where both are one, another makes no use
    of straights and flushes; where that is illegal, any other legal arrangement will do.
    """
    cards = sum([1 << card.index for card in hand])
    ordered = sorted(hand, key=_high_first)
    found = [_dealt_out(ordered, strongest(cards))]
    for by_ranks in (False, True):
        hands = _dealt_out(ordered, sparing(cards, by_ranks=by_ranks))
        if hands not in found and all(in_order(*hands)):
            found.append(hands)
            if len(found) == FEWEST_SUGGESTIONS:
                return tuple(found)
    return *found, next(hands for hands in _all(ordered) if hands not in found and all(in_order(*hands)))


def strongest(cards: int) -> Sets:
    """Return the highest First, and of the rest the highest Second.

    That is always legal: Third and any two cards of Second are five that are no lower than Third, and Second is the highest five.
    """
    first = _completed(cards, made(cards))
    left = cards ^ first
    second = _completed(left, made(left))
    return first, second, left ^ second


def sparing(cards: int, *, by_ranks: bool) -> Sets:
    """Return an arrangement that gives First and Second what makes them, then Third the highest side cards.

    With ``by_ranks`` straights and flushes are overlooked.
    """
    first = made(cards, spare=True, by_ranks=by_ranks)
    left = cards ^ first.cards
    second = made(left, spare=True, by_ranks=by_ranks)
    left ^= second.cards
    third = _made_of_three(left)
    hands = [first.cards, second.cards, third]
    left ^= third
    room = [first.sides, second.sides, SIZES[2] - third.bit_count()]
    for place in (0, 1):
        pairs = _often(left)[0]
        if room[place] == 3 and pairs:
            pair = _of_rank(left, pairs.bit_length() - 1, 2)
            hands[place] |= pair
            room[place] -= 2
            left ^= pair
    # A Second of side cards alone leads with the highest of them, or Third would be above it.
    for place, count in ((1, int(room[1] == SIZES[1])), (2, room[2]), (1, SIZES[1]), (0, SIZES[0])):
        taken = _highest(left, min(count, SIZES[place] - hands[place].bit_count()))
        hands[place] |= taken
        left ^= taken
    return hands[0], hands[1], hands[2]


def made(cards: int, *, spare: bool = False, by_ranks: bool = False) -> Core:
    """Return what makes the highest five of the cards what they are.

    With ``spare`` a full house takes its lowest pair and two pairs are but one; ``by_ranks`` overlooks straights and flushes.
    """
    suits = [cards >> shift & SUIT for shift in SUIT_SHIFTS]
    flushes = [] if by_ranks else [(suit, shift) for suit, shift in zip(suits, SUIT_SHIFTS, strict=True) if suit.bit_count() >= 5]
    straight_flush = max([(_straight(suit), shift) for suit, shift in flushes], key=_straight_order, default=(0, 0))
    if straight_flush[0]:
        return Core(straight_flush[0] << straight_flush[1], 0)
    twice, thrice, four = _often(cards)
    if four:
        return Core(OF_RANK[four.bit_length() - 1], 1)
    three = thrice.bit_length() - 1
    pairs = twice & ~(1 << three) if thrice else twice
    if thrice and pairs:
        pair = ((pairs & -pairs) if spare else pairs).bit_length() - 1
        return Core(_of_rank(cards, three, 3) | _of_rank(cards, pair, 2), 0)
    if flushes:
        ranks, shift = max([(_top(suit, 5), shift) for suit, shift in flushes])
        return Core(ranks << shift, 0)
    straight = 0 if by_ranks else _straight(suits[0] | suits[1] | suits[2] | suits[3])
    if straight:
        return Core(_one_of_each(cards, straight), 0)
    if thrice:
        return Core(_of_rank(cards, three, 3), 2)
    if not pairs:
        return Core(0, 5)
    high = pairs.bit_length() - 1
    low = (pairs ^ 1 << high).bit_length() - 1
    if spare or low < 0:
        return Core(_of_rank(cards, high, 2), 3)
    return Core(_of_rank(cards, high, 2) | _of_rank(cards, low, 2), 1)


def _made_of_three(cards: int) -> int:
    """Return three of a kind or else a pair, where the cards have one."""
    twice, thrice, _ = _often(cards)
    if thrice:
        return _of_rank(cards, thrice.bit_length() - 1, 3)
    return _of_rank(cards, twice.bit_length() - 1, 2) if twice else 0


def _completed(cards: int, core: Core) -> int:
    return core.cards | _highest(cards ^ core.cards, core.sides)


def _often(cards: int) -> tuple[int, int, int]:
    """Return the ranks that are there at least twice, three times, four times."""
    c, d, h, s = [cards >> shift & SUIT for shift in SUIT_SHIFTS]
    both, either = c & d, c | d
    three = both & h
    twice = both | either & h
    return twice | (either | h) & s, three | twice & s, three & s


def _straight(ranks: int) -> int:
    """Return the ranks of the highest straight; an ace may be its lowest card."""
    runs = ranks << 1 | ranks >> RANKS - 1
    starts = runs & runs >> 1 & runs >> 2 & runs >> 3 & runs >> 4
    if not starts:
        return 0
    run = 0b11111 << starts.bit_length() - 1
    return run >> 1 | (run & 1) << RANKS - 1


def _straight_order(straight: tuple[int, int]) -> int:
    """Order straights: with a low ace it is the lowest, though its ace is the highest bit."""
    return straight[0] if straight[0] != LOWEST_STRAIGHT else 1


def _top(ranks: int, count: int) -> int:
    """Return the highest ranks of a set with at least so many."""
    for _ in range(ranks.bit_count() - count):
        ranks &= ranks - 1
    return ranks


def _of_rank(cards: int, rank: int, count: int) -> int:
    """Return so many cards of a rank."""
    return _top(cards & OF_RANK[rank], count)


def _one_of_each(cards: int, ranks: int) -> int:
    taken = 0
    while ranks:
        rank = ranks.bit_length() - 1
        taken |= _of_rank(cards, rank, 1)
        ranks ^= 1 << rank
    return taken


def _highest(cards: int, count: int) -> int:
    """Return so many cards of the highest ranks."""
    taken = 0
    for _ in range(count):
        left = cards ^ taken
        ranks = left | left >> RANKS
        ranks = (ranks | ranks >> 2 * RANKS) & SUIT
        taken |= _of_rank(left, ranks.bit_length() - 1, 1)
    return taken


def _dealt_out(ordered: Sequence[Card], sets: Sets) -> Hands:
    first, second, third = sets
    return (
        tuple([card for card in ordered if first >> card.index & 1]),
        tuple([card for card in ordered if second >> card.index & 1]),
        tuple([card for card in ordered if third >> card.index & 1]),
    )


def _all(ordered: Sequence[Card]) -> Iterator[Hands]:
    for third in combinations(ordered, SIZES[2]):
        left = [card for card in ordered if card not in third]
        for second in combinations(left, SIZES[1]):
            yield tuple([card for card in left if card not in second]), second, third


def _high_first(card: Card) -> int:
    return -card.rank

"""Good arrangements of 13 cards, to suggest: found in some fifty microseconds, since a client asks for them at every look.

A set of cards is a number with a bit for each card's ``index``, so 13 bits for each suit; a set of ranks is 13 bits.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations
from operator import attrgetter

from games.chinese_poker.engine.scoring import SIZES, in_order
from games.core.cards import Card

RANKS = len("23456789TJQKA")
SUIT = (1 << RANKS) - 1
SUIT_SHIFTS = (0, RANKS, 2 * RANKS, 3 * RANKS)
OF_RANK = tuple(sum(1 << rank + shift for shift in SUIT_SHIFTS) for rank in range(RANKS))
LOWEST_STRAIGHT = 1 << RANKS - 1 | 0b1111
"""A-2-3-4-5."""
PAIR_SIDES = 3
"""How many side cards a pair has."""

_BY_RANK = attrgetter("rank")

Hands = tuple[tuple[Card, ...], tuple[Card, ...], tuple[Card, ...]]
Sets = tuple[int, int, int]
Core = tuple[int, int]
"""The cards that make a hand what it is, and how many side cards complete it to five."""


def arrangements(hand: Sequence[Card]) -> tuple[Hands, ...]:
    """Return at least two legal arrangements, the one with the strongest First first.

    The second one spares: it keeps back for Second and Third what First does not need. Where both are one, another makes no use
    of straights and flushes; where that is illegal, any other legal arrangement will do.
    """
    cards = 0
    for card in hand:
        cards |= 1 << card.index
    ordered = sorted(hand, key=_BY_RANK, reverse=True)
    most, spare = strongest(cards), sparing(cards)
    found = _dealt_out(ordered, most)
    if spare != most:
        return found, _dealt_out(ordered, spare)
    plain = _dealt_out(ordered, sparing(cards, by_ranks=True))
    if plain != found and all(in_order(*plain)):
        return found, plain
    return found, next(hands for hands in _all(ordered) if hands != found and all(in_order(*hands)))


def strongest(cards: int) -> Sets:
    """Return the highest First, and of the rest the highest Second.

    That is always legal: Third and any two cards of Second are five that are no lower than Third, and Second is the highest five.
    """
    core, sides = made(cards)
    first = core | _highest(cards ^ core, sides)
    left = cards ^ first
    core, sides = made(left)
    second = core | _highest(left ^ core, sides)
    return first, second, left ^ second


def sparing(cards: int, *, by_ranks: bool = False) -> Sets:
    """Return an arrangement that gives First and Second what makes them, then Third the highest side cards.

    It is legal, since each hand is made of what the ones before it left, and side cards make no straight or flush of a hand that
    has none. With ``by_ranks`` straights and flushes are overlooked: then it may not be.
    """
    first, first_sides = made(cards, spare=True, by_ranks=by_ranks)
    left = cards ^ first
    second, second_sides = made(left, spare=True, by_ranks=by_ranks)
    left ^= second
    third = _made_of_three(left)
    left ^= third
    if first_sides == PAIR_SIDES or second_sides == PAIR_SIDES:
        first, second, left = _with_pairs_left(first, first_sides, second, second_sides, left)
    if not second:
        # A Second of side cards alone leads with the highest of them, or Third would be above it.
        second = _highest(left, 1)
        left ^= second
    taken = _highest(left, SIZES[2] - third.bit_count())
    third |= taken
    left ^= taken
    taken = _highest(left, SIZES[1] - second.bit_count())
    return first | left ^ taken, second | taken, third


def _with_pairs_left(first: int, first_sides: int, second: int, second_sides: int, left: int) -> Sets:
    """Return First, Second and what is left when each of them that is a pair has taken another one, where there is one."""
    if first_sides == PAIR_SIDES:
        pair = _made_of_three(left)
        first, left = first | pair, left ^ pair
    if second_sides == PAIR_SIDES:
        pair = _made_of_three(left)
        second, left = second | pair, left ^ pair
    return first, second, left


def made(cards: int, *, spare: bool = False, by_ranks: bool = False) -> Core:
    """Return what makes the highest five of the cards what they are.

    With ``spare`` a full house takes its lowest pair and two pairs are but one; ``by_ranks`` overlooks straights and flushes.
    """
    c, d, h, s = cards & SUIT, cards >> SUIT_SHIFTS[1] & SUIT, cards >> SUIT_SHIFTS[2] & SUIT, cards >> SUIT_SHIFTS[3]
    flush = 0
    if not by_ranks and max(c.bit_count(), d.bit_count(), h.bit_count(), s.bit_count()) >= SIZES[0]:
        flush, is_straight = _flush((c, d, h, s))
        if is_straight:
            return flush, 0
    both, either = c & d, c | d
    twice, thrice = both | either & h | (either | h) & s, both & h | (both | either & h) & s
    full = _full(cards, twice, thrice, both & h & s, spare=spare) if thrice else None
    if full:
        return full
    if flush:
        return flush, 0
    straight = 0 if by_ranks else _straight(either | h | s)
    if straight:
        return _one_of_each(cards, straight), 0
    if thrice:
        return cards & OF_RANK[thrice.bit_length() - 1], 2
    return _pairs(cards, twice, spare=spare) if twice else (0, SIZES[0])


def _full(cards: int, twice: int, thrice: int, four: int, *, spare: bool) -> Core | None:
    """Return four of a kind or a full house, from the ranks that are there at least so often."""
    if four:
        return OF_RANK[four.bit_length() - 1], 1
    three = thrice.bit_length() - 1
    pairs = twice ^ 1 << three
    if not pairs:
        return None
    pair = ((pairs & -pairs) if spare else pairs).bit_length() - 1
    return _of_rank(cards, three, 3) | _of_rank(cards, pair, 2), 0


def _pairs(cards: int, twice: int, *, spare: bool) -> Core:
    high = twice.bit_length() - 1
    low = twice ^ 1 << high
    if spare or not low:
        return cards & OF_RANK[high], PAIR_SIDES
    return cards & (OF_RANK[high] | OF_RANK[low.bit_length() - 1]), 1


def _flush(suits: tuple[int, ...]) -> tuple[int, bool]:
    """Return the highest flush, and whether it is a straight one, of suits of which one at least has five cards."""
    long = [(suit, shift) for suit, shift in zip(suits, SUIT_SHIFTS, strict=True) if suit.bit_count() >= SIZES[0]]
    runs = [(run if run != LOWEST_STRAIGHT else 0, run << shift) for suit, shift in long if (run := _straight(suit))]
    if runs:
        return max(runs)[1], True
    ranks, shift = max([(_top(suit, SIZES[0]), shift) for suit, shift in long])
    return ranks << shift, False


def _made_of_three(cards: int) -> int:
    """Return three of a kind or else a pair, where the cards have one."""
    ranks, twice, thrice = 0, 0, 0
    for shift in SUIT_SHIFTS:
        suit = cards >> shift & SUIT
        thrice |= twice & suit
        twice |= ranks & suit
        ranks |= suit
    if thrice:
        return _of_rank(cards, thrice.bit_length() - 1, 3)
    return cards & OF_RANK[twice.bit_length() - 1] if twice else 0


def _straight(ranks: int) -> int:
    """Return the ranks of the highest straight; an ace may be its lowest card."""
    runs = ranks << 1 | ranks >> RANKS - 1
    starts = runs & runs >> 1 & runs >> 2 & runs >> 3 & runs >> 4
    if not starts:
        return 0
    run = 0b11111 << starts.bit_length() - 1
    return run >> 1 | (run & 1) << RANKS - 1


def _top(bits: int, count: int) -> int:
    """Return the highest bits of a set with at least so many."""
    for _ in range(bits.bit_count() - count):
        bits &= bits - 1
    return bits


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
    left = cards
    for _ in range(count):
        ranks = left | left >> RANKS
        ranks = (ranks | ranks >> 2 * RANKS) & SUIT
        left ^= 1 << (left & OF_RANK[ranks.bit_length() - 1]).bit_length() - 1
    return cards ^ left


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

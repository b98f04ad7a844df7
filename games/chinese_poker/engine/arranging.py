"""Good arrangements of 13 cards, to suggest: found in some twenty microseconds, since a client asks for them at every look.

A set of cards is a number of 52 bits: four for each rank, the lowest first, one for each suit. So its highest bit is its highest
card. A set of ranks has the first of each rank's four bits.
"""

from collections.abc import Iterator, Sequence
from itertools import chain, combinations, product

from games.chinese_poker.engine.scoring import SIZES, in_order
from games.core.cards import DECK_52, SUITS, Card

WIDTH = len(SUITS)
EVERY_RANK = sum(1 << WIDTH * rank for rank in range(13))
ACE_BIT = WIDTH * 12
ALL_SUITS = 0b1111
FIVE_RANKS = 0x11111
LOWEST_STRAIGHT = 1 << ACE_BIT | 0x1111
"""A-2-3-4-5."""
PAIR_SIDES = 3
"""How many side cards a pair has."""

BITS = tuple([1 << WIDTH * (card.rank - 2) + card.suit for card in DECK_52])
"""The bit of each card, by its ``index``."""
CARDS = tuple(sorted(DECK_52, key=lambda card: BITS[card.index]))

Hands = tuple[tuple[Card, ...], tuple[Card, ...], tuple[Card, ...]]
Sets = tuple[int, int, int]
Core = tuple[int, int]
"""The cards that make a hand what it is, and how many side cards complete it to five."""


def arrangements(hand: Sequence[Card]) -> tuple[Hands, ...]:
    """Return two legal arrangements, first the one with the strongest First.

    The other one spares: it keeps back for Second and Third what First does not need. Where both are one, the other makes no use
    of straights and flushes; where that is illegal, it is the first one that is legal with two cards changed over, or with more.
    """
    cards = set_of(hand)
    most, spare = strongest(cards), sparing(cards)
    found = dealt_out(most)
    if spare != most:
        return found, dealt_out(spare)
    plain = dealt_out(sparing(cards, by_ranks=True))
    if plain != found and all(in_order(*plain)):
        return found, plain
    return found, next(hands for hands in chain(_swapped(found), _all(cards)) if hands != found and all(in_order(*hands)))


def set_of(cards: Sequence[Card]) -> int:
    """Return cards as a set."""
    found = 0
    for card in cards:
        found |= BITS[card.index]
    return found


def dealt_out(sets: Sets) -> Hands:
    """Return three sets as hands, their highest cards first."""
    first, second, third = sets
    return _cards(first), _cards(second), _cards(third)


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
    if third and first_sides == PAIR_SIDES:
        pair = _made_of_three(left)
        first, left = first | pair, left ^ pair
    if third and second_sides == PAIR_SIDES:
        pair = _made_of_three(left)
        second, left = second | pair, left ^ pair
    if not second:
        # A Second of side cards alone leads with the highest of them, or Third would be above it.
        second = _highest(left, 1)
        left ^= second
    taken = _highest(left, SIZES[2] - third.bit_count())
    third |= taken
    left ^= taken
    taken = _highest(left, SIZES[1] - second.bit_count())
    return first | left ^ taken, second | taken, third


def made(cards: int, *, spare: bool = False, by_ranks: bool = False) -> Core:
    """Return what makes the highest five of the cards what they are.

    With ``spare`` a full house takes its lowest pair and two pairs are but one; ``by_ranks`` overlooks straights and flushes.
    """
    c, d, h, s = cards & EVERY_RANK, cards >> 1 & EVERY_RANK, cards >> 2 & EVERY_RANK, cards >> 3 & EVERY_RANK
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
        return _of_highest(cards, thrice), 2
    return _pairs(cards, twice, spare=spare) if twice else (0, SIZES[0])


def _full(cards: int, twice: int, thrice: int, four: int, *, spare: bool) -> Core | None:
    """Return four of a kind or a full house, from the ranks that are there at least so often."""
    if four:
        return _of_highest(cards, four), 1
    pairs = twice ^ 1 << thrice.bit_length() - 1
    if not pairs:
        return None
    pair = _of_highest(cards, pairs & -pairs if spare else pairs)
    return _of_highest(cards, thrice) | _highest(pair, 2), 0


def _pairs(cards: int, twice: int, *, spare: bool) -> Core:
    high = _of_highest(cards, twice)
    low = twice ^ 1 << twice.bit_length() - 1
    return (high, PAIR_SIDES) if spare or not low else (high | _of_highest(cards, low), 1)


def _flush(suits: tuple[int, ...]) -> tuple[int, bool]:
    """Return the highest flush, and whether it is a straight one, of suits of which one at least has five cards."""
    long = [(ranks, suit) for suit, ranks in enumerate(suits) if ranks.bit_count() >= SIZES[0]]
    runs = [(run if run != LOWEST_STRAIGHT else 0, run << suit) for ranks, suit in long if (run := _straight(ranks))]
    if runs:
        return max(runs)[1], True
    ranks, suit = max([(_highest(ranks, SIZES[0]), suit) for ranks, suit in long])
    return ranks << suit, False


def _made_of_three(cards: int) -> int:
    """Return three of a kind or else a pair, where the cards have one."""
    c, d, h, s = cards & EVERY_RANK, cards >> 1 & EVERY_RANK, cards >> 2 & EVERY_RANK, cards >> 3 & EVERY_RANK
    both, either = c & d, c | d
    thrice = both & h | (both | either & h) & s
    if thrice:
        return _highest(_of_highest(cards, thrice), 3)
    twice = both | either & h | (either | h) & s
    return _of_highest(cards, twice) if twice else 0


def _straight(ranks: int) -> int:
    """Return the ranks of the highest straight; an ace may be its lowest card."""
    runs = ranks << WIDTH | ranks >> ACE_BIT
    starts = runs & runs >> WIDTH & runs >> 2 * WIDTH & runs >> 3 * WIDTH & runs >> 4 * WIDTH
    if not starts:
        return 0
    run = FIVE_RANKS << starts.bit_length() - 1
    return run >> WIDTH | (run & 1) << ACE_BIT


def _of_highest(cards: int, ranks: int) -> int:
    """Return all cards of the highest of the ranks."""
    return cards & ALL_SUITS << ranks.bit_length() - 1


def _one_of_each(cards: int, ranks: int) -> int:
    taken = 0
    while ranks:
        rank = 1 << ranks.bit_length() - 1
        taken |= _highest(cards & rank * ALL_SUITS, 1)
        ranks ^= rank
    return taken


def _highest(cards: int, count: int) -> int:
    """Return the highest cards of a set with at least so many."""
    left = cards
    for _ in range(count):
        left ^= 1 << left.bit_length() - 1
    return cards ^ left


def _cards(cards: int) -> tuple[Card, ...]:
    """Return the cards of a set, the highest first."""
    found = []
    while cards:
        place = cards.bit_length() - 1
        found.append(CARDS[place])
        cards ^= 1 << place
    return tuple(found)


def _swapped(hands: Hands) -> Iterator[Hands]:
    """Yield the arrangements, legal or not, in which a card has changed places with one of another hand."""
    for one, other in ((1, 2), (0, 2), (0, 1)):
        for mine, theirs in product(reversed(hands[one]), hands[other]):
            changed = {mine: theirs, theirs: mine}
            first, second, third = [tuple([changed.get(card, card) for card in hand]) for hand in hands]
            yield first, second, third


def _all(cards: int) -> Iterator[Hands]:
    """Yield every arrangement, legal or not."""
    hand = _cards(cards)
    for third in combinations(hand, SIZES[2]):
        left = [card for card in hand if card not in third]
        for second in combinations(left, SIZES[1]):
            yield tuple([card for card in left if card not in second]), second, third

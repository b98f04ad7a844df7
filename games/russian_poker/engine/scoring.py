"""What cards are worth: combinations, pays, insurance bounds (RP-1, RP-5.8)."""

from collections import Counter
from collections.abc import Iterator, Sequence
from enum import IntEnum
from itertools import combinations
from typing import NamedTuple

from games.core.cards import ACE, KING, Card
from games.core.ranking import EIGHT_OR_MORE, RANKS_ONLY, THREE_EACH, runs_in, suited_ranks


class Category(IntEnum):
    """The ladder of combinations, lowest first (RP-1.2)."""

    NOTHING = 0
    ACE_KING = 1
    PAIR = 2
    TWO_PAIR = 3
    THREE_OF_A_KIND = 4
    STRAIGHT = 5
    FLUSH = 6
    FULL_HOUSE = 7
    FOUR_OF_A_KIND = 8
    STRAIGHT_FLUSH = 9
    ROYAL_FLUSH = 10

    @property
    def code(self) -> str:
        """The category's name in JSON."""
        return _CODES[self]


_CODES = tuple(category.name.lower() for category in Category)

LOWEST_GAME = Category.ACE_KING
"""The dealer has a game from here on (RP-6.1)."""
LOWEST_BONUS = Category.THREE_OF_A_KIND
"""Bonus pays from here on (RP-4.1)."""
LOWEST_INSURED = Category.THREE_OF_A_KIND
"""A box may be insured from here on (RP-5.8)."""


class Pattern(NamedTuple):
    """A combination without its cards: its category, the ranks of its exact cards, and its suit where one is needed (RP-1.4)."""

    category: Category
    ranks: tuple[int, ...]
    suit: int | None = None


class Hand(NamedTuple):
    """The first combination of five or six cards, and the second if there is one (RP-1.5)."""

    first: Pattern
    second: Pattern | None

    def multiple(self, pays: Sequence[int]) -> int:
        """Return the total multiple by the pay of each category (RP-1.5)."""
        return pays[self.first[0]] + (pays[self.second[0]] if self.second else 0)


class Combination(NamedTuple):
    """A combination with the cards that are shown for it."""

    category: Category
    cards: tuple[Card, ...]


def evaluate(cards: Sequence[Card]) -> Hand:
    """Return the two combinations of five or six cards.

    **Rule** RP-1.5. Since multiples never fall going up the ladder, the best-paying second is the highest; so the answer depends
    on the cards alone, and on their ranks alone unless five are of one suit.
    """
    total = 0
    for card in cards:
        total += card.tally
    if total + THREE_EACH & EIGHT_OR_MORE:
        return _evaluate(cards, *suited_ranks(cards))
    ranks = total & RANKS_ONLY
    hand = _KNOWN.get(ranks)
    if hand is None:
        hand = _KNOWN[ranks] = _evaluate(cards, -1, [])
    return hand


_KNOWN: dict[int, Hand] = {}
"""Hands by ranks where suits do not matter: 24,570 at most."""


def _evaluate(cards: Sequence[Card], suit: int, suited: list[int]) -> Hand:
    patterns = list(_patterns(cards, suit, suited))
    if not patterns:
        return Hand(Pattern(Category.NOTHING, ()), None)
    first = patterns[0]
    beside = set(range(len(cards))).difference(_places(first, cards))
    second = next((each for each in patterns if any(_fits(each, cards[place]) for place in beside)), None)
    return Hand(first, second)


def _patterns(cards: Sequence[Card], suit: int, suited: list[int]) -> Iterator[Pattern]:
    """Yield every pattern that the cards hold, from the highest down (RP-1.2, RP-1.3, RP-1.7).

    ``suited`` are the ranks of the suit that makes a flush, if one does.
    """
    counts = Counter([card.rank for card in cards])
    ranks = sorted(counts, reverse=True)
    pairs, threes = ([rank for rank in ranks if counts[rank] >= count] for count in (2, 3))
    for run in runs_in(suited):
        yield Pattern(Category.ROYAL_FLUSH if run[0] == ACE else Category.STRAIGHT_FLUSH, run, suit)
    yield from (Pattern(Category.FOUR_OF_A_KIND, (rank,) * 4) for rank in ranks if counts[rank] == 4)
    yield from (Pattern(Category.FULL_HOUSE, (three,) * 3 + (pair,) * 2) for three in threes for pair in pairs if pair != three)
    yield from (Pattern(Category.FLUSH, five, suit) for five in combinations(suited, 5))
    yield from (Pattern(Category.STRAIGHT, run) for run in runs_in(ranks))
    yield from (Pattern(Category.THREE_OF_A_KIND, (rank,) * 3) for rank in threes)
    yield from (Pattern(Category.TWO_PAIR, (high,) * 2 + (low,) * 2) for high, low in combinations(pairs, 2))
    yield from (Pattern(Category.PAIR, (rank,) * 2) for rank in pairs)
    if ACE in counts and KING in counts:
        yield Pattern(Category.ACE_KING, (ACE, KING))


def shown(hand: Hand, cards: Sequence[Card]) -> tuple[Combination, Combination | None]:
    """Return the hand's combinations with their cards: the smallest list of places of each, compared left to right (RP-1.5)."""
    places = _places(hand.first, cards)
    first = Combination(hand.first.category, tuple([cards[place] for place in places]))
    if hand.second is None:
        return first, None
    beside = [place for place in range(len(cards)) if place not in places and _fits(hand.second, cards[place])]
    places = min(_places(hand.second, cards, through=place) for place in beside)
    return first, Combination(hand.second.category, tuple([cards[place] for place in places]))


def _fits(pattern: Pattern, card: Card) -> bool:
    return card.rank in pattern.ranks and pattern.suit in (None, card.suit)


def _places(pattern: Pattern, cards: Sequence[Card], through: int | None = None) -> list[int]:
    """Return the smallest list of places that makes the pattern, with the card at ``through`` among them if that is given."""
    needed = list(pattern.ranks)
    found = []
    if through is not None:
        needed.remove(cards[through].rank)
        found.append(through)
    for place, card in enumerate(cards):
        if place != through and card.rank in needed and pattern.suit in (None, card.suit):
            needed.remove(card.rank)
            found.append(place)
    return found if through is None else sorted(found)

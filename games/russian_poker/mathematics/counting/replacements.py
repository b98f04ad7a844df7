"""What a dealer without a game has after the highest card is replaced, once for all boxes that bought one (RP-6.5).

A replacement ends with a card of another rank than the replaced one, or with the one of that rank that makes a flush, if any:
these cards are called *stops*. Others of the rank only lead to the next draw, and there are at most three of them. So the card
that stays is each of the unseen stops with equal chance.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from games.core.cards import RANKS
from games.russian_poker.engine.scoring import LOWEST_GAME, Category
from games.russian_poker.mathematics.counting.avoiding import Avoiding
from games.russian_poker.mathematics.counting.hands import CARDS, SUITS, Ints, all_hands, judged
from games.russian_poker.mathematics.counting.showdowns import CATEGORIES, Kinds, Progress, levels, row_numbers

BOUGHT = 3
"""Outcomes of a bought game: won, lost, tied; what is left of all is still no game."""


@dataclass
class Replacements:
    """Counts of (dealer's hand without a game, card that stays), by the number of unseen stops: each has the chance 1 / stops."""

    alone: dict[int, Ints]
    """By the dealer's category afterwards; unseen are the 47 cards that the dealer does not hold."""
    against_five: dict[int, Ints]
    """With a box of five cards: by its combinations and won, lost, tied; unseen are the 42 other cards."""


@dataclass
class _Group:
    """Dealer's hands whose highest cards have one rank, and whose other cards have one suit or, with None, several."""

    rank: int
    suit: int | None
    rests: Ints
    highest: Ints

    @property
    def flush_card(self) -> int | None:
        """The card of the replaced one's rank that makes a flush."""
        return None if self.suit is None else len(RANKS) * self.suit + self.rank

    def stops(self, boxes: Ints) -> Ints:
        """Return how many unseen stops there are beside each box: the cards of the rank that are unseen are none."""
        count = CARDS - 5 - boxes.shape[1] - 3 + (boxes % len(RANKS) == self.rank).sum(axis=1)
        if self.flush_card is not None:
            count = count + (boxes != self.flush_card).all(axis=1)
        return np.asarray(count)

    def replaced(self) -> tuple[Ints, Ints]:
        """Return the dealer's cards after every replacement, and all six cards that it takes, both ascending."""
        drawn = [card for card in range(CARDS) if card % len(RANKS) != self.rank or card == self.flush_card]
        after = [_with(self.rests, card) for card in drawn]
        free = [(self.rests != card).all(axis=1) for card in drawn]
        hands = np.concatenate([each[fits] for each, fits in zip(after, free, strict=True)])
        highest = np.concatenate([self.highest[fits] for fits in free])
        return np.sort(hands, axis=1), np.sort(np.column_stack((hands, highest)), axis=1)


def _with(hands: Ints, card: int) -> Ints:
    return np.column_stack((hands, np.full(len(hands), card, dtype=np.uint8)))


def count_replacements(boxes: Kinds, progress: Progress) -> Replacements:
    """Count every replacement, alone and beside every box of five cards."""
    hands = all_hands(5)
    known = judged(hands)
    found = Replacements({}, {})
    for group in _groups(hands[known.first == Category.NOTHING]):
        progress(f"replacing {RANKS[group.rank]}" + ("" if group.suit is None else f", the rest of suit {group.suit}"))
        after, taken = group.replaced()
        rows = row_numbers(after)
        (alone,) = group.stops(np.zeros((1, 0), dtype=np.uint8)).tolist()
        _table(found.alone, alone, (CATEGORIES,))[:] += np.bincount(known.first[rows], minlength=CATEGORIES)
        game = known.first[rows] >= LOWEST_GAME
        outcomes = _outcomes(boxes, known.strength[rows][game], taken[game])
        stops = group.stops(boxes.hands)
        for number in np.unique(stops[outcomes.any(axis=1)]).tolist():
            at = stops == number
            table = _table(found.against_five, number, (CATEGORIES, CATEGORIES, BOUGHT))
            first, second = (each[at] for each in boxes.groups)
            np.add.at(table, (first, second), boxes.weights[at, np.newaxis] * outcomes[at])
    return found


def _groups(dealers: Ints) -> Iterator[_Group]:
    """Divide the dealer's hands without a game; such a hand has one highest card."""
    places = (dealers % len(RANKS)).argmax(axis=1)
    highest = dealers[np.arange(len(dealers)), places]
    rests = dealers[np.arange(5) != places[:, np.newaxis]].reshape(-1, 4)
    suits = rests // len(RANKS)
    suit = np.where((suits == suits[:, :1]).all(axis=1), suits[:, 0], SUITS)
    for rank in np.unique(highest % len(RANKS)).tolist():
        for value in range(SUITS + 1):
            within = (highest % len(RANKS) == rank) & (suit == value)
            yield _Group(rank, value if value < SUITS else None, rests[within], highest[within])


def _outcomes(boxes: Kinds, strengths: Ints, taken: Ints) -> Ints:
    """Return for each box how many of the replacements that give a game it wins, loses and ties."""
    outcomes = np.zeros((len(boxes.hands), BOUGHT), dtype=np.int64)
    lower, reached = Avoiding(), 0
    for strength, places in levels(strengths):
        above = boxes.between(reached, strength)
        outcomes[above, 0] = lower.count(boxes.hands[above])
        equal = boxes.between(strength, strength + 1)
        outcomes[equal, 0] = lower.count(boxes.hands[equal])
        lower.add(taken[places])
        outcomes[equal, 2] = lower.count(boxes.hands[equal]) - outcomes[equal, 0]
        reached = strength + 1
    above = boxes.between(reached, 1 << 60)
    outcomes[above, 0] = lower.count(boxes.hands[above])
    outcomes[:, 1] = lower.count(boxes.hands) - outcomes.sum(axis=1)
    return outcomes


def _table(tables: dict[int, Ints], stops: int, shape: tuple[int, ...]) -> Ints:
    return tables.setdefault(stops, np.zeros(shape, dtype=np.int64))

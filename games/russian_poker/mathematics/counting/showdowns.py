"""How a box's hand stands against every hand of the dealer (RP-1.6, RP-1.7, RP-6.1 to RP-6.3)."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from math import comb

import numpy as np

from games.russian_poker.engine.scoring import LOWEST_GAME, Category
from games.russian_poker.mathematics.counting.avoiding import Avoiding
from games.russian_poker.mathematics.counting.hands import CARDS, Ints, Judged, all_hands, hands_up_to_suits, judged

Progress = Callable[[str], None]
CATEGORIES = len(Category)
NO_GAME, WON, LOST, TIED = range(4)


@dataclass
class Kinds:
    """Hands of a box up to the names of suits, how many are of each kind, and what the engine says of them."""

    hands: Ints
    weights: Ints
    judged: Judged
    outcomes: Ints = field(init=False)
    """For each kind the number of dealer's hands by outcome: no game, won, lost, tied."""

    def __post_init__(self) -> None:
        self.outcomes = np.zeros((len(self.hands), 4), dtype=np.int64)
        by_strength = np.argsort(self.judged.strength, kind="stable")
        self._ordered, self._by_strength = self.judged.strength[by_strength], by_strength

    def between(self, low: int, high: int) -> Ints:
        """Return the places of the kinds whose strength is at least ``low`` and below ``high``."""
        start, end = np.searchsorted(self._ordered, (low, high))
        return self._by_strength[start:end]

    @property
    def groups(self) -> tuple[Ints, Ints]:
        """The categories of the two combinations: what counts are summed by."""
        return self.judged.first, self.judged.second


def kinds(size: int) -> Kinds:
    """Return all kinds of hands of so many cards."""
    hands, weights = hands_up_to_suits(size)
    return Kinds(hands, weights, judged(hands))


def levels(strengths: Ints) -> Iterator[tuple[int, Ints]]:
    """Yield each strength, lowest first, with the places of the hands that have it."""
    order = np.argsort(strengths, kind="stable")
    found, starts = np.unique(strengths[order], return_index=True)
    yield from zip(found.tolist(), np.split(order, starts[1:]), strict=True)


@dataclass
class Showdowns:
    """Counts by category; the second index, where there is one, is the second combination's, 0 for none."""

    five: Ints
    """Hands of five cards by first and second combination."""
    six: Ints
    """Hands of six cards by first and second combination."""
    boxes: Ints
    """Two boxes of one deal: ordered pairs of disjoint hands of five cards by their first combinations."""
    against_five: Ints
    """A box of five cards and a dealer's hand, by the box's combinations and the outcome."""
    against_six: Ints
    """The same with a sixth card, by the first combination of the first five, then those of the six, then the outcome."""


def count_showdowns(progress: Progress) -> tuple[Kinds, Showdowns]:
    """Count every pair of a box's hand, of five and of six cards, and a dealer's hand.

    **Rule** The dealer's hands are added from the lowest up, so those that a box beats are added before its own strength.
    """
    dealers = all_hands(5)
    known = judged(dealers)
    five, six = kinds(5), kinds(6)
    progress(f"{len(five.hands)} and {len(six.hands)} kinds of boxes against {len(dealers)} hands of the dealer")
    boxes = _meet(five, six, dealers, known, progress)
    progress("sums")
    return five, Showdowns(
        five=_summed((CATEGORIES, CATEGORIES), five.groups, five.weights),
        six=_summed((CATEGORIES, CATEGORIES), six.groups, six.weights),
        boxes=boxes,
        against_five=_summed((CATEGORIES, CATEGORIES, 4), five.groups, five.weights[:, np.newaxis] * five.outcomes),
        against_six=_by_first_five(six, known),
    )


def _meet(five: Kinds, six: Kinds, dealers: Ints, known: Judged, progress: Progress) -> Ints:
    """Fill in the outcomes of all kinds; return the pairs of boxes by category, which fall out on the way."""
    lower = Avoiding()
    boxes = np.zeros((CATEGORIES, CATEGORIES), dtype=np.int64)
    counted, category = np.zeros(len(five.hands), dtype=np.int64), int(Category.NOTHING)
    for strength, places in levels(known.strength):
        if known.first[places[0]] != category:
            counted = _close_category(five, lower, boxes, category, counted)
            category = int(known.first[places[0]])
            progress(f"up to {Category(category).code}")
            if category == LOWEST_GAME:
                for each in (five, six):
                    each.outcomes[:, NO_GAME] = lower.count(each.hands)
        _met(five, six, lower, dealers[places], strength)
    _close_category(five, lower, boxes, category, counted)
    for each, unseen in ((five, CARDS - 5), (six, CARDS - 6)):
        each.outcomes[:, LOST] = comb(unseen, 5) - each.outcomes.sum(axis=1)
    return boxes


def _met(five: Kinds, six: Kinds, lower: Avoiding, dealers: Ints, strength: int) -> None:
    """Add the dealer's hands of one strength, and settle the kinds of that strength, if it is one of a game."""
    equals = [(each, places) for each in (five, six) if len(places := each.between(strength, strength + 1))]
    before = [lower.count(each.hands[places]) for each, places in equals]
    lower.add(dealers)
    for (each, places), below in zip(equals, before, strict=True):
        if each.judged.first[places[0]] >= LOWEST_GAME:
            each.outcomes[places, WON] = below - each.outcomes[places, NO_GAME]
            each.outcomes[places, TIED] = lower.count(each.hands[places]) - below


def _close_category(five: Kinds, lower: Avoiding, boxes: Ints, category: int, counted: Ints) -> Ints:
    """Count for all kinds the other hands of the category that has just been added; return all that are added by now."""
    all_lower = lower.count(five.hands)
    np.add.at(boxes[:, category], five.judged.first, five.weights * (all_lower - counted))
    return all_lower


def _by_first_five(six: Kinds, known: Judged) -> Ints:
    """Sum six-card outcomes by what the five cards before the sixth were, each of the six cards being the last in turn."""
    total = np.zeros((CATEGORIES,) * 3 + (4,), dtype=np.int64)
    weighted = six.weights[:, np.newaxis] * six.outcomes
    for last in range(6):
        before = known.first[row_numbers(np.delete(six.hands, last, axis=1))]
        np.add.at(total, (before, *six.groups), weighted)
    return total


def row_numbers(hands: Ints) -> Ints:
    """Return the place of each hand, cards ascending, among all of its size (``all_hands``)."""
    numbers = np.zeros(len(hands), dtype=np.int64)
    for place in range(hands.shape[1]):
        numbers += np.array([comb(card, place + 1) for card in range(CARDS)])[hands[:, place]]
    return numbers


def _summed(shape: tuple[int, ...], groups: tuple[Ints, ...], counts: Ints) -> Ints:
    total = np.zeros(shape, dtype=np.int64)
    np.add.at(total, groups, counts)
    return total

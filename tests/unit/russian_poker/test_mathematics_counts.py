"""The counting behind the mathematics, against hands counted one by one and against the rules taken literally."""

import math
from collections import Counter
from fractions import Fraction
from itertools import combinations, pairwise
from math import comb

import numpy as np
import pytest

from games.core.cards import DECK_52
from games.core.ranking import strength
from games.engines import current_engine
from games.mathematics import MATHEMATICS
from games.russian_poker.engine.play import MOST_REPEATS
from games.russian_poker.engine.scoring import Category, evaluate
from games.russian_poker.mathematics.counting.avoiding import Avoiding
from games.russian_poker.mathematics.counting.hands import all_hands, hands_up_to_suits, judged
from games.russian_poker.mathematics.counting.showdowns import row_numbers
from games.russian_poker.mathematics.frequencies import FREQUENCIES

MATHS = MATHEMATICS["russian_poker"]
FIGURES = MATHS.figures(current_engine("russian_poker").default_pay_table)

WHOLE = math.perm(47, 4) * math.perm(42, 4)
"""A chance of one, in parts that four draws from 47 and from 42 cards divide evenly."""


@pytest.fixture(scope="module")
def dealers():
    hands = all_hands(5)
    return hands, judged(hands)


def test_all_hands_stand_by_their_numbers():
    hands = all_hands(3)
    assert sorted(map(tuple, hands.tolist())) == list(combinations(range(52), 3))
    assert row_numbers(hands).tolist() == list(range(comb(52, 3)))


@pytest.mark.parametrize("size", [1, 2, 3, 5])
def test_kinds_up_to_suits_are_all_hands(size):
    hands, weights = hands_up_to_suits(size)
    assert weights.sum() == comb(52, size)

    def kind(hand):
        return tuple(sorted(tuple(card % 13 for card in hand if card // 13 == suit) for suit in range(4)))

    if size < 5:
        counted = Counter(map(kind, combinations(range(52), size)))
        assert counted == dict(zip(map(kind, hands.tolist()), weights.tolist(), strict=True))


def test_hands_are_judged_as_the_engine_judges_them(dealers):
    hands, known = dealers
    places = np.arange(0, len(hands), 397)
    found = [[DECK_52[index] for index in hand] for hand in hands[places].tolist()]
    assert [evaluate(cards).first.category for cards in found] == known.first[places].tolist()
    ordered = sorted(zip(map(strength, found), known.strength[places].tolist(), strict=True))
    assert all((a[0] == b[0]) == (a[1] == b[1]) and a[1] <= b[1] for a, b in pairwise(ordered))


def test_avoiding_counts_as_a_plain_search_does(dealers):
    hands = dealers[0][::9973]
    others = all_hands(6)[:: comb(52, 6) // 40]
    tables = Avoiding()
    tables.add(hands)
    plain = [sum(not set(hand) & set(other) for hand in hands.tolist()) for other in others.tolist()]
    assert tables.count(others).tolist() == plain


@pytest.mark.parametrize(
    "category", [Category.ROYAL_FLUSH, Category.STRAIGHT_FLUSH, pytest.param(Category.FOUR_OF_A_KIND, marks=pytest.mark.slow)]
)
def test_showdowns_of_rare_hands_counted_one_by_one(category, dealers):
    """Each hand of the category, up to suits, against every dealer's hand that shares no card with it."""
    hands, known = dealers
    boxes, weights = hands_up_to_suits(5)
    own = judged(boxes)
    sums = np.zeros((len(Category), 4), dtype=np.int64)
    bits = (np.int64(1) << hands.astype(np.int64)).sum(axis=1)
    mine = np.flatnonzero(own.first == category)
    for place in mine:
        free = bits & (np.int64(1) << boxes[place].astype(np.int64)).sum() == 0
        game = known.first[free] >= Category.ACE_KING
        theirs, mine_is = known.strength[free][game], own.strength[place]
        outcomes = (len(game) - len(theirs), (theirs < mine_is).sum(), (theirs > mine_is).sum(), (theirs == mine_is).sum())
        sums[own.second[place]] += np.array(outcomes) * weights[place]
    for second in Category:
        expected = FREQUENCIES.against_five.get((category, second), (0, 0, 0, 0))
        assert tuple(sums[second].tolist()) == tuple(expected)


def literal_chances(dealer, deck, chance, replaced=0):
    """Yield every hand that RP-6.5 can end with and its part of ``chance``, drawing card after card as the clause says."""
    highest = max(dealer, key=lambda card: card.rank)
    each, rest = divmod(chance, len(deck))
    assert not rest
    for drawn in deck:
        after = [drawn if card is highest else card for card in dealer]
        repeated = drawn.rank == highest.rank and evaluate(after).first.category is not Category.FLUSH
        if repeated and replaced < MOST_REPEATS:
            yield from literal_chances(after, [card for card in deck if card is not drawn], each, replaced + 1)
        else:
            yield after, each


def spread(hands):
    return [DECK_52[index] for index in hands]


@pytest.mark.slow
def test_rp_6_5_replacements_by_the_clause_itself():
    """Every dealer's hand without a game, up to suits, every card after it; nothing else known."""
    hands, weights = hands_up_to_suits(5)
    found, total = Counter(), 0
    for hand, weight in zip(hands.tolist(), weights.tolist(), strict=True):
        dealer = spread(hand)
        if evaluate(dealer).first.category is Category.NOTHING:
            total += weight
            deck = [card for card in DECK_52 if card not in dealer]
            for after, chance in literal_chances(dealer, deck, WHOLE):
                found[evaluate(after).first.category] += weight * chance
    figures = FIGURES["dealer"]["categories_after_replacement"]
    assert {category.code: Fraction(count, total * WHOLE) for category, count in found.items()} == {
        code: Fraction(each["exact"]) for code, each in figures.items()
    }


@pytest.mark.slow
def test_rp_6_5_a_game_bought_for_a_royal_flush_by_the_clause_itself():
    """The royal flush of spades beside every dealer's hand without a game, up to the other three suits."""
    box = [DECK_52[39 + place] for place in range(8, 13)]
    hands, weights = hands_beside_spades()
    won = tied = total = 0
    own = strength(box)
    for hand, weight in zip(hands, weights, strict=True):
        dealer = spread(hand)
        if set(dealer) & set(box) or evaluate(dealer).first.category is not Category.NOTHING:
            continue
        total += weight
        deck = [card for card in DECK_52 if card not in dealer and card not in box]
        for after, chance in literal_chances(dealer, deck, WHOLE):
            if evaluate(after).first.category >= Category.ACE_KING:
                won += weight * chance * (strength(after) < own)
                tied += weight * chance * (strength(after) == own)
    chances = FIGURES["purchase"]["royal_flush"]
    assert (Fraction(won, total * WHOLE), Fraction(tied, total * WHOLE)) == (
        Fraction(chances["won"]["exact"]),
        Fraction(chances["tied"]["exact"]),
    )


def hands_beside_spades():
    """Hands of five up to the names of clubs, diamonds and hearts; spades are the last 13 cards."""
    kinds = Counter()
    for hand in all_hands(5).tolist():
        suits = sorted((tuple(card % 13 for card in hand if card // 13 == suit) for suit in range(3)), reverse=True)
        spades = tuple(card for card in hand if card >= 39)
        kinds[tuple(13 * suit + rank for suit, ranks in enumerate(suits) for rank in ranks) + spades] += 1
    return list(kinds), list(kinds.values())


@pytest.mark.slow
def test_kept_frequencies_are_those_that_are_counted():
    said = []
    assert MATHS.recount(said.append) == MATHS.frequencies
    assert len(said) > 20


@pytest.mark.slow
def test_every_hand_of_five_and_six_is_what_the_engine_says(dealers):
    """Without any shortcut: the engine is asked for each single hand."""
    assert Counter(_pair(hand) for hand in dealers[0].tolist()) == FREQUENCIES.five
    hands, weights = hands_up_to_suits(6)
    counted = Counter()
    for hand, weight in zip(hands.tolist(), weights.tolist(), strict=True):
        counted[_pair(hand)] += weight
    assert counted == FREQUENCIES.six


def _pair(hand):
    found = evaluate(spread(hand))
    return found.first.category, found.second.category if found.second else Category.NOTHING

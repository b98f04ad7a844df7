"""The dealer's side: game, insurance, and the game that is bought (RP-5.8, RP-6)."""

from collections import defaultdict
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from games.core.mathematics import exact_json
from games.russian_poker.engine.scoring import LOWEST_GAME, LOWEST_INSURED, Category
from games.russian_poker.engine.setup import PayTable
from games.russian_poker.mathematics.figures import by_first, chances_json, multiple
from games.russian_poker.mathematics.frequencies import Frequencies, Pair, Showdown

NO_GAME_PROFIT = 1
"""Antes that a box wins when the dealer has no game and none is bought (RP-6.4)."""
FEE = 1
"""Antes that a sixth card, and a purchase, cost."""
AT_STAKE = 3
"""Antes that a playing box may lose: its Ante and its Bet."""


def dealer_json(counts: Frequencies) -> dict[str, Any]:
    """Return the chance of a game, and of one after the replacement of a hand without it, given the dealer's hand only."""
    hands = sum(counts.five.values())
    firsts = by_first(counts.five)
    without = firsts[Category.NOTHING]
    after: dict[Category, Fraction] = defaultdict(Fraction)
    for stops, table in counts.after_replacement.items():
        for category, count in table.items():
            after[category] += Fraction(count, stops * without)
    return {
        "game": exact_json(Fraction(hands - without, hands)),
        "categories": chances_json(firsts, hands),
        "game_after_replacement": exact_json(sum((after[each] for each in after if each >= LOWEST_GAME), Fraction(0))),
        "categories_after_replacement": {category.code: exact_json(after[category]) for category in sorted(after)},
    }


def insurance_json(counts: Frequencies) -> dict[str, Any]:
    """Return per unit insured what it gives by the box's first combination, over all its hands and all unseen dealer's hands.

    **Rule** RP-6.2, RP-6.3: it wins as much without a game, comes back with a lost box, else is lost.
    """
    six: dict[Pair, Showdown] = defaultdict(Showdown)
    for (_, pair), each in counts.against_six.items():
        six[pair] = added(six[pair], each)
    return {"five_cards": _insured(counts.against_five), "six_cards": _insured(six)}


def _insured(showdowns: Mapping[Pair, Showdown]) -> dict[str, Any]:
    sums: dict[Category, Showdown] = defaultdict(Showdown)
    for (first, _), each in showdowns.items():
        sums[first] = added(sums[first], each)
    return {category.code: _insurance(sums[category]) for category in Category if category >= LOWEST_INSURED}


def _insurance(sums: Showdown) -> dict[str, Any]:
    return {
        **{f"dealer_{name}": exact_json(Fraction(count, sums.total)) for name, count in _dealers(sums).items()},
        "expectation": exact_json(Fraction(sums.no_game - sums.won - sums.tied, sums.total)),
    }


def _dealers(sums: Showdown) -> dict[str, int]:
    return {"no_game": sums.no_game, "lower": sums.won, "higher": sums.lost, "equal": sums.tied}


def added(one: Showdown, other: Showdown) -> Showdown:
    """Return the counts of both."""
    return Showdown(*(mine + theirs for mine, theirs in zip(one, other, strict=True)))


def purchase_json(counts: Frequencies, pays: PayTable) -> dict[str, Any]:
    """Return what buying the dealer a game changes for a box of five cards, in Antes, by its first combination.

    Known are the box's cards and the dealer's; averaged over all pairs of those in which the dealer has no game.
    """
    return {category.code: _purchase(counts, pays, category) for category in Category}


def _purchase(counts: Frequencies, pays: PayTable, category: Category) -> dict[str, Any]:
    chances = purchase_chances(counts, category)
    still = Fraction(1) - sum(chances.values())
    bought = purchase_profit(chances, pays)
    named = {name: sum((chance for (_, each), chance in chances.items() if each == name), Fraction(0)) for name in _OUTCOMES}
    return {
        **{name: exact_json(chance) for name, chance in named.items()},
        "still_no_game": exact_json(still),
        "expectation_bought": exact_json(bought),
        "expectation_not_bought": exact_json(Fraction(NO_GAME_PROFIT)),
        "gain": exact_json(bought - NO_GAME_PROFIT),
    }


_OUTCOMES = ("won", "lost", "tied")


def purchase_chances(counts: Frequencies, category: Category) -> dict[tuple[Pair, str], Fraction]:
    """Return the chance of each combination and outcome once a game is bought for a box of the category."""
    without = without_game(counts, category)
    chances: dict[tuple[Pair, str], Fraction] = defaultdict(Fraction)
    for stops, table in counts.bought.items():
        for pair, outcomes in table.items():
            if pair[0] == category:
                for name, count in zip(_OUTCOMES, outcomes, strict=True):
                    chances[pair, name] += Fraction(count, stops * without)
    return chances


def without_game(counts: Frequencies, category: Category) -> int:
    """Return how many pairs of a box of the category, with five cards, and a dealer's hand without a game there are."""
    return sum(each.no_game for (first, _), each in counts.against_five.items() if first == category)


def purchase_profit(chances: Mapping[tuple[Pair, str], Fraction], pays: PayTable) -> Fraction:
    """Return what a box wins in Antes with a bought game, the fee paid: on a tie, or still without a game, nothing (RP-6.6)."""
    profit = Fraction(-FEE)
    for (pair, name), chance in chances.items():
        if name == "won":
            profit += 2 * multiple(pair, pays) * chance
        elif name == "lost":
            profit -= AT_STAKE * chance
    return profit

"""The blind box, and simple ways to play an open one (RP-5, RP-6). All in Antes; the dealer's shown card is never used."""

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any, NamedTuple

from games.core.mathematics import Wager, deviation_json, exact_json
from games.russian_poker.engine.scoring import Category
from games.russian_poker.engine.setup import PayTable
from games.russian_poker.mathematics.dealing import AT_STAKE, FEE, NO_GAME_PROFIT, purchase_chances, without_game
from games.russian_poker.mathematics.figures import multiple
from games.russian_poker.mathematics.frequencies import Frequencies, Pair, Showdown


class Result(NamedTuple):
    """What a box staked in all, fees with it, and what it won or lost on balance, in Antes."""

    staked: int
    profit: int


Chances = Mapping[Result, Fraction]
Weights = dict[Result, int]
Choice = Callable[[Category], str]
"""What to do with a box by its first combination: ``fold``, ``bet`` or, with five cards, ``bet_and_buy`` or ``sixth_card``."""

FOLD, BET, SIXTH_CARD = "fold", "bet", "sixth_card"
BET_AND_BUY = "bet_and_buy"
"""Bet, and buy the dealer a game whenever there is none. Counted are purchases for five cards only (``Frequencies.bought``)."""


def _profits(pair: Pair, showdown: Showdown, pays: PayTable) -> list[tuple[int, int]]:
    """Return what a box that bet wins by each outcome, with its count."""
    profits = (NO_GAME_PROFIT, 2 * multiple(pair, pays), -AT_STAKE, 0)
    return list(zip(profits, showdown, strict=True))


def blind_box(counts: Frequencies, pays: PayTable) -> Wager:
    """Return a blind box without purchase and insurance: a bet of one Ante and two more, per unit of the three."""
    chances: dict[Fraction, Fraction] = defaultdict(Fraction)
    for result, chance in _played(counts, pays, lambda _: BET, lambda _: BET).items():
        chances[Fraction(result.staked + result.profit, result.staked)] += chance
    return Wager(chances)


def blind_box_json(counts: Frequencies, pays: PayTable) -> dict[str, Any]:
    """Return a blind box's figures in Antes and as a share of the three Antes staked, and its outcomes."""
    wager = blind_box(counts, pays)
    sums = [sum(each[place] for each in counts.against_five.values()) for place in range(len(Showdown._fields))]
    return {
        **_result_json(_played(counts, pays, lambda _: BET, lambda _: BET)),
        "edge": exact_json(wager.edge),
        "outcomes": {name: exact_json(Fraction(count, sum(sums))) for name, count in zip(Showdown._fields, sums, strict=True)},
    }


def strategies_json(counts: Frequencies, pays: PayTable) -> dict[str, Any]:
    """Return what the strategies expect, and what those do that decide by the first combination alone."""
    best, buying = _best_choices(counts, pays)
    return {
        **{name: _result_json(chances) for name, chances in _strategies(counts, pays).items()},
        "best_by_combination_choices": _choices_json(best),
        "best_by_combination_with_purchase_choices": _choices_json(buying),
    }


def best_return(counts: Frequencies, pays: PayTable) -> Fraction:
    """Return what the best of the strategies gives back of each unit staked."""
    return max(_return(chances) for chances in _strategies(counts, pays).values())


def _strategies(counts: Frequencies, pays: PayTable) -> dict[str, Chances]:
    """Play simple strategies, and the best that decide by the first combination alone.

    None exchanges cards, insures or, but for the last and with five cards, buys a game.
    """
    best, buying = _best_choices(counts, pays)
    after = _best_after_sixth(counts, pays).__getitem__
    return {
        "always_bet": _played(counts, pays, lambda _: BET, lambda _: BET),
        "bet_from_ace_king": _played(counts, pays, _from(Category.ACE_KING), lambda _: BET),
        "bet_from_pair": _played(counts, pays, _from(Category.PAIR), lambda _: BET),
        "sixth_card_always_then_bet": _played(counts, pays, lambda _: SIXTH_CARD, lambda _: BET),
        "sixth_card_always_then_bet_from_pair": _played(counts, pays, lambda _: SIXTH_CARD, _from(Category.PAIR)),
        "best_by_combination": _played(counts, pays, best.__getitem__, after),
        "best_by_combination_with_purchase": _played(counts, pays, buying.__getitem__, after),
    }


def _choices_json(choices: Mapping[Category, str]) -> dict[str, str]:
    return {category.code: choice for category, choice in choices.items()}


def _from(lowest: Category) -> Choice:
    return lambda category: BET if category >= lowest else FOLD


def _result_json(chances: Chances) -> dict[str, Any]:
    expectation, staked = _profit(chances), _staked(chances)
    square = sum((result.profit**2 * chance for result, chance in chances.items()), Fraction(0))
    return {
        "expectation": exact_json(expectation),
        "deviation": deviation_json(square - expectation**2),
        "staked": exact_json(staked),
        "return": exact_json(_return(chances)),
    }


def _return(chances: Chances) -> Fraction:
    return 1 + Fraction(_profit(chances), _staked(chances))


def _profit(chances: Chances) -> Fraction:
    return sum((result.profit * chance for result, chance in chances.items()), Fraction(0))


def _staked(chances: Chances) -> Fraction:
    return sum((result.staked * chance for result, chance in chances.items()), Fraction(0))


def _played(counts: Frequencies, pays: PayTable, five: Choice, six: Choice) -> Chances:
    """Return the chances of every result when boxes are played by these choices, on five cards and, if bought, on six."""
    weights = _five_weights(counts, pays, five)
    bought = _six_weights(counts, pays, five, six)
    whole_five, whole_six = _total(counts.against_five), _total(counts.against_six)
    chances: dict[Result, Fraction] = defaultdict(Fraction)
    for found, whole in ((weights, whole_five), (bought, whole_six)):
        for result, weight in found.items():
            chances[result] += Fraction(weight, whole)
    for category in Category:
        if five(category) == BET_AND_BUY:
            for result, chance in _bought(counts, pays, category).items():
                chances[result] += chance * Fraction(without_game(counts, category), whole_five)
    return chances


def _total(showdowns: Mapping[Any, Showdown]) -> int:
    return sum(each.total for each in showdowns.values())


def _five_weights(counts: Frequencies, pays: PayTable, choice: Choice) -> Weights:
    weights: Weights = defaultdict(int)
    for pair, showdown in counts.against_five.items():
        if choice(pair[0]) == FOLD:
            weights[Result(1, -1)] += showdown.total
        elif choice(pair[0]) in (BET, BET_AND_BUY):
            met = showdown if choice(pair[0]) == BET else showdown._replace(no_game=0)
            for profit, count in _profits(pair, met, pays):
                weights[Result(AT_STAKE, profit)] += count
    return weights


def _bought(counts: Frequencies, pays: PayTable, category: Category) -> Chances:
    """Return the chances of what a box of the category wins once a game is bought for it (RP-6.6)."""
    chances: dict[Result, Fraction] = defaultdict(Fraction)
    for (pair, outcome), chance in purchase_chances(counts, category).items():
        profit = {"won": 2 * multiple(pair, pays), "lost": -AT_STAKE, "tied": 0}[outcome]
        chances[Result(AT_STAKE + FEE, profit - FEE)] += chance
    chances[Result(AT_STAKE + FEE, -FEE)] += 1 - sum(chances.values())  # still no game
    return chances


def _six_weights(counts: Frequencies, pays: PayTable, five: Choice, six: Choice) -> Weights:
    weights: Weights = defaultdict(int)
    for (before, pair), showdown in counts.against_six.items():
        if five(before) == SIXTH_CARD:
            if six(pair[0]) == FOLD:
                weights[Result(1 + FEE, -1 - FEE)] += showdown.total
            else:
                for profit, count in _profits(pair, showdown, pays):
                    weights[Result(AT_STAKE + FEE, profit - FEE)] += count
    return weights


def _best_after_sixth(counts: Frequencies, pays: PayTable) -> dict[Category, str]:
    """Return the better choice for six cards by their first combination: a fold loses the Ante (and the fee either way)."""
    sums: dict[Category, list[int]] = {category: [0, 0] for category in Category}
    for (_, pair), showdown in counts.against_six.items():
        sums[pair[0]][0] += sum(profit * count for profit, count in _profits(pair, showdown, pays))
        sums[pair[0]][1] += showdown.total
    return {category: BET if profit > -total else FOLD for category, (profit, total) in sums.items()}


def _best_choices(counts: Frequencies, pays: PayTable) -> tuple[dict[Category, str], dict[Category, str]]:
    """Return the best choices for five cards by their first combination: without purchases, and with them."""
    after = _best_after_sixth(counts, pays)
    best, buying = {}, {}
    for category in Category:
        expected = {choice: _expected(counts, pays, category, choice, after) for choice in (FOLD, BET, SIXTH_CARD)}
        best[category] = max(expected, key=lambda choice: expected[choice])
        expected[BET_AND_BUY] = _expected(counts, pays, category, BET_AND_BUY, after)
        buying[category] = max(expected, key=lambda choice: expected[choice])
    return best, buying


def _expected(counts: Frequencies, pays: PayTable, category: Category, choice: str, after: Mapping[Category, str]) -> Fraction:
    """Return what a box of the category expects by a choice, on average over all its hands."""
    five = {pair: each for pair, each in counts.against_five.items() if pair[0] == category}
    six = {key: each for key, each in counts.against_six.items() if key[0] == category}
    part = replace(counts, against_five=five, against_six=six)
    chances = _played(part, pays, lambda each: choice if each == category else FOLD, after.__getitem__)
    return _profit(chances)

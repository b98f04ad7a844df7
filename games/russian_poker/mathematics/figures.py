"""Combinations and Bonus: what five and six cards hold and pay (RP-1.5, RP-4.1)."""

from collections import defaultdict
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from games.core.mathematics import Wager, deviation_json, exact_json
from games.russian_poker.engine.scoring import LOWEST_BONUS, Category
from games.russian_poker.engine.setup import PayTable
from games.russian_poker.mathematics.frequencies import NO_SECOND, Frequencies, Pair


def multiple(pair: Pair, pays: PayTable) -> int:
    """Return a hand's total multiple (RP-1.5); no category pays nothing."""
    return pays.bet[pair[0]] + pays.bet[pair[1]]


def by_first(counts: Mapping[Pair, int]) -> dict[Category, int]:
    """Sum counts by the first combination."""
    sums = dict.fromkeys(Category, 0)
    for (first, _), count in counts.items():
        sums[first] += count
    return sums


def chances_json(counts: Mapping[Category, int], total: int) -> dict[str, Any]:
    """Return how many of all hands are of each category, and the chance of one."""
    return {
        category.code: {"count": count, "chance": exact_json(Fraction(count, total))}
        for category, count in counts.items()
        if count
    }


def combinations_json(counts: Frequencies, pays: PayTable) -> dict[str, Any]:
    """Return the frequencies of all combinations on five and on six cards, and what they pay on average."""
    return {"five_cards": _hands_json(counts.five, pays), "six_cards": _hands_json(counts.six, pays)}


def _hands_json(counts: Mapping[Pair, int], pays: PayTable) -> dict[str, Any]:
    hands = sum(counts.values())
    total = sum(multiple(pair, pays) * count for pair, count in counts.items())
    return {
        "hands": hands,
        "first": chances_json(by_first(counts), hands),
        "doubles": [
            {"first": first.code, "second": second.code, "count": count, "chance": exact_json(Fraction(count, hands))}
            for (first, second), count in counts.items()
            if second != NO_SECOND
        ],
        "mean_total_multiple": exact_json(Fraction(total, hands)),
    }


def bonus(counts: Frequencies, pays: PayTable) -> Wager:
    """Return the Bonus as a bet of its own: from three of a kind it gives back the stake and its multiple (RP-4.1)."""
    hands = sum(counts.five.values())
    chances: dict[Fraction, Fraction] = defaultdict(Fraction)
    for category, count in by_first(counts.five).items():
        back = 1 + pays.bonus[category] if category >= LOWEST_BONUS else 0
        chances[Fraction(back)] += Fraction(count, hands)
    return Wager(chances)


def bonus_json(counts: Frequencies, pays: PayTable) -> dict[str, Any]:
    """Return the Bonus's chances, per unit staked, and how those of two boxes of one deal hang together."""
    wager, hands = bonus(counts, pays), sum(counts.five.values())
    hits = {category: count for category, count in by_first(counts.five).items() if category >= LOWEST_BONUS}
    return {
        "hit": exact_json(Fraction(sum(hits.values()), hands)),
        "hits": chances_json(hits, hands),
        "expectation": exact_json(-wager.edge),
        "edge": exact_json(wager.edge),
        "return": exact_json(wager.returned),
        "deviation": deviation_json(wager.variance),
        "covariance_of_two_boxes": exact_json(_covariance(counts, pays, wager)),
    }


def _covariance(counts: Frequencies, pays: PayTable, wager: Wager) -> Fraction:
    both = sum(_back(one, pays) * _back(other, pays) * count for (one, other), count in counts.boxes.items())
    return Fraction(both, sum(counts.boxes.values())) - wager.returned**2


def _back(category: Category, pays: PayTable) -> int:
    return 1 + pays.bonus[category] if category >= LOWEST_BONUS else 0

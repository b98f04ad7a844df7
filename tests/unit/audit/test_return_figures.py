"""What is told of a series: enough to work its verdict out again, without this service."""

import math
from collections import Counter
from fractions import Fraction
from random import Random
from typing import Any

import pytest

from audit.returns.figures import figures_json
from audit.returns.sums import Sums
from audit.returns.verdicts import Colour, Verdict, judge_open, judge_wager
from games.engines import current_engine
from games.mathematics import MATHEMATICS

from .test_returns import COIN, counted, drawn, expected, sums_of, swapped

BONUS = MATHEMATICS["russian_poker"].wagers(current_engine("russian_poker").default_pay_table)["bonus"]


def told(sums: Sums) -> dict[str, Any]:
    return figures_json(sums, judge_wager(sums, BONUS))


def z_of(figures: dict[str, Any], effective_plays: str) -> float:
    """(actual − theoretical) · √n / deviation, from what is published alone."""
    difference = float(figures["actual"]) - float(figures["theoretical"])
    return difference * math.sqrt(float(effective_plays)) / float(figures["deviation"])


@pytest.mark.parametrize("plays", [40, 3_000, 60_000])
def test_z_and_its_bounds_are_those_of_all_bets(plays: int) -> None:
    for seed in range(5):
        sums = counted(drawn(BONUS, plays, Random(seed)), 100)
        figures = told(sums)
        by_hand = (sums.returned_minor / sums.staked_minor - float(BONUS.returned)) * math.sqrt(plays / float(BONUS.variance))
        assert float(figures["z"]) == pytest.approx(by_hand, abs=1e-4)
        assert z_of(figures, figures["effective_plays"]) == pytest.approx(by_hand, abs=1e-6)
        for colour, z in (("amber", 3), ("red", 4.5)):
            reach = z * math.sqrt(float(BONUS.variance) / plays)
            bounds = figures["bounds"][colour]
            assert float(bounds["min"]) == pytest.approx(float(BONUS.returned) - reach)
            assert float(bounds["max"]) == pytest.approx(float(BONUS.returned) + reach)


def test_a_royal_flush_is_beyond_the_bounds_and_yet_no_alarm() -> None:
    """Beside z of all bets stands what was judged: the common prizes by their own z, the rare ones by how many came."""
    luck = swapped(expected(BONUS, 1_800), 1, 0, 1_001)
    sums = counted(luck, 100)
    verdict, figures = judge_wager(sums, BONUS), told(sums)
    assert verdict.colour is Colour.GREEN
    assert float(figures["actual"]) > float(figures["bounds"]["amber"]["max"])
    common, rare = figures["common"], figures["rare"]
    assert common["up_to"] == "26"
    assert float(common["actual"]) == pytest.approx(26 * luck[Fraction(26)] / 1_800)
    chance = BONUS.chances[Fraction(26)]
    assert float(common["theoretical"]) == pytest.approx(float(26 * chance))
    assert float(common["deviation"]) == pytest.approx(26 * math.sqrt(chance * (1 - chance)))
    assert float(common["z"]) == pytest.approx(z_of(common, figures["effective_plays"]), abs=1e-4)
    assert (rare["above"], rare["seen"], rare["tests"]) == ("501", 1, 6)
    none = math.exp(-float(rare["expected"]))
    assert float(rare["chance"]) == pytest.approx(2 * rare["tests"] * (1 - none), rel=1e-3)
    assert figures["impossible"] is None


def test_where_no_prize_is_rare_z_is_judged() -> None:
    sums = sums_of(*[(10, 20)] * 65, *[(10, 0)] * 35)
    figures = figures_json(sums, judge_wager(sums, COIN))
    assert (figures["z"], figures["actual"], figures["common"], figures["rare"]) == ("3.0000", "1.3", None, None)
    assert figures["bounds"] == {"amber": {"min": "0.7", "max": "1.3"}, "red": {"min": "0.55", "max": "1.45"}}


def test_where_decisions_count_there_is_one_bound() -> None:
    """25 rounds of 100, each won or lost whole: √Σ(returned − staked)² = 500, a fifth of what was staked."""
    sums = sums_of(*[(100, 200)] * 20, *[(100, 0)] * 5)
    figures = figures_json(sums, judge_open(sums))
    assert (figures["z"], figures["actual"], figures["theoretical"], figures["deviation"]) == ("3.0000", "1.6", None, None)
    assert figures["bounds"] == {"amber": {"min": None, "max": "1.6"}, "red": {"min": None, "max": "1.9"}}
    nothing_staked = sums_of((0, 0))
    assert figures_json(nothing_staked, judge_open(nothing_staked))["bounds"] is None
    assert figures_json(sums, Verdict(Colour.GREEN))["bounds"] is None


def test_the_most_frequent_of_many_impossible_returns_are_named() -> None:
    backs = Counter({Fraction(1, 4): 2, Fraction(0): 500, **{Fraction(number): 1 for number in range(1_100, 1_200)}})
    impossible = told(counted(backs, 100))["impossible"]
    assert (impossible["plays"], len(impossible["backs"])) == (102, 10)
    assert impossible["backs"][:2] == [{"back": "0.25", "plays": 2}, {"back": "1100", "plays": 1}]

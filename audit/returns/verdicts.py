"""Whether bets gave back what they should, up to chance. Pure.

Against exact mathematics: z = (returned - R·Σs) / (σ·√Σs²), that is, with an effective number of bets n = (Σs)² / Σs². The normal
distribution is no bound for prizes that hardly ever come: those of which fewer than ``FEW`` are expected are left out of R, σ and
z. How many of them came is tested by itself, exactly (binomial), and so is how many of the higher ones among them: that as many
prizes came as expected is no comfort when they are the highest. What cannot come at all is no matter of chance.

Where a player's decisions count too there is no exact return, only a bound that play is not to exceed: break-even. Then
z = Σ(returned - staked) / √Σ(returned - staked)², which needs no σ, and only what is above counts.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, localcontext
from enum import StrEnum
from fractions import Fraction
from itertools import pairwise
from typing import Any

from audit.returns.sums import Sums
from games.core.mathematics import Wager, decimal_text, root

AMBER_Z, RED_Z = Decimal(3), Decimal("4.5")
AMBER_P, RED_P = 0.0026998, 0.0000067953
"""Chances of a normal deviation beyond them, on either side."""
FEW = 50
MOST_IMPOSSIBLE = 10
"""So many impossible returns are named; where amounts are wrong throughout there may be as many as bets."""


class Colour(StrEnum):
    """How far from what is expected."""

    GREEN = "green"
    AMBER = "amber"
    RED = "red"


@dataclass(frozen=True, slots=True)
class Rare:
    """Prizes too rare for z, or the higher ones of them that tell most: they give back more than ``above`` of each unit."""

    above: Fraction
    expected: Fraction
    seen: int
    tests: int
    """At so many prizes the higher ones were counted."""
    probability: float
    """The chance that any of these counts is as far from the expected one, on either side (Bonferroni's bound)."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came of a series. ``theoretical`` and ``variance`` are exact, or None where decisions count too."""

    colour: Colour
    z: Decimal | None
    rare: Rare | None
    theoretical: Fraction | None
    variance: Fraction | None
    impossible: Mapping[Fraction, int] = field(default_factory=dict)
    """How many bets gave back so much of each unit, which the wager never does."""


def judge_wager(sums: Sums, wager: Wager) -> Verdict:
    """Compare bets with their exact mathematics, on both sides."""
    boundaries = _boundaries(wager, sums.effective_plays)
    z = _z(sums, wager, boundaries[0] if boundaries else None)
    rare = _rare(sums, wager, boundaries) if boundaries else None
    impossible = {back: count for back, count in sums.backs.items() if not wager.chances.get(back)}
    colours = [_colour(abs(z)) if z is not None else Colour.GREEN, _by_chance(rare), Colour.RED if impossible else Colour.GREEN]
    return Verdict(max(colours, key=list(Colour).index), z, rare, wager.returned, wager.variance, impossible)


def judge_open(sums: Sums) -> Verdict:
    """Ask of bets in which decisions count too whether players gain on the house by more than chance."""
    z = None
    if sums.net_squares:
        with localcontext(prec=30):
            z = Decimal(sums.returned_minor - sums.staked_minor) / root(Fraction(sums.net_squares))
    return Verdict(_colour(z) if z is not None else Colour.GREEN, z, None, None, None)


def impossible_json(impossible: Mapping[Fraction, int]) -> dict[str, Any] | None:
    """Return how many bets gave back what they cannot, and what, the most frequent first; None when none did."""
    if not impossible:
        return None
    most = sorted(impossible.items(), key=lambda each: (-each[1], each[0]))[:MOST_IMPOSSIBLE]
    return {"plays": sum(impossible.values()), "backs": [{"back": decimal_text(back), "plays": plays} for back, plays in most]}


def _boundaries(wager: Wager, plays: Fraction) -> list[Fraction]:
    """Return, from the lowest up, above which returns together fewer than ``FEW`` are expected in so many bets.

    The least that a bet may give back is no prize.
    """
    backs, tail, found = sorted(wager.chances, reverse=True), Fraction(0), list[Fraction]()
    for back, below in pairwise(backs):
        tail += wager.chances[back]
        if tail * plays >= FEW:
            break
        found.append(below)
    return found[::-1]


def _z(sums: Sums, wager: Wager, limit: Fraction | None) -> Decimal | None:
    common = {back: chance for back, chance in wager.chances.items() if limit is None or back <= limit}
    mean = sum((back * chance for back, chance in common.items()), Fraction(0))
    variance = sum((back * back * chance for back, chance in common.items()), Fraction(0)) - mean**2
    returned = sum((back * staked for back, staked in sums.staked_by_back.items() if limit is None or back <= limit), Fraction(0))
    error = variance * sums.stake_squares
    if not error:
        return None
    difference = returned - mean * sums.staked_minor
    with localcontext(prec=30):
        size = root(difference**2 / error)
    return size if difference >= 0 else -size


def _rare(sums: Sums, wager: Wager, boundaries: Sequence[Fraction]) -> Rare:
    """Count what is above each boundary, and return the count that tells most."""
    counts = [_above(sums, wager, boundary, len(boundaries)) for boundary in boundaries]
    return min(counts, key=lambda rare: rare.probability)


def _above(sums: Sums, wager: Wager, boundary: Fraction, tests: int) -> Rare:
    chance = sum((chance for back, chance in wager.chances.items() if back > boundary), Fraction(0))
    seen = sum(count for back, count in sums.backs.items() if back > boundary)
    probability = min(1.0, tests * _two_sided(sums.plays, float(chance), seen))
    return Rare(boundary, chance * sums.plays, seen, tests, probability)


def _two_sided(plays: int, chance: float, seen: int) -> float:
    """Return twice the smaller tail of the binomial distribution, ``seen`` in both, at most 1."""
    if chance >= 1:
        return 1.0 if seen == plays else 0.0
    at_most = math.fsum(_binomial(plays, chance, count) for count in range(seen + 1))
    at_least = 1.0 - math.fsum(_binomial(plays, chance, count) for count in range(seen))
    if at_least < 1e-6:  # a difference from one says nothing so far out
        at_least = math.fsum(_binomial(plays, chance, count) for count in range(seen, min(plays, seen + 2000) + 1))
    return min(1.0, 2 * at_most, 2 * at_least)


def _binomial(plays: int, chance: float, count: int) -> float:
    ways = math.lgamma(plays + 1) - math.lgamma(count + 1) - math.lgamma(plays - count + 1)
    return math.exp(ways + count * math.log(chance) + (plays - count) * math.log1p(-chance))


def _colour(z: Decimal) -> Colour:
    return Colour.RED if z >= RED_Z else Colour.AMBER if z >= AMBER_Z else Colour.GREEN


def _by_chance(rare: Rare | None) -> Colour:
    if rare is None or rare.probability > AMBER_P:
        return Colour.GREEN
    return Colour.RED if rare.probability <= RED_P else Colour.AMBER

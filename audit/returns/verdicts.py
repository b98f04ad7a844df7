"""Whether bets gave back what they should, up to chance. Pure.

Against exact mathematics: z = (returned - R·Σs) / (σ·√Σs²), that is, with an effective number of bets n = (Σs)² / Σs². The normal
distribution is no bound for prizes that hardly ever come: those of which fewer than ``FEW`` are expected are left out of R, σ and
z. How many of them came is tested by itself, exactly (binomial), and so is how many of the higher ones among them: that as many
prizes came as expected is no comfort when they are the highest. What cannot come at all is no matter of chance.

Where a player's decisions count too there is no exact return, only a bound that play is not to exceed: break-even. Then
z = Σ(returned - staked) / √Σ(returned - staked)², which needs no σ, and only what is above counts.
"""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, localcontext
from enum import StrEnum
from fractions import Fraction
from itertools import pairwise

from audit.returns.sums import Sums
from games.core.mathematics import Wager, root

AMBER_Z, RED_Z = Decimal(3), Decimal("4.5")
AMBER_P, RED_P = 0.0026998, 0.0000067953
"""Chances of a normal deviation beyond them, on either side."""
FEW = 50


class Colour(StrEnum):
    """How far from what is expected."""

    GREEN = "green"
    AMBER = "amber"
    RED = "red"


@dataclass(frozen=True, slots=True)
class Common:
    """Bets as if prizes too rare for z had given back nothing. All others give back at most ``up_to`` of each unit."""

    up_to: Fraction
    returned_minor: int
    theoretical: Fraction
    variance: Fraction
    z: Decimal | None


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
    """What came of a series. ``theoretical`` and ``variance`` are exact, or None where decisions count too.

    ``z`` is of all bets. Where prizes are rare the colour is not by it, but by ``common`` and ``rare``.
    """

    colour: Colour
    z: Decimal | None = None
    theoretical: Fraction | None = None
    variance: Fraction | None = None
    common: Common | None = None
    rare: Rare | None = None
    impossible: Mapping[Fraction, int] = field(default_factory=dict)
    """How many bets gave back so much of each unit, which the wager never does."""


def judge_wager(sums: Sums, wager: Wager) -> Verdict:
    """Compare bets with their exact mathematics, on both sides."""
    z = _z(sums, sums.returned_minor, wager)
    boundaries = _boundaries(wager, sums.effective_plays)
    common = _common(sums, wager, boundaries[0]) if boundaries else None
    rare = _rare(sums, wager, boundaries) if boundaries else None
    impossible = {back: count for back, count in sums.backs.items() if not wager.chances.get(back)}
    judged = common.z if common else z
    colours = [
        _colour(abs(judged)) if judged is not None else Colour.GREEN,
        _by_chance(rare),
        Colour.RED if impossible else Colour.GREEN,
    ]
    return Verdict(max(colours, key=list(Colour).index), z, wager.returned, wager.variance, common, rare, impossible)


def judge_open(sums: Sums) -> Verdict:
    """Ask of bets in which decisions count too whether players gain on the house by more than chance."""
    z = None
    if sums.net_squares:
        with localcontext(prec=30):
            z = Decimal(sums.returned_minor - sums.staked_minor) / root(Fraction(sums.net_squares))
    return Verdict(_colour(z) if z is not None else Colour.GREEN, z)


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


def _common(sums: Sums, wager: Wager, up_to: Fraction) -> Common:
    chances: dict[Fraction, Fraction] = defaultdict(Fraction)
    for back, chance in wager.chances.items():
        chances[back if back <= up_to else Fraction(0)] += chance
    common = Wager(chances)
    returned = sum((back * staked for back, staked in sums.staked_by_back.items() if back <= up_to), Fraction(0))
    return Common(up_to, int(returned), common.returned, common.variance, _z(sums, int(returned), common))


def _z(sums: Sums, returned_minor: int, wager: Wager) -> Decimal | None:
    error = wager.variance * sums.stake_squares
    if not error:
        return None
    difference = returned_minor - wager.returned * sums.staked_minor
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

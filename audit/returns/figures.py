"""What is told of a series, in the API and in findings: what its verdict can be worked out from again. Pure."""

from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

from audit.returns.sums import Sums
from audit.returns.verdicts import AMBER_Z, RED_Z, Colour, Common, Rare, Verdict
from games.core.mathematics import decimal_text, root, root_text

MOST_IMPOSSIBLE = 10
"""So many impossible returns are named; where amounts are wrong throughout there may be as many as bets."""


def figures_json(sums: Sums, verdict: Verdict) -> dict[str, Any]:
    """Return the figures of a series; None for what it has not."""
    return {
        "effective_plays": decimal_text(sums.effective_plays),
        "actual": decimal_text(sums.back) if sums.staked_minor else None,
        "theoretical": decimal_text(verdict.theoretical) if verdict.theoretical is not None else None,
        "deviation": root_text(verdict.variance) if verdict.variance is not None else None,
        "z": _z_text(verdict.z),
        "bounds": _bounds_json(sums, verdict),
        "common": _common_json(sums, verdict.common) if verdict.common else None,
        "rare": _rare_json(verdict.rare) if verdict.rare else None,
        "impossible": _impossible_json(verdict.impossible) if verdict.impossible else None,
    }


def _z_text(z: Decimal | None) -> str | None:
    return None if z is None else f"{z:.4f}"


def _bounds_json(sums: Sums, verdict: Verdict) -> dict[str, Any] | None:
    """Return what ``actual`` is at each alarm's z; where decisions count, what is below break-even is none."""
    if verdict.z is None or not sums.staked_minor:
        return None
    if verdict.theoretical is None or verdict.variance is None:
        middle, error = Fraction(1), Fraction(sums.net_squares, sums.staked_minor**2)
    else:
        middle, error = verdict.theoretical, verdict.variance / sums.effective_plays
    found = {}
    for colour, z in ((Colour.AMBER, AMBER_Z), (Colour.RED, RED_Z)):
        reach = Fraction(z) * Fraction(root(error))
        least = decimal_text(middle - reach) if verdict.theoretical is not None else None
        found[colour.value] = {"min": least, "max": decimal_text(middle + reach)}
    return found


def _common_json(sums: Sums, common: Common) -> dict[str, Any]:
    return {
        "up_to": decimal_text(common.up_to),
        "actual": decimal_text(Fraction(common.returned_minor, sums.staked_minor)),
        "theoretical": decimal_text(common.theoretical),
        "deviation": root_text(common.variance),
        "z": _z_text(common.z),
    }


def _rare_json(rare: Rare) -> dict[str, Any]:
    return {
        "above": decimal_text(rare.above),
        "seen": rare.seen,
        "expected": decimal_text(rare.expected),
        "tests": rare.tests,
        "chance": f"{rare.probability:.6g}",
    }


def _impossible_json(impossible: Mapping[Fraction, int]) -> dict[str, Any]:
    """Return how many bets gave back what they cannot, and what, the most frequent first."""
    most = sorted(impossible.items(), key=lambda each: (-each[1], each[0]))[:MOST_IMPOSSIBLE]
    return {"plays": sum(impossible.values()), "backs": [{"back": decimal_text(back), "plays": plays} for back, plays in most]}

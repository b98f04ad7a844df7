"""Sums over bets of one kind: what a verdict on their return needs, whatever their stakes. Pure; sums of sums are sums."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import Any

from games.core.mathematics import Play

STEPS = (5, 2, 1)


def level_of(stake_minor: int) -> int:
    """Return the stake level of a stake: the greatest of 1, 2, 5, 10, 20, 50 … that it reaches; below 1, the level is 1."""
    if stake_minor < 1:
        return 1
    decade = 10 ** (len(str(stake_minor)) - 1)
    return next(step * decade for step in STEPS if step * decade <= stake_minor)


@dataclass(slots=True)
class Sums:
    """How many bets, what they staked and got back, and the squares of that. **Units** minor units, and their squares."""

    plays: int = 0
    staked_minor: int = 0
    returned_minor: int = 0
    stake_squares: int = 0
    net_squares: int = 0
    backs: Counter[Fraction] = field(default_factory=Counter)
    """How many bets gave back so much of each unit."""
    staked_by_back: Counter[Fraction] = field(default_factory=Counter)
    """What they staked."""

    def add(self, play: Play) -> None:
        """Count one bet. One without a stake counts by what it changed."""
        net = play.returned_minor - play.staked_minor
        self.plays += 1
        self.staked_minor += play.staked_minor
        self.returned_minor += play.returned_minor
        self.stake_squares += play.staked_minor**2
        self.net_squares += net**2
        if play.staked_minor:
            back = _back(play.returned_minor, play.staked_minor)
            self.backs[back] += 1
            self.staked_by_back[back] += play.staked_minor

    @property
    def back(self) -> Fraction:
        """What each unit gave back on average."""
        return Fraction(self.returned_minor, self.staked_minor)

    @property
    def effective_plays(self) -> Fraction:
        """How many bets of equal stakes would fluctuate as much: (Σs)² / Σs²."""
        return Fraction(self.staked_minor**2, self.stake_squares) if self.stake_squares else Fraction(0)


@lru_cache(maxsize=4096)
def _back(returned_minor: int, staked_minor: int) -> Fraction:
    """Return what a unit gave back; the same few come over and over."""
    return Fraction(returned_minor, staked_minor)


def summed(parts: Iterable[Sums]) -> Sums:
    """Return the sums of all parts."""
    total = Sums()
    for part in parts:
        total.plays += part.plays
        total.staked_minor += part.staked_minor
        total.returned_minor += part.returned_minor
        total.stake_squares += part.stake_squares
        total.net_squares += part.net_squares
        total.backs += part.backs
        total.staked_by_back += part.staked_by_back
    return total


def backs_json(sums: Sums) -> dict[str, list[int]]:
    """Return how many bets gave back so much of each unit, and what they staked."""
    return {
        f"{back.numerator}/{back.denominator}": [count, sums.staked_by_back[back]] for back, count in sorted(sums.backs.items())
    }


def read_backs(data: Mapping[str, Any]) -> tuple[Counter[Fraction], Counter[Fraction]]:
    """Read what ``backs_json`` wrote."""
    counts = {Fraction(back): values for back, values in data.items()}
    return Counter({back: count for back, (count, _) in counts.items()}), Counter({back: s for back, (_, s) in counts.items()})

"""What a game says about its own mathematics: exact figures of a pay table, and its bets whose outcome no decision changes."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple, Protocol

from games.core.engine import Json

SHOWN_DIGITS = 12
"""Significant digits of a decimal beside an exact figure."""


@dataclass(frozen=True)
class Wager:
    """A bet whose outcome follows from the cards alone.

    ``chances`` are the probabilities of what each unit staked gives back, the stake itself included: they sum to one.
    """

    chances: Mapping[Fraction, Fraction]

    @cached_property
    def returned(self) -> Fraction:
        """What a unit gives back on average."""
        return sum((back * chance for back, chance in self.chances.items()), Fraction(0))

    @property
    def edge(self) -> Fraction:
        """What the house keeps of a unit on average; negative where it pays more than it takes."""
        return 1 - self.returned

    @cached_property
    def variance(self) -> Fraction:
        """The variance of what a unit gives back; its root is the standard deviation."""
        return sum((back * back * chance for back, chance in self.chances.items()), Fraction(0)) - self.returned**2


class Play(NamedTuple):
    """What one bet of a closed round put in and got back. ``level_minor`` is the stake that its player chose for it."""

    series: str
    level_minor: int
    staked_minor: int
    returned_minor: int


class Mathematics(Protocol):
    """The mathematics of a game against the house, for the newest version of its rules."""

    rules_version: int

    def wagers(self, pay_table: Json) -> Mapping[str, Wager]:
        """The bets whose outcome no decision changes, by kind."""

    edge_kinds: tuple[str, ...]
    """Kinds of bets whose edge a hall bounds."""

    def edges(self, pay_table: Json) -> Mapping[str, Fraction]:
        """What the house keeps of a unit on average, of each such kind: exactly, or against the best play that is counted."""

    def figures(self, pay_table: Json) -> dict[str, Any]:
        """Every figure of a pay table as JSON, exact ones as ``exact_json`` writes them; its ``edges`` among them."""

    series: Mapping[str, str | None]
    """Kinds of bets whose actual return is watched, and the wager that each is; None where a player's decisions count too."""

    def plays(self, record: Json) -> tuple[Play, ...]:
        """The bets of a settled round, from its record; together they are all that was staked and returned."""

    def recount(self, progress: Callable[[str], None]) -> dict[str, Any]:
        """Count anew, in minutes, the frequencies that the figures come from; what is kept must equal it."""

    @property
    def frequencies(self) -> Json:
        """The frequencies that are kept."""


def exact_json(value: Fraction) -> dict[str, str]:
    """Return an exact figure with a decimal beside it, for display only."""
    return {"exact": f"{value.numerator}/{value.denominator}", "decimal": decimal_text(value)}


def deviation_json(variance: Fraction) -> dict[str, Any]:
    """Return a standard deviation: its square exactly, itself as a decimal."""
    return {"variance": exact_json(variance), "decimal": root_text(variance)}


def decimal_text(value: Fraction) -> str:
    """Return a fraction as a decimal of some digits."""
    return _rounded(_decimal(value))


def root_text(square: Fraction) -> str:
    """Return the square root of a fraction as a decimal of some digits."""
    return _rounded(root(square))


def root(square: Fraction) -> Decimal:
    """Return the square root of a fraction, more exactly than it is ever shown."""
    with localcontext(prec=50):
        return _decimal(square).sqrt()


def _decimal(value: Fraction) -> Decimal:
    with localcontext(prec=50) as context:
        return context.divide(Decimal(value.numerator), Decimal(value.denominator))


def _rounded(value: Decimal) -> str:
    with localcontext(prec=SHOWN_DIGITS):
        return f"{(+value).normalize():f}"

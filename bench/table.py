"""The table that a run prints."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median


@dataclass(frozen=True)
class Line:
    """One figure beside its yardstick's; the ratio is what counts, as it survives another machine."""

    part: str
    what: str
    figure: str
    yardstick: str
    ratio: float
    target: str

    def __str__(self) -> str:
        ratio = f"{self.ratio:.2f}" if self.ratio else ""
        return f"{self.part:3} {self.what:58} {self.figure:>14} {self.yardstick:>14} {ratio:>6} {self.target:>7}"


def report(lines: Sequence[Line], deviations: Sequence[str]) -> str:
    """Return the table; instead of it what does not balance, as figures of a service that loses money are worth nothing."""
    if deviations:
        return "\n".join([*deviations, "The books do not balance: no figures."])
    head = f"{'':3} {'':58} {'measured':>14} {'yardstick':>14} {'ratio':>6} {'target':>7}"
    return "\n".join([head, *map(str, lines), "reconciled: the books balance in every database"])


def interleaved(repeats: int, *measure: Callable[[], float]) -> list[float]:
    """Measure each in turn, again and again, so that what else the machine does meets them alike; return the medians."""
    found = [[each() for each in measure] for _ in range(repeats)]
    return [median(column) for column in zip(*found, strict=True)]


def per_second(rate: float) -> str:
    """Write a rate."""
    return f"{rate:,.0f}/s"

"""The verdict on every series of bets: by hall, game, pay table, kind of bet and stake level, lately and in all."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from itertools import chain
from typing import Any

from audit.findings import Severity, finding_raise
from audit.returns.days import EVERYTHING, Key, Of, days_finish, stored_sums, unfinished_sums
from audit.returns.figures import figures_json
from audit.returns.rake import POT
from audit.returns.sums import Sums, summed
from audit.returns.verdicts import Colour, Verdict, judge_open, judge_wager
from casino.db import unit_of_work
from games.halls.models import PayTable
from games.mathematics import MATHEMATICS

WINDOW_DAYS = 30
LATELY, WHOLE = "30_days", "whole"
EVERY_LEVEL = 0
"""Stands for all stake levels together."""
SEVERITIES = {Colour.AMBER: Severity.WARNING, Colour.RED: Severity.CRITICAL}


@dataclass(frozen=True)
class Series:
    """Bets that are judged together. ``key.level_minor`` is 0 for all levels; ``window`` the last 30 days or everything."""

    key: Key
    window: str
    pay_table: PayTable
    sums: Sums
    verdict: Verdict

    @property
    def name(self) -> str:
        """What the series is called in findings: the same from day to day."""
        key = self.key
        parts = (self.pay_table.hall.code, key.game, key.rules_version, self.pay_table.public_id)
        return "/".join(map(str, (*parts, key.series, key.level_minor or "all", self.window)))

    @cached_property
    def figures(self) -> dict[str, Any]:
        """What is told of it in the API and in findings."""
        return figures_json(self.sums, self.verdict)


def returns_check(*, now: datetime) -> list[Series]:
    """Sum the days that are over, judge every series, and raise a finding for each that is amber or red.

    **Rule** It is safe twice: days are summed once, and one finding is open per check and series.
    """
    days_finish(now=now)
    found = returns_list(now=now)
    alarming = [series for series in found if series.verdict.colour in SEVERITIES]
    if alarming:
        with unit_of_work():
            for series in alarming:
                _raise(series)
    return found


def returns_list(
    *, now: datetime, of: Of = EVERYTHING, windows: Iterable[str] = (LATELY, WHOLE), with_today: bool = False
) -> list[Series]:
    """Judge the series of these rounds on the finished days, or with the rounds of the day that is not over too.

    **Errors** Conflict ``returns_not_summed`` with today, when more than two days have not been summed.
    """
    today = unfinished_sums(now=now, of=of) if with_today else {}
    since = {LATELY: now.astimezone(UTC).date() - timedelta(days=WINDOW_DAYS), WHOLE: None}
    found = {window: _by_series(chain(stored_sums(since=since[window], of=of), today.items())) for window in windows}
    tables = PayTable.objects.select_related("hall").in_bulk({key.pay_table_id for sums in found.values() for key in sums})
    return [
        Series(key, window, tables[key.pay_table_id], sums, _verdict(key, tables[key.pay_table_id], sums))
        for window, every in found.items()
        for key, sums in sorted(every.items())
    ]


def _by_series(parts: Iterable[tuple[Key, Sums]]) -> dict[Key, Sums]:
    """Add the days up, each level by itself and all together."""
    grouped: dict[Key, list[Sums]] = defaultdict(list)
    for key, sums in parts:
        grouped[key].append(sums)
        grouped[key._replace(level_minor=EVERY_LEVEL)].append(sums)
    return {key: summed(group) for key, group in grouped.items()}


def _verdict(key: Key, table: PayTable, sums: Sums) -> Verdict:
    if key.series == POT:
        return Verdict(Colour.GREEN)  # its rake is checked round by round
    mathematics = MATHEMATICS[key.game]
    wager = mathematics.series[key.series]
    if wager is None or mathematics.rules_version != key.rules_version:
        return judge_open(sums)
    return judge_wager(sums, mathematics.wagers(table.data)[wager])


def _raise(series: Series) -> None:
    sums, colour = series.sums, series.verdict.colour
    finding_raise(
        check=f"returns.{colour.value}",
        severity=SEVERITIES[colour],
        subject=("returns", series.name),
        evidence={
            "plays": sums.plays,
            "staked_minor": sums.staked_minor,
            "returned_minor": sums.returned_minor,
            **series.figures,
        },
        hall=series.key.hall_id,
    )

"""Judge what bets gave back, from the command line."""

import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from audit.returns.checking import Series, returns_check, returns_list
from audit.returns.verdicts import Colour
from casino.db import now
from games.core.mathematics import decimal_text

LINE = "{:<8} {:<7} {:<28} {:<8} {:>9} {:>10} {:>10} {:>14} {:>14} {:>9} {:>9} {:>9} {:>9} {:>10} {:>10}"

HEADS = (
    *("verdict", "hall", "game", "series", "level", "window", "plays", "staked", "returned", "actual", "theory", "z"),
    *("common z", "rare", "impossible"),
)


class Command(BaseCommand):
    """Do what the daily task does, and print every series; exit with 1 when one is amber or red."""

    help = "Sum finished days, judge every series of bets, raise findings. Exit code 1 when a series is amber or red."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--today", action="store_true", help="print with the rounds of the day that is not over yet, too")

    def handle(self, *args: Any, today: bool, **options: Any) -> None:
        moment = now()
        found = returns_check(now=moment)
        if today:
            found = returns_list(now=moment, with_today=True)
        self.stdout.write(LINE.format(*HEADS))
        for series in found:
            self.stdout.write(LINE.format(*_columns(series)))
        alarming = [series for series in found if series.verdict.colour is not Colour.GREEN]
        self.stdout.write(f"{len(found)} series, {len(alarming)} not green")
        if alarming:
            sys.exit(1)


def _columns(series: Series) -> tuple[Any, ...]:
    key, sums, verdict = series.key, series.sums, series.verdict
    game = f"{key.game} {key.rules_version} v{series.pay_table.version}"
    actual = decimal_text(sums.back)[:9] if sums.staked_minor else "-"
    theory = decimal_text(verdict.theoretical)[:9] if verdict.theoretical is not None else "-"
    z, common_z = (f"{z:.3f}" if z is not None else "-" for z in (verdict.z, verdict.common and verdict.common.z))
    rare = f"{verdict.rare.probability:.3g}" if verdict.rare else "-"
    place = (verdict.colour.value, series.pay_table.hall.code, game, key.series, key.level_minor or "all", series.window)
    judged = (z, common_z, rare, sum(verdict.impossible.values()))
    return *place, sums.plays, sums.staked_minor, sums.returned_minor, actual, theory, *judged

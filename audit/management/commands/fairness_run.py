"""Run the fairness battery, and read what former runs found."""

import sys
from argparse import ArgumentParser
from datetime import UTC, date, datetime, time
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from audit.fairness.battery import LEVEL
from audit.fairness.decks import LIVE, PACKS, pack_named
from audit.fairness.keeping import is_blocking
from audit.fairness.models import FairnessRun, FairnessVerdict
from audit.fairness.services import fairness_dealt, fairness_run
from casino.commands import chance, day, identifier, whole
from casino.db import now

FIXED_SEED = "casino-shuffle/1"
FIRST_DAY = date(2000, 1, 1)


def _start(day: date) -> datetime:
    return datetime.combine(day, time.min, UTC)


class Command(BaseCommand):
    help = "Run the fairness battery and keep every p-value; exits with 1 when the shuffle, or what was dealt, fails"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--source", choices=["fixed", "live", "dealt"], default="live")
        parser.add_argument("--pack", default="52", help=f"what is shuffled: {', '.join(PACKS)}, or a game")
        parser.add_argument("--decks", type=whole(1), default=10_000)
        parser.add_argument(
            "--sequences", type=whole(0), default=0, help="sequences of a million raw bits to test too; 100 for a release"
        )
        parser.add_argument("--seed", default=FIXED_SEED, help="what fixes the decks of a fixed run")
        parser.add_argument("--since", type=day, default=FIRST_DAY, help="dealt: rounds closed from this day on (UTC)")
        parser.add_argument("--until", type=day, help="dealt: and before this one")
        parser.add_argument("--level", type=chance, default=LEVEL, help="the chance that a fair shuffle fails the run")
        parser.add_argument("--show", type=identifier, metavar="RUN", help="run nothing; print a former run by its id")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["show"]:
            verdicts = tuple(FairnessVerdict.objects.filter(run__public_id=options["show"]))
            if not verdicts:
                raise CommandError("There is no run of this id with a verdict.")
        elif options["source"] == "dealt":
            until = _start(options["until"]) if options["until"] else now()
            verdicts = fairness_dealt(since=_start(options["since"]), until=until, level=options["level"])
        else:
            verdicts = self._shuffled(options)
        for verdict in verdicts:
            self._print(verdict)
        if any(is_blocking(verdict) for verdict in verdicts):
            sys.exit(1)

    def _shuffled(self, options: dict[str, Any]) -> tuple[FairnessVerdict, ...]:
        try:
            pack = pack_named(options["pack"])
        except KeyError:
            raise CommandError(f"There is no pack or game {options['pack']}.") from None
        return fairness_run(
            pack=pack.name,
            count=options["decks"],
            seed=LIVE if options["source"] == FairnessRun.Source.LIVE else options["seed"],
            sequences=options["sequences"],
            level=options["level"],
            progress=self._progress,
        )

    def _print(self, verdict: FairnessVerdict) -> None:
        run = verdict.run
        self.stdout.write(f"run {run.public_id}: {run}, {run.sequences} sequences of raw bits, seed {run.seed}")
        self.stdout.write(f"{run.algorithm}, sha256 of its file {run.shuffle_digest}")
        for each in verdict.outcomes:
            mark = "FAILED" if each["name"] in verdict.failed else ""
            rule = {None: "", True: "keeps its rule", False: "breaks its rule"}[each["keeps_rule"]]
            self.stdout.write(f"{each['p']:10.3g}  {each['name']}: {each['statistic']:.6g}, {each['law']} {rule} {mark}".rstrip())
        for fault in verdict.faults:
            self.stdout.write(f"fault: {fault}")
        for name in verdict.skipped:
            self.stdout.write(f"   skipped  {name}: the sample is too small")
        left_out = f", {len(verdict.skipped)} tests skipped" if verdict.skipped else ""
        self.stdout.write(f"{verdict.verdict}: {len(verdict.outcomes)} p-values, Holm at {run.level:g}{left_out}")

    def _progress(self, done: int) -> None:
        self.stderr.write(f"{done} done")

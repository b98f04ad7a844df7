"""Replay closed rounds."""

import sys
from argparse import ArgumentParser
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand

from audit.continuous.apart import NOT_OF_A_ROW
from audit.findings import error_text
from audit.replay import round_audit
from casino.commands import identifier, refusals_told
from casino.errors import DomainError
from games.rounds.models import RoundRecord


class Command(BaseCommand):
    help = "Replay a closed round, or with --all every one, and match it with the ledger; exits with 1 when anything is amiss"

    def add_arguments(self, parser: ArgumentParser) -> None:
        which = parser.add_mutually_exclusive_group(required=True)
        which.add_argument("round_id", type=identifier, nargs="?")
        which.add_argument("--all", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        ids = [options["round_id"]] if options["round_id"] else self._every_round()
        with refusals_told():
            are_clean = [self._replay(round_id) for round_id in ids]
        self.stdout.write(f"{len(are_clean)} rounds replayed, {are_clean.count(False)} with deviations")
        if not all(are_clean):
            sys.exit(1)

    def _replay(self, round_id: UUID) -> bool:
        try:
            report = round_audit(round_id=round_id)
        except NOT_OF_A_ROW:
            raise
        except Exception as error:  # a round that cannot be replayed holds up no other
            if isinstance(error, DomainError) and error.code != "record_unreadable":
                raise
            self.stderr.write(f"replay of round {round_id} failed: {error_text(error)}")
            self.stdout.write(f"deviates {round_id}")
            return False
        for line in report.deviations:
            self.stderr.write(line)
        self.stdout.write(str(report.record_verdict) if report.is_clean else f"deviates {round_id}")
        return report.is_clean

    @staticmethod
    def _every_round() -> Any:
        return RoundRecord.objects.order_by("pk").values_list("round__commitment_id", flat=True).iterator()

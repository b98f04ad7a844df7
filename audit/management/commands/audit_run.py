"""Run the audit from the command line."""

import sys
from argparse import ArgumentParser
from multiprocessing import get_context
from time import sleep
from typing import Any

from django.core.management.base import BaseCommand
from django.db import connections, transaction
from django.db.models import Sum

from audit.continuous.incremental import audit_continue
from audit.continuous.passes import pages_work, pass_begin, pass_standing
from audit.models import AuditFinding, AuditPass
from casino.commands import whole

WAIT_SECONDS = 0.5


class Command(BaseCommand):
    help = (
        "Check what is new, or with --full everything; list the unresolved findings. Exit code 1 when there is a critical one. "
        "A pass that is under way is joined and not begun anew; the command ends when it is over."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--full", action="store_true", help="look at everything")
        parser.add_argument("--processes", type=whole(1), default=1, help="how many processes look at everything")

    def handle(self, *args: Any, **options: Any) -> None:
        read = audit_continue(seconds=float("inf"))
        self.stdout.write("new: " + ", ".join(f"{done.rows} {table}" for table, done in read.items()))
        if options["full"] and pass_standing() is None:
            with transaction.atomic():
                pass_begin(cause=AuditPass.Cause.ASKED)
        if standing := pass_standing():
            self._work(options["processes"])
            told = standing.pages.values_list("part").annotate(Sum("rows")).order_by("part")
            self.stdout.write("full pass: " + ", ".join(f"{rows} {part}" for part, rows in told))
        unresolved = AuditFinding.objects.exclude(status=AuditFinding.Status.RESOLVED).order_by("pk")
        for finding in unresolved:
            self.stdout.write(f"{finding.severity} {finding} ({finding.public_id})")
        self.stdout.write(f"unresolved findings: {len(unresolved)}")
        if any(finding.severity == AuditFinding.Severity.CRITICAL for finding in unresolved):
            sys.exit(1)

    @staticmethod
    def _work(processes: int) -> None:
        """Do the pages in this process and so many others; each has a connection of its own."""
        connections.close_all()
        others = [get_context("fork").Process(target=_pass_finish) for _ in range(processes - 1)]
        for other in others:
            other.start()
        _pass_finish()
        for other in others:
            other.join()


def _pass_finish() -> None:
    """Do pages until the pass is over: those that a worker has, and a replica that is behind, are waited for."""
    while pass_standing():
        if not pages_work():
            sleep(WAIT_SECONDS)

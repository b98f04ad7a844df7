"""Check the seals from the command line."""

import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from audit.seals.inspection import seals_check
from audit.seals.models import Seal


class Command(BaseCommand):
    """Print every deviation, each with its row, and raise findings; exit with 1 when there is one."""

    help = "Check sealed rows against their seals, and the seals against the anchor file. Exit code 1 when anything is amiss."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--recent", action="store_true", help="only the seals of the last quarter of an hour, as every five minutes"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        deviations = seals_check(is_full=not options["recent"])
        for deviation in deviations:
            self.stdout.write(str(deviation))
        self.stdout.write(f"{Seal.objects.count()} seals: {f'deviations: {len(deviations)}' if deviations else 'verified'}")
        if deviations:
            sys.exit(1)

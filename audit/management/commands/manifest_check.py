"""Check the manifest from the command line."""

import sys
from typing import Any

from django.core.management.base import BaseCommand

from audit.manifest.models import ManifestCheck
from audit.manifest.services import manifest_check


class Command(BaseCommand):
    """Print every deviation; exit with 1 when there is one."""

    help = "Hold this host's files and the published terms against the manifest and the trail. Exit code 1 when any deviates."

    def handle(self, *args: Any, **options: Any) -> None:
        check = manifest_check(occasion=ManifestCheck.Occasion.DEMAND, part=ManifestCheck.Part.COMMAND)
        for each in check.deviations:
            self.stdout.write(f"{each['name']}: expected {each['expected']}, found {each['found']}")
        outcome = "as the manifest says" if check.passed else f"deviations: {len(check.deviations)}"
        self.stdout.write(f"{check.files} files, {check.terms} pay tables and limit sets: {outcome}")
        if not check.passed:
            sys.exit(1)

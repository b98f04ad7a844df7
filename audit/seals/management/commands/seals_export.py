"""Export the seals and all that they seal."""

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from audit.seals.export import export_text


class Command(BaseCommand):
    help = "Write seals and sealed rows as JSON Lines, to be checked with: python3 -S -m audit.check_seals FILE [--anchor FILE]"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--output", type=Path, help="the file to write; without it the export is printed")

    def handle(self, *args: Any, **options: Any) -> None:
        chunks = export_text()  # first: where it cannot have its moment, a file that is there stays
        if options["output"] is None:
            sys.stdout.buffer.writelines(chunks)
        else:
            with options["output"].open("wb") as file:
                file.writelines(chunks)

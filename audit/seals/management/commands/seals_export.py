"""Export the seals and all that they seal."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from audit.seals.export import export_text
from casino.commands import output


class Command(BaseCommand):
    help = "Write seals and sealed rows as JSON Lines, to be checked with: python3 -S -m audit.check_seals FILE [--anchor FILE]"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--output", type=Path, help="the file to write; without it the export is printed")

    def handle(self, *args: Any, **options: Any) -> None:
        with output(options["output"]) as file:
            file.writelines(export_text())

"""Export many rounds."""

import time
from argparse import ArgumentParser
from pathlib import Path
from typing import Any, BinaryIO

from django.core.management.base import BaseCommand

from audit.access import author_argument, author_named
from audit.history.exporting import export_begin, export_lines
from audit.history.models import Export
from audit.history.serializers import ExportQuery
from casino.api.parsing import validated
from casino.commands import output, output_check, refusals_told

TOLD_EVERY_SECONDS = 1


class Command(BaseCommand):
    help = (
        "Write closed rounds as JSON Lines, a record each, or as CSV, a line for each seat; with the filters of GET /rounds."
        " Standard error tells how far it is"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        author_argument(parser, required=True)
        parser.add_argument("--output", type=Path, help="the file to write; without it the rounds are printed")
        for name, field in ExportQuery().fields.items():
            parser.add_argument(f"--{name.replace('_', '-')}", required=field.required, help=str(field.help_text or ""))

    def handle(self, *args: Any, **options: Any) -> None:
        asked = {str(name): options[str(name)] for name in ExportQuery().fields if options[str(name)] is not None}
        author = author_named(options["author"])
        output_check(options["output"])
        with refusals_told():
            filters = validated(ExportQuery, asked)
            export = export_begin(author=author, format=filters.pop("format"), filters=filters)
        with output(options["output"]) as file:
            self._write(export, filters, file)

    def _write(self, export: Export, filters: dict[str, Any], file: BinaryIO) -> None:
        told_at = time.monotonic()
        for chunk in export_lines(export, filters=filters):
            file.write(chunk)
            if time.monotonic() - told_at > TOLD_EVERY_SECONDS:
                told_at = time.monotonic()
                self.stderr.write(f"{export.rounds_written} of {export.rounds_total} rounds")
        file.flush()
        export.refresh_from_db()
        self.stderr.write(f"{export.rounds_written} of {export.rounds_total} rounds, SHA-256 {export.sha256}")

"""Export the seals and all that they seal."""

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from audit.access import author_argument, author_named
from audit.history.exporting import export_begin, export_kept
from audit.history.models import Export
from audit.seals.export import export_text
from casino.errors import DomainError


class Command(BaseCommand):
    help = "Write seals and sealed rows as JSON Lines, to be checked with: python3 -S -m audit.check_seals FILE [--anchor FILE]"

    def add_arguments(self, parser: ArgumentParser) -> None:
        author_argument(parser, required=False)
        parser.add_argument("--output", type=Path, help="the file to write; without it the export is printed")

    def handle(self, *args: Any, **options: Any) -> None:
        chunks = export_text()  # first: where it cannot have its moment, a file that is there stays
        if options["author"]:
            try:
                export = export_begin(author=author_named(options["author"]), format=Export.Format.SEALS, filters={})
            except DomainError as error:
                raise CommandError(str(error)) from error
            chunks = export_kept(export, ((chunk, 0) for chunk in chunks))
        if options["output"] is None:
            sys.stdout.buffer.writelines(chunks)
        else:
            with options["output"].open("wb") as file:
                file.writelines(chunks)

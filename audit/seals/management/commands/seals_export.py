"""Export the seals and all that they seal."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from audit.access import author_argument, author_named
from audit.history.exporting import export_begin, export_kept
from audit.history.models import Export
from audit.seals.export import export_text
from casino.commands import output, output_check, refusals_told


class Command(BaseCommand):
    help = "Write seals and sealed rows as JSON Lines, to be checked with: python3 -S -m audit.check_seals FILE [--anchor FILE]"

    def add_arguments(self, parser: ArgumentParser) -> None:
        author_argument(parser, required=False)
        parser.add_argument("--output", type=Path, help="the file to write; without it the export is printed")

    def handle(self, *args: Any, **options: Any) -> None:
        author = author_named(options["author"]) if options["author"] else None
        chunks = export_text()  # first: where it cannot have its moment, a file that is there stays
        output_check(options["output"])
        if author:
            with refusals_told():
                export = export_begin(author=author, format=Export.Format.SEALS, filters={})
            chunks = export_kept(export, ((chunk, 0) for chunk in chunks))
        with output(options["output"]) as file:
            file.writelines(chunks)

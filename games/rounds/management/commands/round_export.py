"""Export the record of a closed round."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from casino.commands import identifier, output
from games.rounds.models import RoundRecord


class Command(BaseCommand):
    help = "Write the record of a closed round, to be verified with: python3 -S -m games.verify FILE"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("round_id", type=identifier)
        parser.add_argument("--output", type=Path, help="the file to write; without it the record is printed")

    def handle(self, *args: Any, **options: Any) -> None:
        record = RoundRecord.objects.filter(round__commitment_id=options["round_id"]).first()
        if record is None:
            raise CommandError("There is no closed round of this id.")
        if options["output"] is None:
            self.stdout.write(record.document)
        else:
            with output(options["output"]) as file:
                file.write(record.document.encode())

"""The laboratory's collector of raw bits."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from audit.fairness.collecting import collect_bits
from audit.fairness.decks import ALGORITHM, LIVE, shuffle_digest
from casino.commands import output, whole


class Command(BaseCommand):
    help = "Write raw bits for a test laboratory: the bytes that the shuffle reads, before they are mapped to places"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--bytes", type=whole(1), required=True)
        parser.add_argument("--seed", default=LIVE, help="a text that fixes every byte; without it entropy is the system's own")
        parser.add_argument("--output", type=Path, help="the file to write; without it the bytes go to standard output")

    def handle(self, *args: Any, **options: Any) -> None:
        with output(options["output"]) as file:
            digest = collect_bits(options["bytes"], options["seed"], file, self._progress)
        self.stderr.write(f"{options['bytes']} bytes, sha256 {digest}")
        self.stderr.write(f"{ALGORITHM}, sha256 of its file {shuffle_digest()}")

    def _progress(self, done: int) -> None:
        self.stderr.write(f"{done} bytes")

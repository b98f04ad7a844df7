"""The laboratory's collector of final outcomes."""

import sys
from argparse import ArgumentParser
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from audit.fairness.collecting import collect_outcomes
from audit.fairness.decks import ALGORITHM, LIVE, PACKS, pack_named, shuffle_digest


class Command(BaseCommand):
    help = "Write final outcomes for a test laboratory: one shuffled pack a line, from the shuffle that deals for money"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("pack", help=f"what is shuffled: {', '.join(PACKS)}, or a game")
        parser.add_argument("--decks", type=int, required=True)
        parser.add_argument("--seed", default=LIVE, help="a text that fixes every deck; without it entropy is the system's own")
        parser.add_argument("--output", type=Path, help="the file to write; without it the decks are printed")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["decks"] < 1:
            raise CommandError("There must be one deck at least.")
        try:
            pack = pack_named(options["pack"])
        except KeyError:
            raise CommandError(f"There is no pack or game {options['pack']}.") from None
        output = options["output"]
        with output.open("wb") if output else nullcontext(sys.stdout.buffer) as file:
            digest = collect_outcomes(pack, options["decks"], options["seed"], file, self._progress)
        self.stderr.write(f"{options['decks']} decks of {len(pack.items)}, sha256 {digest}")
        self.stderr.write(f"{ALGORITHM}, sha256 of its file {shuffle_digest()}")

    def _progress(self, done: int) -> None:
        self.stderr.write(f"{done} decks")

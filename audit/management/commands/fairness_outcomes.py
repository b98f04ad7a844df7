"""The laboratory's collector of final outcomes."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from audit.fairness.collecting import collect_outcomes
from audit.fairness.decks import ALGORITHM, LIVE, PACKS, pack_named, shuffle_digest
from casino.commands import output, whole


class Command(BaseCommand):
    help = "Write final outcomes for a test laboratory: one shuffled pack a line, from the shuffle that deals for money"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("pack", help=f"what is shuffled: {', '.join(PACKS)}, or a game")
        parser.add_argument("--decks", type=whole(1), required=True)
        parser.add_argument("--seed", default=LIVE, help="a text that fixes every deck; without it entropy is the system's own")
        parser.add_argument("--output", type=Path, help="the file to write; without it the decks are printed")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            pack = pack_named(options["pack"])
        except KeyError:
            raise CommandError(f"There is no pack or game {options['pack']}.") from None
        with output(options["output"]) as file:
            digest = collect_outcomes(pack, options["decks"], options["seed"], file, self._progress)
        self.stderr.write(f"{options['decks']} decks of {len(pack.items)}, sha256 {digest}")
        self.stderr.write(f"{ALGORITHM}, sha256 of its file {shuffle_digest()}")

    def _progress(self, done: int) -> None:
        self.stderr.write(f"{done} decks")

"""``manage.py house_mathematics``: what a pay table means for the house, exactly."""

import json
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from casino.db import now
from games.core.codec import parse
from games.core.engine import Json
from games.core.errors import InvalidData
from games.core.mathematics import Mathematics
from games.engines import current_engine
from games.halls.models import Hall
from games.halls.selectors import pay_table_in_force
from games.mathematics import MATHEMATICS


class Command(BaseCommand):
    """Print every figure of a pay table, or count anew what the figures come from."""

    help = "Print the exact mathematics of a pay table: the document's, one from a file, or the one in force in a hall."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--game", choices=sorted(MATHEMATICS), default="russian_poker", help="default russian_poker")
        source = parser.add_mutually_exclusive_group()
        source.add_argument("--pay-table", type=Path, metavar="FILE", help="a pay table as JSON, as a hall publishes it")
        source.add_argument("--hall", metavar="CODE", help="the pay table in force in a hall")
        parser.add_argument("--json", action="store_true", help="as JSON; else a table of name, decimal and exact fraction")
        parser.add_argument(
            "--recount", action="store_true", help="first count all deals anew and compare; takes some two minutes"
        )

    def handle(
        self, *args: Any, game: str, pay_table: Path | None, hall: str | None, json: bool, recount: bool, **options: Any
    ) -> None:
        mathematics = MATHEMATICS[game]
        table = _pay_table(game, pay_table, hall)
        if recount:
            self._recount(mathematics)
        figures = mathematics.figures(table)
        self.stdout.write(_json(figures) if json else "\n".join(_lines(figures)))

    def _recount(self, mathematics: Mathematics) -> None:
        counted = mathematics.recount(lambda what: self.stderr.write(what, ending="\n"))
        if counted != mathematics.frequencies:
            raise CommandError("The frequencies that are kept are not those that were counted.")
        self.stderr.write("The frequencies that are kept are those that were counted.")


def _json(figures: Json) -> str:
    return json.dumps(figures, indent=2)


def _pay_table(game: str, file: Path | None, hall_code: str | None) -> Json:
    """Return the pay table that is asked for, by its game's own schema."""
    if hall_code is not None:
        hall = Hall.objects.filter(code=hall_code).first()
        row = pay_table_in_force(hall=hall, game=game, at=now()) if hall else None
        if row is None:
            raise CommandError(f"--hall: there is no hall {hall_code} with a pay table of {game} in force")
        published: Json = row.data
        return published
    engine = current_engine(game)
    if file is None:
        return engine.default_pay_table
    try:
        table: Json = parse(file.read_bytes())
        engine.check_pay_table(table)
    except (OSError, InvalidData) as refusal:
        raise CommandError(f"--pay-table: {file}: {refusal}") from refusal
    return table


def _lines(figures: Any, name: str = "") -> Iterator[str]:
    """Write figures one a line: name, decimal, exact fraction; whole numbers and words as they are."""
    if isinstance(figures, dict) and "exact" in figures:
        yield f"{name:<72} {figures['decimal']:>22}  {figures['exact']}"
    elif isinstance(figures, dict) and "first" in figures and "second" in figures:
        yield from _lines({key: figures[key] for key in ("count", "chance")}, f"{name}.{figures['first']}+{figures['second']}")
    elif isinstance(figures, dict):
        for key, value in figures.items():
            yield from _lines(value, f"{name}.{key}" if name else key)
    elif isinstance(figures, list) and all(isinstance(each, dict) for each in figures):
        for each in figures:
            yield from _lines(each, name)
    else:
        yield f"{name:<72} {', '.join(figures) if isinstance(figures, list) else figures:>22}"

"""``python -m bench [--tiny] [PART …]``: run the parts named (all of a to i by default) and print their table.

Nothing is printed when the books do not balance afterwards. Parts share one PostgreSQL with fsync on; clients are processes.
"""

import argparse
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from bench import server
from bench.scale import TINY, Scale

if TYPE_CHECKING:
    from bench.table import Line

PARTS = "abcdefghi"
ON_REQUEST = "j"
"""A part that takes many minutes runs only when it is named."""
PLAYED = "bench_played"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("parts", nargs="*", choices=[*PARTS, *ON_REQUEST, []], help="parts of the bench; a to i by default")
    parser.add_argument("--tiny", action="store_true", help="only show that it runs")
    arguments = parser.parse_args()
    scale = TINY if arguments.tiny else Scale()
    with server.started() as started:
        import django

        django.setup()
        from bench.table import report

        lines = list(_measured(started, scale, arguments.parts or list(PARTS)))
        deviations = _deviations(started)
        print(report(lines, deviations))
    return 1 if deviations else 0


def _measured(started: server.Server, scale: Scale, parts: list[str]) -> "Iterator[Line]":
    """Fill the template, then measure on copies of it."""
    from django.core.management import call_command
    from django.db import connections

    from bench import crowd, nightly, play, playing, posting, pure, sealing, web

    call_command("migrate", database="owner", verbosity=0)
    with_money = scale.clients * (8 * scale.repeats + 1)
    play.populate(scale.players, with_money)
    players = iter(range(with_money))
    connections.close_all()
    started.copy(PLAYED)
    started.settle(PLAYED)
    measures = {
        "a": lambda: posting.lines(started, PLAYED, scale),
        "b": lambda: playing.spread_lines(PLAYED, players, scale),
        "c": lambda: web.lines(started, PLAYED, players, scale),
        "d": lambda: pure.verify_lines(scale),
        "e": lambda: pure.hand_lines(scale),
        "f": lambda: playing.growth_lines(started, scale),
        "h": lambda: crowd.crowd_lines(scale),
        "i": lambda: sealing.sealing_lines(started, PLAYED, players, scale),
        "g": lambda: _playout_lines(scale),
        "j": lambda: nightly.night_lines(started, scale),
    }
    for part in parts:
        print(f"measuring ({part}) …", file=sys.stderr, flush=True)
        yield from measures[part]()


def _playout_lines(scale: Scale) -> "Iterator[Line]":
    """Measure (g): the one part that needs the yardsticks installed."""
    from bench.playouts import playout_lines

    return playout_lines(scale)


def _deviations(started: server.Server) -> list[str]:
    """Recount the books of every database that was played on."""
    from django.db import connections

    from audit.reconcile import books_reconcile
    from bench import play
    from bench.clients import results

    connections.close_all()
    with started.postgres.connect() as connection:
        found = connection.execute(
            "SELECT datname FROM pg_database WHERE datname IN ('bench_played', 'bench_few', 'bench_many', 'bench_night')"
        )
        names = [name for (name,) in found.fetchall()]
    for name in names:
        play.trail_complete(started, name)

    def recount(index: int) -> list[str]:
        with connections["default"].cursor() as cursor:
            cursor.execute("SET statement_timeout = 0")
        return [str(deviation) for deviation in books_reconcile()]

    return [f"{name}: {deviation}" for name in names for deviation in results(1, recount, database=name)[0]]


if __name__ == "__main__":
    sys.exit(main())

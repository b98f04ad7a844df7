"""``python -m tests.e2e.faults``: rounds under load while everything that can die is killed; then the books are looked at.

Players play, a cashier pays in and out and a supervisor voids, all over HTTP through a proxy that swallows some of the answers.
Meanwhile web, worker, beat, Valkey and PostgreSQL are killed with -9 in turn, Valkey is emptied, and sweeps come twice, late and
never. Afterwards every round is played to its end, and the service's books have to agree with themselves and with the players'.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import MappingProxyType

import psutil

from casino.embedded.postgres import Postgres
from tests.e2e.drill import Drill, deviations, drill, summary
from tests.e2e.stacks import checkout_copied, cleaned, running, wait_until

CUT_PROBABILITY = 0.05


def _database_killed(drill: Drill) -> None:
    drill.killed("bin/postgres")


def _database_backend_killed(drill: Drill) -> None:
    """Kill what serves one connection; PostgreSQL then drops all of them and recovers by itself."""

    def killed() -> bool:
        with Postgres(drill.folders).connect() as connection:
            row = connection.execute("SELECT pid FROM pg_stat_activity WHERE usename = 'casino_app' LIMIT 1").fetchone()
        if row is None:
            return False
        try:
            psutil.Process(row[0]).kill()
        except psutil.NoSuchProcess:
            return False  # it has served and gone
        return True

    wait_until(killed, drill.stack.said)


def _database_backends_ended(drill: Drill) -> None:
    """End connections wherever they are, many times."""
    for _ in range(10):
        with Postgres(drill.folders).connect() as connection:
            connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'casino_app'")
        drill.go_on(answers=1)


def _valkey_emptied(drill: Drill) -> None:
    with drill.valkey() as client:
        client.flushall()


def _two_beats(drill: Drill) -> None:
    with drill.second_beat():
        _timed_out(drill, more=3)


def _sweep_twice(drill: Drill) -> None:
    drill.sweeps_sent(copies=20)


def _sweep_late(drill: Drill) -> None:
    """One that has expired, which nobody may run, and some that come long after they were sent."""
    drill.sweeps_sent(copies=5, expires=datetime.now(UTC) - timedelta(seconds=1))
    drill.sweeps_sent(copies=5, countdown_seconds=3)


def _sweep_never(drill: Drill) -> None:
    """Beat stands still and its messages are gone; play goes on, and what was due is made up for."""
    beat = drill.stack.part("beat")
    beat.suspend()
    try:
        with drill.valkey() as client:
            client.delete("celery")
        drill.go_on(answers=50)
    finally:
        beat.resume()
    _timed_out(drill, more=1)


def _timed_out(drill: Drill, more: int) -> None:
    def count() -> int:
        return sum(player.timed_out for player in drill.players)

    until = count() + more
    wait_until(lambda: count() >= until or bool(drill.crew.broken), drill.stack.said)


FAULTS: Mapping[str, Callable[[Drill], None]] = MappingProxyType(
    {
        "web killed": lambda drill: drill.killed("wsgi"),
        "web process killed": lambda drill: drill.child_killed("wsgi"),
        "worker killed": lambda drill: drill.killed("--queues celery"),
        "worker process killed": lambda drill: drill.child_killed("--queues celery"),
        "beat killed": lambda drill: drill.killed("casino beat"),
        "valkey killed": lambda drill: drill.killed("valkey-server"),
        "valkey emptied": _valkey_emptied,
        "database killed": _database_killed,
        "database backend killed": _database_backend_killed,
        "database backends ended": _database_backends_ended,
        "two beats": _two_beats,
        "sweep twice": _sweep_twice,
        "sweep late": _sweep_late,
        "sweep never": _sweep_never,
    }
)


def endured(drill: Drill, *, seconds: float = 0, say: Callable[[str], object] = lambda text: None) -> None:
    """Work through every fault in a random order, once or until the time is over, and let everybody finish."""
    drill.proxy.cut_probability = CUT_PROBABILITY
    until = time.monotonic() + seconds
    drill.work()
    while not drill.crew.broken:
        for name in drill.chance.sample(sorted(FAULTS), len(FAULTS)):
            drill.go_on()
            say(f"{name} ({drill.answers} answers)")
            FAULTS[name](drill)
        if time.monotonic() > until:
            break
    drill.go_on()
    drill.crew.finish()
    drill.proxy.cut_probability = 0


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.e2e.faults", description=__doc__)
    parser.add_argument("--minutes", type=float, default=2)
    parser.add_argument("--players", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        checkout = checkout_copied(Path(folder) / "checkout")
        try:
            with running(checkout) as stack, drill(stack, players=arguments.players, seed=arguments.seed) as at_work:
                endured(at_work, seconds=60 * arguments.minutes, say=print)
                found = deviations(at_work)
                print(summary(at_work))
        finally:
            cleaned(checkout)
    print("\n".join(found) or "nothing lost, nothing doubled")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())

"""(j) The full pass of a night over a ledger of a million transfers and a hundred thousand rounds, by two processes."""

import sys
import time
from collections.abc import Iterator

import psutil

from bench import clients, play
from bench.playing import load
from bench.scale import Scale
from bench.server import Server
from bench.table import Line

DATABASE = "bench_night"
PROCESSES = 2
NIGHT_SECONDS = 300


def night_lines(server: Server, scale: Scale) -> Iterator[Line]:
    """Lay out rounds and deposits, let the audit read all of it as it comes, then time the full pass."""
    from django.db import connections

    from bench.laying import lay

    connections.close_all()
    server.copy(DATABASE)
    with server.postgres.connect() as connection:
        connection.execute(f"ALTER DATABASE {DATABASE} SET synchronous_commit = off")  # nobody waits for what is being laid out
    clients.results(1, lambda index: _marks_set(), database=DATABASE)
    started = time.monotonic()
    share = -(-scale.night_rounds // PROCESSES)
    laid = clients.results(PROCESSES, lambda index: lay(server, DATABASE, index, share), database=DATABASE)
    with server.postgres.connect(DATABASE) as connection:
        (transfers,) = connection.execute("SELECT count(*) FROM wallets_transfer").fetchone() or (0,)
    load(server, DATABASE, max(0, scale.night_transfers - transfers) + scale.players)
    play.trail_complete(server, DATABASE)
    server.settle(DATABASE)
    laying = time.monotonic() - started
    caught_up = sum(clients.results(1, lambda index: _caught_up(), database=DATABASE))
    began = time.monotonic()
    clients.results(1, lambda index: _begun(), database=DATABASE)
    worked = clients.results(PROCESSES, lambda index: _worked(), database=DATABASE)
    seconds = time.monotonic() - began
    (rows,) = clients.results(1, lambda index: _told(), database=DATABASE)
    print(f"laid out in {laying:.0f} s, {rows}, caught up in {caught_up:.0f} s", file=sys.stderr)
    what = f"full pass, {rows['ledger']:,} transfers, {sum(laid):,} rounds, {PROCESSES} processes"
    yield Line("j", what, f"{seconds:.0f} s", f"{NIGHT_SECONDS} s", seconds / NIGHT_SECONDS, "≤ 1.00")
    per_core = sum(worked) / PROCESSES
    what = "the same by processor time per core, whatever else runs"
    yield Line("j", what, f"{per_core:.0f} s", f"{NIGHT_SECONDS} s", per_core / NIGHT_SECONDS, "≤ 1.00")


def _marks_set() -> None:
    from audit.continuous.incremental import audit_continue
    from audit.continuous.passes import pages_work

    audit_continue()
    pages_work()


def _caught_up() -> float:
    """Read everything, as the audit does all along; return how many seconds it took."""
    from audit.continuous.incremental import audit_continue

    began = time.monotonic()
    while any(read.has_more for read in audit_continue(seconds=60).values()):
        continue
    return time.monotonic() - began


def _begun() -> None:
    from audit.tasks import audit_night

    audit_night()


def _worked() -> float:
    """Do pages until none are left; return the processor seconds that this took here and in the database."""
    from django.db import connection

    from audit.continuous.passes import pages_work

    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        (backend,) = cursor.fetchone()
    began = time.process_time()
    pages_work()
    spent = psutil.Process(backend).cpu_times()
    return time.process_time() - began + spent.user + spent.system


def _told() -> dict[str, int]:
    """Return how many rows each part looked at; fail where the pass found anything or has not ended."""
    from audit.models import AuditFinding, AuditPass

    ended = AuditPass.objects.get(cause="night")
    if ended.ended_at is None or AuditFinding.objects.exists():
        raise RuntimeError(f"the pass has not ended, or found {list(AuditFinding.objects.values()[:5])}")
    rows: dict[str, int] = {}
    for part, count in ended.pages.values_list("part", "rows"):
        rows[part] = rows.get(part, 0) + count
    return rows

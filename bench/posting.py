"""(a) Posting, against pgbench's simple-update: the least that a payment system could do in a transaction."""

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from bench import clients, play
from bench.scale import Scale
from bench.server import FOLDERS, Server
from bench.table import Line, interleaved, per_second
from wallets.ledger import cage_account
from wallets.models import Account, AccountKind

YARDSTICK = "bench_simple_update"
_RATE = re.compile(r"tps = ([0-9.]+)")
_SCRIPT = """\\set account random({first}, {last})
SELECT * FROM ledger_post(ARRAY[{cage}]::bigint[], ARRAY[:account]::bigint[], ARRAY[100]::bigint[], ARRAY['deposit'],
                          ARRAY[''], ARRAY[NULL]::bigint[], NULL, NULL, NULL);
"""


def lines(server: Server, database: str, scale: Scale) -> Iterator[Line]:
    """Post by the database's function and by the deposit service; each with as many clients as the yardstick."""
    with server.postgres.connect() as connection:
        connection.execute(f"CREATE DATABASE {YARDSTICK}")
    server.pgbench(YARDSTICK, "-i", "-q", "-s", "10")
    script = _script(_posting(), "posting")
    for count in sorted({1, min(4, scale.clients), scale.clients}):
        options = ("-c", str(count), "-j", str(count), "-T", str(scale.seconds), "-n")
        function, service, yardstick = interleaved(
            scale.repeats,
            partial(_pgbench, server, database, *options, "-f", str(script)),
            partial(_deposits, database, count, scale.seconds),
            partial(_pgbench, server, YARDSTICK, *options, "-N"),
        )
        for what, rate, target in (("ledger_post", function, 0.40), ("deposit service", service, 0.30)):
            yield Line(
                "a",
                f"{what} / pgbench simple-update, {count} clients",
                per_second(rate),
                per_second(yardstick),
                rate / yardstick,
                f"≥ {target:.2f}" if count == 4 else "",
            )


def _deposits(database: str, count: int, seconds: float) -> float:
    return clients.together(count, play.deposits, database=database, seconds=seconds).rate


def _pgbench(server: Server, database: str, *options: str) -> float:
    output = server.pgbench(database, *options)
    found = _RATE.search(output)
    if found is None:
        raise RuntimeError(f"pgbench gives no rate:\n{output}")
    return float(found[1])


def _posting() -> str:
    accounts = Account.objects.filter(kind=AccountKind.PLAYER).order_by("pk").values_list("pk", flat=True)
    cage = cage_account(play.halls()[0].pk, play.CURRENCY).pk
    return _SCRIPT.format(first=min(accounts), last=max(accounts), cage=cage)


def _script(text: str, name: str) -> Path:
    path = FOLDERS.var / f"bench-{name}.sql"
    path.write_text(text)
    return path

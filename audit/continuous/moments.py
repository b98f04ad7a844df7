"""Where a database stands: which one it is, and which transactions are over."""

from dataclasses import dataclass

from django.db import connection

_STANDING = """
    SELECT concat_ws('/', (SELECT system_identifier FROM pg_control_system()), left(pg_walfile_name(pg_current_wal_lsn()), 8),
                     (SELECT oid FROM pg_database WHERE datname = current_database())),
           pg_snapshot_xmin(snapshot)::text::bigint, pg_snapshot_xmax(snapshot)::text::bigint, pg_current_wal_insert_lsn()::text
    FROM pg_current_snapshot() AS snapshot
"""


@dataclass(frozen=True, slots=True)
class Moment:
    """A moment of a database, in its transactions' numbers.

    **Shapes** ``database`` is the cluster's system identifier, its timeline and the database's oid: a restore changes one.
    ``over_xid``: every earlier transaction is over. ``next_xid``: no transaction has this number or a later one yet.
    ``wal_position`` has everything that can be seen behind it, also what nothing has waited for to be written.
    """

    database: str
    over_xid: int
    next_xid: int
    wal_position: str


def moment_now() -> Moment:
    """Ask the database where it stands."""
    with connection.cursor() as cursor:
        cursor.execute(_STANDING)
        return Moment(*cursor.fetchone())

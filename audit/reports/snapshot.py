"""Where reports read, one moment of that database for all figures of a report, and whether an interval can still get anything."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

import structlog
from django.db import DEFAULT_DB_ALIAS, DatabaseError, InterfaceError, connection, connections, transaction

from casino.db import REPLICA

_TRIES = 20
logger = structlog.get_logger(__name__)


@contextmanager
def one_moment(database: str) -> Iterator[None]:
    """Let every query inside see the database as it was at the first of them.

    **Rule** Inside somebody's transaction it is that transaction's own view.
    """
    is_inner = connections[database].in_atomic_block
    with transaction.atomic(using=database):
        if not is_inner:
            with connections[database].cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield


def is_settled(moment: datetime) -> bool:
    """Tell whether nothing with a time before a moment can be committed any more; to be asked before ``reader``.

    **Rule** What has a time reads it inside its transaction, after the lock that gave that transaction its id. So what has a time
    before the moment is either committed now, or belongs to a transaction that has an id, began before the moment and still runs.
    """
    with connection.cursor() as cursor:
        cursor.execute(_UNSETTLED, [moment])
        return cursor.fetchone() is None


def reader() -> str:
    """Return the database to read: the replica once it has all that the primary has now, the primary where it does not come."""
    if REPLICA not in connections.databases:
        return DEFAULT_DB_ALIAS
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_current_wal_insert_lsn()::text")
        (position,) = cursor.fetchone()
    try:
        for _ in range(_TRIES):
            with connections[REPLICA].cursor() as cursor:
                cursor.execute(_REACHED, [position])
                if cursor.fetchone() == (True,):
                    return REPLICA
    except (DatabaseError, InterfaceError) as error:
        logger.warning("report_replica_away", error=str(error))
    else:
        logger.warning("report_replica_behind", position=position)
    return DEFAULT_DB_ALIAS


_UNSETTLED = """
    SELECT pid FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_xid IS NOT NULL AND xact_start < %s LIMIT 1
"""
_REACHED = """
    SELECT CASE WHEN NOT pg_is_in_recovery() OR pg_last_wal_replay_lsn() >= %s::pg_lsn THEN true
        ELSE pg_sleep(0.1) IS NULL END
"""

"""One moment of the database for all figures of a report, and whether an interval can still get anything."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from django.db import connection, connections, transaction

READER = "default"
"""The database that reports read."""


@contextmanager
def one_moment(database: str = READER) -> Iterator[None]:
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
    """Tell whether nothing with a time before a moment can be committed any more; to be asked before ``one_moment``.

    **Rule** What has a time reads it inside its transaction, after the lock that gave that transaction its id. So what has a time
    before the moment is either committed now, or belongs to a transaction that has an id, began before the moment and still runs.
    """
    with connection.cursor() as cursor:
        cursor.execute(_UNSETTLED, [moment])
        return cursor.fetchone() is None


_UNSETTLED = """
    SELECT pid FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_xid IS NOT NULL AND xact_start < %s LIMIT 1
"""

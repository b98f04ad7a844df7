"""Transactions, the database's clock, rows that go when their time is over, and rows that never do."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any, Never
from uuid import UUID

from django.db import OperationalError, connection, connections, models, transaction
from django.db.migrations.operations import RunSQL
from psycopg import errors as postgres

from casino.errors import Busy

PURGE_BATCH_ROWS = 1000
REPLICA = "replica"
"""The alias of the read replica, where one is configured."""
_open_in: ContextVar[str | None] = ContextVar("unit_of_work", default=None)
_CONTENTION = (postgres.LockNotAvailable, postgres.DeadlockDetected, postgres.SerializationFailure, postgres.QueryCanceled)


@contextmanager
def unit_of_work() -> Iterator[None]:
    """Hold one service's transaction: durable, or part of the request's inside ``request_transaction``.

    **Rule** Inside a request the savepoint around the effect, not one more here, takes the service's work back.
    **Errors** Busy when a lock could not be had; RuntimeError when a service is called from a service.
    """
    outer = _open_in.get()
    if outer == "service":
        raise RuntimeError("a service was called from a service")
    with _mark("service"), _contention_as_busy(), transaction.atomic(savepoint=outer is None, durable=outer is None):
        yield


@contextmanager
def request_transaction() -> Iterator[None]:
    """Hold the durable transaction of one request, around one service."""
    with _mark("request"), _contention_as_busy(), transaction.atomic(durable=True):
        yield


@contextmanager
def _mark(holder: str) -> Iterator[None]:
    token = _open_in.set(holder)
    try:
        yield
    finally:
        _open_in.reset(token)


@contextmanager
def _contention_as_busy() -> Iterator[None]:
    try:
        yield
    except OperationalError as error:
        if isinstance(error.__cause__, _CONTENTION):
            raise Busy("busy", retry_after_seconds=1) from error
        raise


def now() -> datetime:
    """Read the database's clock, the only one that play and money go by."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        moment: datetime = cursor.fetchone()[0]
    return moment


def key_of(model: type[models.Model], public_id: UUID) -> int:
    """Find the key of a row by its outside id; 0, which no row has, where there is none.

    With the key itself in a search, and not a join, the database knows how rare it is and chooses the index by it.
    """
    key: int | None = model._default_manager.filter(public_id=public_id).values_list("pk", flat=True).first()
    return key or 0


def connection_rest() -> None:
    """Give the connection back to its pool while nothing is asked of the database; the next query takes one again."""
    if not connection.in_atomic_block:
        connection.close()


def time_unlimited(*aliases: str) -> None:
    """Lift the role's time limits, which are made for play, from the transactions at hand."""
    for alias in aliases:
        with connections[alias].cursor() as cursor:
            cursor.execute("SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0")


def rows_purge(rows: models.QuerySet[Any]) -> int:
    """Delete rows that have had their time and tell how many they were.

    **Rule** In batches, each in its own transaction: too many at once would run into the statement's time limit every night anew.
    """
    purged = 0
    while True:
        with unit_of_work():
            batch = rows.model._default_manager.filter(pk__in=rows.values("pk")[:PURGE_BATCH_ROWS]).delete()[0]
        purged += batch
        if batch < PURGE_BATCH_ROWS:
            return purged


class AppendOnlyQuerySet(models.QuerySet[Any]):
    """Rows that can be added and read, nothing else."""

    def update(self, **kwargs: Any) -> Never:
        raise TypeError(f"{self.model.__name__} is append-only")

    def delete(self) -> Never:
        raise TypeError(f"{self.model.__name__} is append-only")


class AppendOnly(models.Model):
    """A row that is written once. The trigger of ``append_only`` and the role's missing rights say the same below the ORM."""

    objects = models.Manager.from_queryset(AppendOnlyQuerySet)()

    class Meta:
        abstract = True

    def save(self, *args: Any, **kwargs: Any) -> None:
        if self.pk is not None and not self._state.adding:
            raise TypeError(f"{type(self).__name__} is append-only")
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> Never:
        raise TypeError(f"{type(self).__name__} is append-only")


def append_only(table: str) -> RunSQL:
    """Make a migration operation that refuses UPDATE, DELETE and TRUNCATE on a table, whoever asks."""
    return RunSQL(
        sql=f"""
            CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
                RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
            END $$;
            CREATE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE ON {table}
                FOR EACH ROW EXECUTE FUNCTION refuse_change();
            CREATE TRIGGER {table}_no_truncate BEFORE TRUNCATE ON {table}
                FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
        """,
        reverse_sql=f"DROP TRIGGER {table}_append_only ON {table}; DROP TRIGGER {table}_no_truncate ON {table};",
    )


def times_in_calendar(name: str, *fields: str) -> models.CheckConstraint:
    """Make a constraint that times are such as can be read: PostgreSQL also knows infinity, BC, and years of five digits.

    **Rule** One value that cannot be read makes every query fail that meets it, whatever else that was to read.
    """
    calendar = (datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC))
    return models.CheckConstraint(name=name, condition=models.Q(**{f"{field}__range": calendar for field in fields}))


class TransactionIdField(models.Field):
    """A transaction's number that never comes round again (``xid8``), as ``written_in`` keeps it."""

    def db_type(self, connection: Any) -> str:
        return "xid8"

    def from_db_value(self, value: str | None, expression: Any, connection: Any) -> int | None:
        return None if value is None else int(value)

    def get_prep_value(self, value: int | None) -> str | None:
        return None if value is None else str(value)


def written_in(table: str) -> RunSQL:
    """Make a migration operation that keeps, with each row of a table, the transaction that wrote it.

    **Rule** Keys are drawn before commits: a row with a lower key may appear after one with a higher key. Who reads "what is new"
    reads by ``written_xid``, below ``pg_snapshot_xmin``: no transaction there can add a row any more. The models do not show it.
    """
    return RunSQL(
        sql=f"""
            ALTER TABLE {table} ADD COLUMN written_xid xid8 NOT NULL DEFAULT pg_current_xact_id();
            CREATE INDEX {table}_written ON {table} (written_xid);
        """,
        reverse_sql=f"ALTER TABLE {table} DROP COLUMN written_xid;",
    )

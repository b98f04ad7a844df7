"""The tables whose rows are written once, and reading them by the transactions that wrote them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connection, connections
from psycopg import sql

from audit.models import AuditMark

# What comes next at the moment of the statement: no row that it sees was written under this number or a later one.
_NEXT = sql.SQL("(SELECT pg_snapshot_xmax(pg_current_snapshot()))")
# The number below it that the 32 bits which a row keeps of its writer belong to.
_NEAREST = sql.SQL("""
    {next}::text::numeric - 1 - (({next}::text::numeric - 1 - xmin::text::numeric) %% 4294967296 + 4294967296) %% 4294967296
""").format(next=_NEXT)


@dataclass(frozen=True, slots=True)
class Written:
    """A table whose rows are written once, its key, and how many of its rows are read in one go.

    **Rule** The key ``is_drawn`` where it comes from a sequence: who writes such a row has its transaction's number before it
    draws the key, as the locks come first.
    """

    table: str
    key: str
    batch_rows: int
    is_drawn: bool

    def sql(self, text: str) -> sql.Composed:
        table, key = sql.Identifier(self.table), sql.Identifier(self.key)
        return sql.SQL(text).format(table=table, key=key, next=_NEXT, nearest=_NEAREST)


TRANSFERS = Written("wallets_transfer", "id", 2000, is_drawn=True)
STEPS = Written("rounds_roundstep", "id", 2000, is_drawn=True)
RECORDS = Written("rounds_roundrecord", "round_id", 200, is_drawn=False)
EVERY = (TRANSFERS, STEPS, RECORDS)
KEY_MAX = 2**63 - 1
AGAIN_ROWS = 50_000
"""How many older rows of a table each run looks at again: few enough to cost some hundredths of a second."""


@dataclass(frozen=True, slots=True)
class Again:
    """A row that was written again after it had been read, or under the number of a transaction that did not write it."""

    key: int
    writer_xid: int


_NEW = """
    WITH first AS (
        SELECT {key} AS key, written_xid FROM {table}
        WHERE written_xid >= %(since)s::xid8 AND written_xid < %(until)s::xid8 ORDER BY written_xid LIMIT %(limit)s
    )
    SELECT {key}, written_xid::text::bigint FROM {table}
    WHERE written_xid >= %(since)s::xid8 AND written_xid <= (SELECT max(written_xid) FROM first)
    ORDER BY written_xid, {key}
"""
_AHEAD = """
    SELECT {key}, {nearest} FROM {table}
    WHERE written_xid > %(ahead)s::xid8 AND written_xid >= {next} ORDER BY written_xid, {key} LIMIT %(limit)s
"""
_BEFORE = """
    SELECT key, writer FROM (SELECT {key} AS key, {nearest} AS writer FROM {table} WHERE {key} = ANY (%(keys)s)) fresh
    WHERE key > pg_sequence_last_value(pg_get_serial_sequence(%(table)s, %(column)s))
        OR (key > %(first)s OR writer < %(set)s + 4294967296 - least(%(set)s, 2147483648)) AND key <= (
            SELECT last_key FROM audit_auditreading
            WHERE table_name = %(table)s AND era = %(era)s AND before_xid <= fresh.writer::text::xid8
            ORDER BY before_xid DESC, last_key DESC LIMIT 1
        )
    ORDER BY key
"""
_SLICE = "SELECT {key} FROM {table} WHERE {key} > %s ORDER BY {key} OFFSET %s LIMIT 1"
_AGAIN = """
    SELECT key, writer FROM (
        SELECT {key} AS key, written_xid, written_xid >= {next} AS is_ahead,
               CASE WHEN written_xid >= {next} THEN {nearest} ELSE written_xid::text::numeric
                   + ((age(written_xid::xid)::bigint - age(xmin)::bigint) %% 4294967296 + 4294967296) %% 4294967296 END AS writer
        FROM {table}
        WHERE {key} > %(first)s AND {key} > %(from)s AND {key} <= %(to)s
            AND (written_xid < %(mark)s::xid8 AND xmin <> written_xid::xid OR written_xid >= {next})
    ) late
    WHERE is_ahead OR writer >= coalesce((
        SELECT before_xid::text::numeric FROM audit_auditreading
        WHERE table_name = %(table)s AND era = %(era)s AND until_xid > late.written_xid ORDER BY until_xid LIMIT 1
    ), 0)
    ORDER BY key
"""
_FORMER_AGAIN = """
    SELECT key, writer FROM (
        SELECT {key} AS key, written_xid, pg_snapshot_xmax(pg_current_snapshot()) AS next_xid,
               %(set)s + ((xmin::text::bigint - %(set)s) %% 4294967296 + 4294967296) %% 4294967296 AS writer
        FROM {table}
        WHERE {key} <= %(first)s AND {key} > %(from)s AND {key} <= %(to)s AND xmin <> written_xid::xid
    ) former
    WHERE writer < least(next_xid::text::bigint, %(set)s + 4294967296 - least(%(set)s, 2147483648))
        AND (written_xid < %(set)s::text::xid8 OR written_xid >= next_xid OR writer >= coalesce((
            SELECT before_xid::text::bigint FROM audit_auditreading
            WHERE table_name = %(table)s AND era = %(era)s AND until_xid > former.written_xid ORDER BY until_xid LIMIT 1
        ), CASE WHEN written_xid < %(mark)s::xid8 THEN 0 END))
    ORDER BY key
"""


def rows_new(written: Written, *, since: int, until: int, limit: int) -> tuple[list[int], int]:
    """Return the keys of rows that transactions from ``since`` on wrote, before ``until``, and up to where they reach.

    **Rule** What one transaction wrote is returned together, also where that is more than the limit.
    """
    with connection.cursor() as cursor:
        cursor.execute(written.sql(_NEW), {"since": str(since), "until": str(until), "limit": limit})
        rows = cursor.fetchall()
    return [key for key, _ in rows], (rows[-1][1] + 1 if len(rows) >= limit else until)


def rows_ahead(written: Written, mark: AuditMark) -> list[Again]:
    """Find rows under numbers that no transaction has had yet, nor any row had when the mark was set: they would never be new.

    **Rule** By the index alone: where nobody wrote such a row, this costs nothing.
    """
    with connection.cursor() as cursor:
        cursor.execute(written.sql(_AHEAD), {"ahead": str(mark.ahead_xid), "limit": AGAIN_ROWS})
        return [Again(key, int(writer)) for key, writer in cursor.fetchall()]


def rows_before(written: Written, mark: AuditMark, keys: Sequence[int]) -> list[Again]:
    """Find, among rows that are new by their transaction, those whose keys had been drawn before, or never: written again.

    **Rule** A key up to the last one of a reading was drawn before that reading's ``before_xid``, and the transaction's number
    before the key: a row that has such a key and a later writer (``xmin``) is not the one that was written first.
    """
    if not written.is_drawn:
        return []
    values: dict[str, Any] = {"keys": list(keys), "first": mark.first_key, "set": mark.set_xid}
    values |= {"table": written.table, "column": written.key, "era": mark.era}
    with connection.cursor() as cursor:
        cursor.execute(written.sql(_BEFORE), values)
        return [Again(key, int(writer)) for key, writer in cursor.fetchall()]


def last_key_drawn(written: Written, keys: Sequence[int], before: int) -> int:
    """Return the last key of rows that have been read, and no more than the sequence has given out: more is nobody's."""
    if not written.is_drawn:
        return 0
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_sequence_last_value(pg_get_serial_sequence(%s, %s))", [written.table, written.key])
        (drawn,) = cursor.fetchone()
    return min(max(before, *keys), drawn or 0)


def slice_end(written: Written, after: int, rows: int = AGAIN_ROWS) -> int | None:
    """Return the key with which a slice of so many rows after a key ends; None where there are fewer."""
    with connection.cursor() as cursor:
        cursor.execute(written.sql(_SLICE), [after, rows - 1])
        found = cursor.fetchone()
    return found[0] if found else None


def rows_again(written: Written, mark: AuditMark, *, after: int, to: int, using: str = DEFAULT_DB_ALIAS) -> list[Again]:
    """Find rows, from a key to another, that were written again after they had been read.

    **Rule** PostgreSQL keeps with each row the transaction that wrote it last (``xmin``), also when it is frozen; any edit
    changes it. It comes round every 2^32 transactions, so it is told apart by its distance from ``written_xid``; a
    ``written_xid`` that no transaction has had yet is nobody's.
    Of a row that was there when the mark was set ``written_xid`` may say nothing, as after a restore from a dump: there the
    distance is from the transaction that came next; a number that none has had since, or that is nearer before it, is from
    before. One that was only committed afterwards, under a lower key, counts from its reading. Where the reading is gone
    nothing says that the row is as it was read: it counts as written again.
    """
    values: dict[str, Any] = {"first": mark.first_key, "set": mark.set_xid, "from": after, "to": to}
    values |= {"mark": str(mark.xid), "table": written.table, "era": mark.era}
    with connections[using].cursor() as cursor:
        cursor.execute(written.sql(_FORMER_AGAIN), values)
        rows = cursor.fetchall()
        cursor.execute(written.sql(_AGAIN), values)
        rows += cursor.fetchall()
    return [Again(key, int(writer)) for key, writer in rows]

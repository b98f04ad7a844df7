"""The rows that are sealed, as leaves: read from the database in one spelling, whoever asks."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connection, transaction

from audit.seals.heads import STEP, TRANSFER
from audit.seals.models import LeafKind
from casino.db import time_unlimited
from games.core.codec import digest
from games.core.engine import Json

KINDS = {LeafKind.STEP.value: STEP, LeafKind.TRANSFER.value: TRANSFER}
_IS_TIME = "row.at >= '1000-01-01Z' AND row.at < '10000-01-01Z'"
_AT = f"""
    CASE WHEN {_IS_TIME} THEN to_char(row.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
    ELSE (row.at AT TIME ZONE 'UTC')::text END
"""
"""A row's time as records write it; what somebody wrote that is no such time, as it is: a row that Python cannot read is read."""
_STEP_HIDDEN = ("seat", "turn", "origin", "secret", "previous_hash", "available_minor")
_TRANSFER = (
    "public_id", "at", "step_id", "index", "debit_account_id", "credit_account_id", "amount_minor", "currency", "code",
    "reference", "reversal_of_id", "created_by_id", "debit_balance_after_minor", "debit_sequence", "credit_balance_after_minor",
    "credit_sequence",
)  # fmt: skip
_COLUMNS = {
    LeafKind.STEP.value: (
        f"row.id, played.commitment_id, row.seq, row.hash, {_AT}, row.seat, row.turn, row.origin, "
        "encode(sha256(row.secret), 'hex'), row.previous_hash, row.available_minor"
    ),
    LeafKind.TRANSFER.value: ", ".join(_AT if name == "at" else f'row."{name}"' for name in ("id", *_TRANSFER)),
}
_TABLES = {LeafKind.STEP.value: "rounds_roundstep", LeafKind.TRANSFER.value: "wallets_transfer"}
_JOINS = {LeafKind.STEP.value: "LEFT JOIN rounds_round played ON played.id = row.round_id", LeafKind.TRANSFER.value: ""}
_IS_OPEN = {
    LeafKind.STEP.value: (
        "(played.status = 'open' AND NOT EXISTS "
        "(SELECT FROM rounds_roundrecord record WHERE record.round_id = played.id)) IS TRUE"
    ),
    LeafKind.TRANSFER.value: "false",
}
"""A step of a round that is open and has no record: how many there are of that round is nobody's business yet."""
_WRITTEN = "row.written_xid >= %s::xid8 AND row.written_xid < %s::xid8"
_PASSED = "row.id IN (SELECT row_id FROM seals_passedover WHERE kind = {kind})"
_HAS_NO_LEAF = "NOT EXISTS (SELECT FROM seals_sealleaf leaf WHERE leaf.kind = {} AND leaf.row_id = row.id {})"
EVER = 2**64 - 1
WAITING_AT_ONCE = 5_000


@dataclass(frozen=True, slots=True)
class Sealable:
    """A row with its leaf, its time and the transaction that wrote it."""

    written: int
    at: str
    is_open: bool
    kind: int
    id: int
    leaf: Json


@dataclass(frozen=True, slots=True)
class LeafRow:
    """A leaf's place, hash and row as it is now; None where that is gone. ``is_open`` says that it is of an open round."""

    index: int
    kind: int
    id: int
    hash: bytes
    leaf: Json | None
    is_open: bool


def leaf_of(kind: int, row: Sequence[Any]) -> Json:
    """Return the leaf of a row of ``columns``.

    **Rule** A step is told by its hash, which covers what it shows and tells nothing of it; ``row`` is the digest of all else
    that its row holds, its ciphertext among it, whose chance keeps the rest from being guessed. A transfer is told in full.
    """
    if kind == LeafKind.STEP:
        key, round_id, seq, hash, at, *hidden = row
        rest = dict(zip(_STEP_HIDDEN, hidden, strict=True), at=at)
        return {"kind": STEP, "id": key, "round_id": str(round_id), "seq": seq, "hash": hash, "row": digest(rest)}
    key, public_id, at, *others = row
    told = dict(zip(_TRANSFER[2:], others, strict=True))
    return {"kind": TRANSFER, "id": key, "public_id": str(public_id), "at": at, **told}


def rows_new(*, mark: int, below: int, limit: int) -> list[Sealable]:
    """Return rows without a leaf, in the order of the transactions that wrote them, up to a limit; none whose time is none.

    **Rule** Written from ``mark`` on and below ``below``: no transaction there can add a row any more. With mark 0 all that there
    is, whatever transaction its row names: it may be another server's.
    """
    values = [mark, below if mark else EVER]
    return rows_sorted(_each(f"{_WRITTEN} AND {_IS_TIME}", values, limit))[:limit]


def rows_sorted(rows: list[Sealable]) -> list[Sealable]:
    """Return rows in the order in which they are sealed."""
    return sorted(rows, key=lambda row: (row.written, row.kind, row.id))


def rows_mended(*, limit: int) -> list[Sealable]:
    """Return rows that were passed over and can be read by now."""
    return _each(f"{_PASSED} AND {_IS_TIME}", [], limit)[:limit]


def rows_passed(*, limit: int) -> list[Sealable]:
    """Return rows that were passed over and still cannot be read."""
    return _each(f"{_PASSED} AND ({_IS_TIME}) IS NOT TRUE", [], limit)


def rows_pass_over(*, mark: int, below: int) -> None:
    """Note rows that cannot be sealed, and forget those that were sealed by now or are gone."""
    with connection.cursor() as cursor:
        for kind, table in _TABLES.items():
            cursor.execute(
                f"""
                DELETE FROM seals_passedover passed WHERE kind = %(kind)s
                    AND (EXISTS (SELECT FROM seals_sealleaf leaf WHERE (leaf.kind, leaf.row_id) = (passed.kind, passed.row_id))
                         OR NOT EXISTS (SELECT FROM {table} row WHERE row.id = passed.row_id))
                """,  # noqa: S608 made of this page's own words
                {"kind": kind},
            )
            cursor.execute(
                f"""
                INSERT INTO seals_passedover (kind, row_id)
                SELECT %s, row.id FROM {table} row
                WHERE {_WRITTEN} AND ({_IS_TIME}) IS NOT TRUE AND {_HAS_NO_LEAF.format(kind, "")}
                ON CONFLICT DO NOTHING
                """,  # noqa: S608 made of this page's own words
                [kind, str(mark), str(below if mark else EVER)],
            )


def rows_late(*, since: int, mark: int, tree_size: int, limit: int) -> list[Sealable]:
    """Return rows that should have been sealed from one mark to another and have no leaf in the tree of this size."""
    with transaction.atomic():
        time_unlimited(DEFAULT_DB_ALIAS)
        return _each(_WRITTEN, [since, mark], limit, tree_size)


def rows_ahead(*, tree_size: int, limit: int) -> list[Sealable]:
    """Return rows without a leaf that name a transaction which has not begun: no seal will ever reach them."""
    return _each("row.written_xid >= pg_snapshot_xmax(pg_current_snapshot())", [], limit, tree_size)


def rows_waiting(*, mark: int, tree_size: int, below: int = EVER, at_once: int = WAITING_AT_ONCE) -> Iterator[Sealable]:
    """Return rows that wait for a seal after the tree of this size, read so many at once: after an outage there are millions."""
    written = "(row.written_xid, row.id) > (%s::xid8, %s::bigint) AND row.written_xid < %s::xid8"
    for kind in KINDS:
        place = [mark, -1]
        while place:
            with transaction.atomic():
                time_unlimited(DEFAULT_DB_ALIAS)
                page = _unsealed(kind, written, [*place, below], at_once, tree_size)
            yield from page
            place = [page[-1].written, page[-1].id] if len(page) == at_once else []


def _each(written: str, values: list[int], limit: int, tree_size: int | None = None) -> list[Sealable]:
    return [row for kind in KINDS for row in _unsealed(kind, written, values, limit, tree_size)]


def _unsealed(kind: int, written: str, values: list[int], limit: int, tree_size: int | None = None) -> list[Sealable]:
    before = "" if tree_size is None else f"AND leaf.index < {tree_size:d}"
    query = f"""
        SELECT row.written_xid::text, {_AT}, {_IS_OPEN[kind]}, {_COLUMNS[kind]} FROM {_TABLES[kind]} row {_JOINS[kind]}
        WHERE {written.format(kind=kind)} AND {_HAS_NO_LEAF.format(kind, before)} ORDER BY row.written_xid, row.id LIMIT %s
    """  # noqa: S608 made of this page's own words
    with connection.cursor() as cursor:
        cursor.execute(query, [*map(str, values), limit])
        return [
            Sealable(int(written), str(at), is_open, kind, row[0], leaf_of(kind, row))
            for written, at, is_open, *row in cursor.fetchall()
        ]


def leaves_with_rows(first: int, end: int) -> list[LeafRow]:
    """Return the leaves of a range, with the rows as they are now."""
    found: list[LeafRow] = []
    with connection.cursor() as cursor:
        for kind in KINDS:
            cursor.execute(
                f"""
                SELECT leaf.index, leaf.row_id, leaf.hash, {_IS_OPEN[kind]}, {_COLUMNS[kind]}
                FROM seals_sealleaf leaf LEFT JOIN {_TABLES[kind]} row ON row.id = leaf.row_id {_JOINS[kind]}
                WHERE leaf.kind = {kind:d} AND leaf.index >= %s AND leaf.index < %s
                """,  # noqa: S608 made of this page's own words
                [first, end],
            )
            for index, key, hash, is_open, *row in cursor.fetchall():
                now = None if row[0] is None else leaf_of(kind, row)
                found.append(LeafRow(index, kind, key, bytes(hash), now, is_open))
    found.sort(key=lambda each: each.index)
    return found


def oldest_waiting() -> str:
    """Return the query for the time of the oldest row that waits for its seal, given the last mark."""
    each = [
        f"""(SELECT row.at FROM {table} row WHERE written_xid >= %(mark)s::xid8 AND {_IS_TIME} AND {_HAS_NO_LEAF.format(kind, "")}
            ORDER BY written_xid LIMIT 1)"""  # noqa: S608 made of this page's own words
        for kind, table in _TABLES.items()
    ]
    return f"SELECT min(at) FROM ({' UNION ALL '.join(each)}) AS waiting"  # noqa: S608 made of this page's own words

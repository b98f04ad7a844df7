"""The rows that are sealed, as leaves: read from the database in one spelling, whoever asks."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection, transaction

from audit.seals.heads import STEP, TRANSFER
from audit.seals.models import LeafKind
from games.core.codec import digest
from games.core.engine import Json
from games.rounds.records import iso

KINDS = {LeafKind.STEP.value: STEP, LeafKind.TRANSFER.value: TRANSFER}
_STEP_HIDDEN = ("seat", "turn", "origin", "secret", "previous_hash", "available_minor")
_TRANSFER = (
    "public_id", "at", "step_id", "index", "debit_account_id", "credit_account_id", "amount_minor", "currency", "code",
    "reference", "reversal_of_id", "created_by_id", "debit_balance_after_minor", "debit_sequence", "credit_balance_after_minor",
    "credit_sequence",
)  # fmt: skip
_COLUMNS = {
    LeafKind.STEP.value: (
        "row.id, played.commitment_id, row.seq, row.hash, row.at, row.seat, row.turn, row.origin, "
        "encode(sha256(row.secret), 'hex'), row.previous_hash, row.available_minor"
    ),
    LeafKind.TRANSFER.value: ", ".join(f'row."{name}"' for name in ("id", *_TRANSFER)),
}
_TABLES = {LeafKind.STEP.value: "rounds_roundstep", LeafKind.TRANSFER.value: "wallets_transfer"}
_JOINS = {LeafKind.STEP.value: "LEFT JOIN rounds_round played ON played.id = row.round_id", LeafKind.TRANSFER.value: ""}
_EVER = 2**63 - 1
WAITING_AT_ONCE = 5_000


@dataclass(frozen=True, slots=True)
class Sealable:
    """A row with its leaf and the transaction that wrote it."""

    written: int
    kind: int
    id: int
    leaf: Json


def leaf_of(kind: int, row: Sequence[Any]) -> Json:
    """Return the leaf of a row of ``columns``.

    **Rule** A step is told by its hash, which covers what it shows and tells nothing of it; ``row`` is the digest of all else
    that its row holds, its ciphertext among it, whose chance keeps the rest from being guessed. A transfer is told in full.
    """
    if kind == LeafKind.STEP:
        key, round_id, seq, hash, at, *hidden = row
        rest = dict(zip(_STEP_HIDDEN, hidden, strict=True), at=iso(at))
        return {"kind": STEP, "id": key, "round_id": str(round_id), "seq": seq, "hash": hash, "row": digest(rest)}
    key, public_id, moment, *others = row
    told = dict(zip(_TRANSFER[2:], others, strict=True))
    return {"kind": TRANSFER, "id": key, "public_id": str(public_id), "at": iso(moment), **told}


def rows_new(*, mark: int, below: int, limit: int) -> list[Sealable]:
    """Return rows without a leaf, in the order of the transactions that wrote them, up to a limit.

    **Rule** Written from ``mark`` on and below ``below``: no transaction there can add a row any more. With mark 0 all that there
    is, whatever transaction its row names: it may be another server's.
    """
    upper = below if mark else _EVER
    found = [
        row
        for kind in KINDS
        for row in _unsealed(kind, "written_xid >= %s::xid8 AND written_xid < %s::xid8", [mark, upper], limit)
    ]
    found.sort(key=lambda row: (row.written, row.kind, row.id))
    return found[:limit]


def rows_late(*, mark: int, tree_size: int, limit: int) -> list[Sealable]:
    """Return rows that should have been sealed by a mark and have no leaf in the tree of this size."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL statement_timeout = 0")  # it reads all the past
        return [row for kind in KINDS for row in _unsealed(kind, "written_xid < %s::xid8", [mark], limit, tree_size)]


def rows_waiting(*, mark: int, tree_size: int, at_once: int = WAITING_AT_ONCE) -> Iterator[Sealable]:
    """Return rows that wait for a seal after the tree of this size, read so many at once: after an outage there are millions."""
    for kind in KINDS:
        place = [mark, -1]
        while place:
            with transaction.atomic(), connection.cursor() as cursor:
                cursor.execute("SET LOCAL statement_timeout = 0")  # from before the first seal on it is all the past
                page = _unsealed(kind, "(row.written_xid, row.id) > (%s::xid8, %s::bigint)", place, at_once, tree_size)
            yield from page
            place = [page[-1].written, page[-1].id] if len(page) == at_once else []


def _unsealed(kind: int, written: str, values: list[int], limit: int, tree_size: int | None = None) -> list[Sealable]:
    before = "" if tree_size is None else f"AND leaf.index < {tree_size:d}"
    query = f"""
        SELECT row.written_xid::text::bigint, {_COLUMNS[kind]} FROM {_TABLES[kind]} row {_JOINS[kind]}
        WHERE {written} AND NOT EXISTS
            (SELECT FROM seals_sealleaf leaf WHERE leaf.kind = {kind:d} AND leaf.row_id = row.id {before})
        ORDER BY row.written_xid, row.id LIMIT %s
    """  # noqa: S608 made of this page's own words
    with connection.cursor() as cursor:
        cursor.execute(query, [*map(str, values), limit])
        return [Sealable(row[0], kind, row[1], leaf_of(kind, row[1:])) for row in cursor.fetchall()]


def leaves_with_rows(first: int, end: int) -> list[tuple[int, int, int, bytes, Json | None]]:
    """Return the leaves of a range: index, kind, id of the row, hash, and the row as it is now; None where it is gone."""
    found: list[tuple[int, int, int, bytes, Json | None]] = []
    with connection.cursor() as cursor:
        for kind in KINDS:
            cursor.execute(
                f"""
                SELECT leaf.index, leaf.row_id, leaf.hash, {_COLUMNS[kind]}
                FROM seals_sealleaf leaf LEFT JOIN {_TABLES[kind]} row ON row.id = leaf.row_id {_JOINS[kind]}
                WHERE leaf.kind = {kind:d} AND leaf.index >= %s AND leaf.index < %s
                """,  # noqa: S608 made of this page's own words
                [first, end],
            )
            for index, key, hash, *row in cursor.fetchall():
                found.append((index, kind, key, bytes(hash), None if row[0] is None else leaf_of(kind, row)))
    found.sort(key=lambda each: each[0])
    return found


def oldest_waiting() -> str:
    """Return the query for the time of the oldest row that waits for its seal, given the last mark."""
    each = [
        f"""(SELECT row.at FROM {table} row WHERE written_xid >= %(mark)s::xid8 AND NOT EXISTS
            (SELECT FROM seals_sealleaf leaf WHERE leaf.kind = {kind:d} AND leaf.row_id = row.id) ORDER BY written_xid LIMIT 1)"""  # noqa: S608
        for kind, table in _TABLES.items()
    ]
    return f"SELECT min(at) FROM ({' UNION ALL '.join(each)}) AS waiting"  # noqa: S608 made of this page's own words

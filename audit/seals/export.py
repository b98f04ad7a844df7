"""Seals with all that they seal, line by line, for the check of our own and for outsiders.

No transaction and no cursor stays open between the lines: who reads slowly holds up nothing.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import F

from audit.seals.heads import EXPORT_FORMAT, LEAVES_MAX, leaf_digest
from audit.seals.models import LeafKind, Seal
from audit.seals.rows import KINDS, LeafRow, Sealable, leaves_with_rows, rows_ahead, rows_late, rows_waiting
from audit.seals.services import SEALING_LOCK, edge_of, head_of
from casino.db import unit_of_work
from games.core.codec import canonical, parse
from games.core.engine import Json
from games.core.errors import InvalidData
from games.rounds.models import RoundRecord
from games.rounds.records import iso

LEAVES_AT_ONCE = 5_000
SEALS_AT_ONCE = 1_000
LATE_MAX = 10_000
CHUNK_BYTES = 2**16
_NO_STEP = {"hash": None, "seq": None}
_MOMENT_SQL = """
    SELECT clock_timestamp(), (SELECT system_identifier FROM pg_control_system()),
           pg_snapshot_xmax(pg_current_snapshot())::text
"""


def export_text() -> Iterator[bytes]:
    """Return the whole export for outsiders as JSON Lines, many lines at once.

    **Rule** All seals made up to the moment that it names are in it: a seal being made is waited for. **Errors** Busy.
    """
    with unit_of_work(), connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock_shared(%s)", [SEALING_LOCK])
        moment, newest = _moment(), _newest()
    return _chunks(_lines(None, newest, moment, is_whole=True, is_outside=True))


def _chunks(lines: Iterable[Json]) -> Iterator[bytes]:
    chunk = bytearray()
    for line in lines:
        chunk += _text(line)
        if len(chunk) >= CHUNK_BYTES:
            yield bytes(chunk)
            chunk.clear()
    yield bytes(chunk)


def export_lines(*, after: Seal | None = None, is_whole: bool = True) -> Iterator[Json]:
    """Return seals in order, each before its leaves, with the rows as they are now; then the rows that wait for a seal.

    **Rule** It is of the moment in which it begins: later seals are left out. With ``is_whole`` it looks through all the past for
    rows that slipped past the seals, and tells the steps of closed rounds in full, as their records have them.
    """
    moment = _moment()
    yield from _lines(after, _newest(), moment, is_whole=is_whole, is_outside=False)


def _lines(
    after: Seal | None, newest: Seal | None, moment: tuple[datetime, int, str], *, is_whole: bool, is_outside: bool
) -> Iterator[Json]:
    at, server, next_transaction = moment
    size = newest.tree_size if newest else 0
    yield {
        "type": "export",
        "format": EXPORT_FORMAT,
        "at": iso(at),
        "system_identifier": str(server),
        "next_transaction": next_transaction,
        "after": after and _known(after),
    }
    leaves = _leaves(after.tree_size if after else 0, size, are_told=is_whole)
    count, ahead = 0, next(leaves, None)
    for seal in _seals(after.number if after else 0, newest.number if newest else 0):
        yield _seal(seal) | {"type": "seal"}
        while ahead is not None and ahead[0].index < seal.tree_size:
            yield _leaf(*ahead, is_outside=is_outside)
            count, ahead = count + 1, next(leaves, None)
    for row in _unsealed(after, newest, server, int(next_transaction), is_whole=is_whole):
        hides = is_outside and row.is_open
        told = {"leaf_hash": leaf_digest(row.leaf).hex()} if hides else {"leaf": row.leaf}
        waits = {"written": str(row.written), "minute": row.at[:16]}
        yield {"type": "unsealed", "kind": KINDS[row.kind], "id": row.id, **waits, **told}
    yield {"type": "end", "seal": newest.number if newest else 0, "leaves": count}


def _moment() -> tuple[datetime, int, str]:
    """Return the time, which server this is, and the number that its next transaction has."""
    with connection.cursor() as cursor:
        cursor.execute(_MOMENT_SQL)
        at, server, next_transaction = cursor.fetchone()
    return at, server, next_transaction


def _newest() -> Seal | None:
    return Seal.objects.order_by("-number").first()


def _seals(first: int, last: int) -> Iterator[Seal]:
    """Return the seals after a number, a page at a time."""
    while page := list(Seal.objects.filter(number__gt=first, number__lte=last).order_by("number")[:SEALS_AT_ONCE]):
        yield from page
        first = page[-1].number


def _unsealed(
    after: Seal | None, newest: Seal | None, server: int, next_transaction: int, *, is_whole: bool
) -> Iterator[Sealable]:
    """Return the rows without a leaf: those that slipped past, those that wait, and those that wait for ever.

    **Rule** Where the newest seal was made on another server, the transactions that rows name mean nothing: all of them wait.
    """
    size = newest.tree_size if newest else 0
    if newest is None or not newest.mark or newest.system_identifier != server:
        yield from rows_waiting(mark=0, tree_size=size)
        return
    is_here = after is not None and after.system_identifier == server
    since = after.mark if after and is_here else newest.mark if after else 0
    yield from rows_late(since=0 if is_whole else since, mark=newest.mark, tree_size=size, limit=LATE_MAX)
    yield from rows_waiting(mark=newest.mark, tree_size=size, below=next_transaction)
    yield from rows_ahead(tree_size=size, limit=LATE_MAX)


def _seal(seal: Seal) -> dict[str, Any]:
    return {**head_of(seal), "edge": [each.hex() for each in edge_of(seal).hashes]}


def _known(seal: Seal) -> dict[str, Any]:
    """Return a seal to go on after, with the time of the last one up to it that left no row behind."""
    earlier = Seal.objects.annotate(leaves=F("steps") + F("transfers")).filter(number__lte=seal.number, leaves__lt=LEAVES_MAX)
    emptied = earlier.order_by("-number").first()
    return {**_seal(seal), "emptied_at": emptied and iso(emptied.at)}


def _leaves(first: int, end: int, *, are_told: bool) -> Iterator[tuple[LeafRow, Json | None]]:
    """Return leaves, a page at a time, with the steps that records tell."""
    for start in range(first, end, LEAVES_AT_ONCE):
        found = leaves_with_rows(start, min(start + LEAVES_AT_ONCE, end))
        steps = [each.leaf for each in found if each.kind == LeafKind.STEP and each.leaf]
        told = _told({step["round_id"] for step in steps}) if are_told else {}
        for each in found:
            is_step = each.kind == LeafKind.STEP and each.leaf
            recorded = told.get(each.leaf["round_id"]) if is_step and each.leaf else None
            yield each, None if recorded is None or each.leaf is None else _step(recorded, each.leaf["seq"])


def _step(recorded: list[Any], seq: int) -> Json:
    step = recorded[seq] if seq < len(recorded) else None
    return step if isinstance(step, dict) else _NO_STEP


def _leaf(row: LeafRow, step: Json | None, *, is_outside: bool) -> Json:
    """Write a leaf's line. Outside a step of an open round has no number and no round: only the hash of its leaf as it is now."""
    line: dict[str, Any] = {"type": "leaf", "index": row.index, "kind": KINDS[row.kind], "id": row.id, "hash": row.hash.hex()}
    if is_outside and row.is_open and row.leaf:
        return line | {"leaf_hash": leaf_digest(row.leaf).hex()}
    return line | {"leaf": row.leaf} | ({"step": step} if step else {})


def _told(round_ids: set[str]) -> dict[str, list[Any]]:
    """Return the steps that the records of closed rounds tell; none for a record that cannot be read."""
    records = RoundRecord.objects.filter(round__commitment_id__in=map(UUID, round_ids - {"None"}))
    told: dict[str, list[Any]] = {}
    for round_id, document in records.values_list("round__commitment_id", "document").iterator():
        try:
            told[str(round_id)] = list(parse(document.encode())["steps"])
        except (InvalidData, KeyError, TypeError):
            told[str(round_id)] = []
    return told


def _text(line: Json) -> bytes:
    """Write a line; a step so deep that it cannot be written, as none."""
    try:
        return canonical(line) + b"\n"
    except InvalidData:
        return canonical({**line, "step": _NO_STEP}) + b"\n"

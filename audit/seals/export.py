"""Seals with all that they seal, line by line, for the check of our own and for outsiders."""

import json
from collections.abc import Iterator
from typing import Any
from uuid import UUID

from django.db.models import F

from audit.seals.heads import EXPORT_FORMAT, LEAVES_MAX
from audit.seals.models import LeafKind, Seal
from audit.seals.rows import KINDS, Sealable, leaves_with_rows, rows_late, rows_waiting
from audit.seals.services import edge_of, head_of
from casino.db import now as database_now
from games.core.codec import canonical
from games.core.engine import Json
from games.rounds.models import RoundRecord
from games.rounds.records import iso

LEAVES_AT_ONCE = 5_000
LATE_MAX = 10_000


def export_text() -> Iterator[bytes]:
    """Return the whole export as JSON Lines."""
    return (canonical(line) + b"\n" for line in export_lines())


def export_lines(*, after: Seal | None = None, is_whole: bool = True) -> Iterator[Json]:
    """Return seals in order, each before its leaves, with the rows as they are now; then the rows that wait for a seal.

    **Rule** It is of the moment in which it begins: later seals are left out. With ``is_whole`` it looks for rows that slipped
    past the seals, and tells the steps of closed rounds in full, as their records have them; both cost what the past is long.
    """
    newest = Seal.objects.order_by("-number").first()
    size, mark = (newest.tree_size, newest.mark) if newest else (0, 0)
    yield {"type": "export", "format": EXPORT_FORMAT, "at": iso(database_now()), "after": after and _known(after)}
    leaves = _leaves(after.tree_size if after else 0, size, are_told=is_whole)
    count, ahead = 0, next(leaves, None)
    seals = Seal.objects.filter(number__gt=after.number if after else 0, number__lte=newest.number if newest else 0)
    for seal in seals.order_by("number").iterator():
        yield _seal(seal) | {"type": "seal"}
        while ahead is not None and ahead["index"] < seal.tree_size:
            yield ahead
            count, ahead = count + 1, next(leaves, None)
    if is_whole and mark:
        yield from (_waiting(row, is_late=True) for row in rows_late(mark=mark, tree_size=size, limit=LATE_MAX))
    yield from (_waiting(row, is_late=False) for row in rows_waiting(mark=mark, tree_size=size))
    yield {"type": "end", "seal": newest.number if newest else 0, "leaves": count}


def _seal(seal: Seal) -> dict[str, Any]:
    return {**head_of(seal), "edge": [each.hex() for each in edge_of(seal).hashes]}


def _known(seal: Seal) -> dict[str, Any]:
    """Return a seal to go on after, with the time of the last one up to it that left no row behind."""
    earlier = Seal.objects.annotate(leaves=F("steps") + F("transfers")).filter(number__lte=seal.number, leaves__lt=LEAVES_MAX)
    emptied = earlier.order_by("-number").first()
    return {**_seal(seal), "emptied_at": emptied and iso(emptied.at)}


def _leaves(first: int, end: int, *, are_told: bool) -> Iterator[dict[str, Any]]:
    for start in range(first, end, LEAVES_AT_ONCE):
        found = leaves_with_rows(start, min(start + LEAVES_AT_ONCE, end))
        told = _told({row["round_id"] for _, kind, _, _, row in found if kind == LeafKind.STEP and row}) if are_told else {}
        for index, kind, key, hash, row in found:
            line = {"type": "leaf", "index": index, "kind": KINDS[kind], "id": key, "hash": hash.hex(), "leaf": row}
            if row and kind == LeafKind.STEP and (steps := told.get(row["round_id"])):
                line["step"] = steps[row["seq"]] if row["seq"] < len(steps) else {"hash": None, "seq": row["seq"]}
            yield line


def _told(round_ids: set[str]) -> dict[str, list[Json]]:
    """Return the steps that the records of closed rounds tell; none for a record that cannot be read."""
    records = RoundRecord.objects.filter(round__commitment_id__in=map(UUID, round_ids - {"None"}))
    told = {}
    for round_id, document in records.values_list("round__commitment_id", "document").iterator():
        try:
            told[str(round_id)] = list(json.loads(document)["steps"])
        except (ValueError, KeyError, TypeError):
            told[str(round_id)] = []
    return {round_id: steps or [{"hash": None, "seq": None}] for round_id, steps in told.items()}


def _waiting(row: Sealable, *, is_late: bool) -> Json:
    return {"type": "unsealed", "kind": KINDS[row.kind], "id": row.id, "is_late": is_late, "leaf": row.leaf}

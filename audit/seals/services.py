"""Making seals. It reads what play has committed and writes rows of its own: nothing that play waits for is ever locked."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db import connection

from audit.seals.heads import FIRST_PREVIOUS_HASH, FORMAT, LEAVES_MAX, head_hash, leaf_digest
from audit.seals.merkle import HASH_BYTES, Edge, Node
from audit.seals.models import LeafKind, Seal, SealDelivery
from audit.seals.rows import Sealable, rows_mended, rows_new, rows_pass_over, rows_sorted
from casino.db import now as database_now
from casino.db import unit_of_work
from games.core.engine import Json
from games.rounds.records import iso

SEALING_LOCK = 0x5EA1
_MOMENT_SQL = """
    SELECT pg_try_advisory_xact_lock(%s), pg_snapshot_xmin(pg_current_snapshot())::text::bigint,
           (SELECT system_identifier FROM pg_control_system())
"""


@dataclass(frozen=True, slots=True)
class _Moment:
    """Whether this transaction may seal, the oldest transaction still open, and which server this is."""

    is_ours: bool
    oldest: int
    system_identifier: int


def seal_make(*, leaves_max: int = LEAVES_MAX) -> Seal | None:
    """Seal what is new; None when nothing is, or while another is at it.

    **Rule** New is what was written below the oldest open transaction and has no leaf yet. Where the last seal was made on
    another server, the transactions of restored rows mean nothing here: all rows without a leaf are new. A row whose time is none
    is passed over, and sealed once it is mended: it keeps nobody else's from being sealed.
    **Locks** An advisory lock of its own, tried and not waited for.
    **Writes** Leaves, nodes, the seal, which rows were passed over, and its delivery where there is a webhook.
    """
    with unit_of_work():
        moment = _moment()
        if not moment.is_ours:
            return None
        last = Seal.objects.order_by("-number").first()
        mark = last.mark if last and last.system_identifier == moment.system_identifier else 0
        rows_pass_over(mark=mark, below=moment.oldest)
        mended = rows_mended(limit=leaves_max)
        known = {(row.kind, row.id) for row in mended}
        new = [row for row in rows_new(mark=mark, below=moment.oldest, limit=leaves_max) if (row.kind, row.id) not in known]
        new = new[: leaves_max - len(mended)]
        rows = rows_sorted(mended + new)
        if not rows:
            return None
        if len(rows) < leaves_max:
            mark = moment.oldest
        elif mark and new:
            mark = new[-1].written
        edge = edge_of(last)
        nodes = _leaves_write(edge, rows)
        rows_copy("seals_sealnode (level, index, hash)", nodes)
        return _seal_write(last, edge, rows, mark=mark, system_identifier=moment.system_identifier)


def _moment() -> _Moment:
    with connection.cursor() as cursor:
        cursor.execute(_MOMENT_SQL, [SEALING_LOCK])
        return _Moment(*cursor.fetchone())


def edge_of(seal: Seal | None) -> Edge:
    """Return the right edge of the tree at a seal; without one, of the empty tree."""
    if seal is None:
        return Edge()
    kept = bytes(seal.edge)
    return Edge(seal.tree_size, [kept[at : at + HASH_BYTES] for at in range(0, len(kept), HASH_BYTES)])


def _leaves_write(edge: Edge, rows: Sequence[Sealable]) -> list[Node]:
    nodes, leaves = [], []
    for row in rows:
        hash = leaf_digest(row.leaf)
        leaves.append((edge.size, row.kind, row.id, hash))
        nodes += edge.append(hash)
    rows_copy("seals_sealleaf (index, kind, row_id, hash)", leaves)
    return nodes


def rows_copy(into: str, rows: Sequence[tuple[Any, ...]]) -> None:
    """Add rows of one table at once; what goes in is named with its columns."""
    with connection.cursor() as cursor, cursor.copy(f"COPY {into} FROM STDIN") as copy:
        for row in rows:
            copy.write_row(row)


def _seal_write(last: Seal | None, edge: Edge, rows: Sequence[Sealable], *, mark: int, system_identifier: int) -> Seal:
    steps = sum(row.kind == LeafKind.STEP for row in rows)
    seal = Seal(
        number=last.number + 1 if last else 1,
        at=database_now(),
        system_identifier=system_identifier,
        mark=mark,
        steps=steps,
        transfers=len(rows) - steps,
        tree_size=edge.size,
        root=edge.root().hex(),
        previous_hash=last.hash if last else FIRST_PREVIOUS_HASH,
        edge=b"".join(edge.hashes),
    )
    seal.hash = head_hash(head_of(seal))
    seal.save(force_insert=True)
    if settings.SEAL_WEBHOOK_URL:
        SealDelivery.objects.create(seal=seal, due_at=seal.at)
    return seal


def head_of(seal: Seal) -> Json:
    """Return what a seal says to the outside. Numbers that JSON readers may round are texts."""
    return {
        "format": FORMAT,
        "number": seal.number,
        "at": iso(seal.at),
        "system_identifier": str(seal.system_identifier),
        "mark": str(seal.mark),
        "steps": seal.steps,
        "transfers": seal.transfers,
        "tree_size": seal.tree_size,
        "root": seal.root,
        "previous_hash": seal.previous_hash,
        "hash": seal.hash,
    }

"""Reading seals: heads, proofs, and how long rows wait."""

from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import QuerySet

from audit.seals.heads import leaf_digest
from audit.seals.merkle import TILE_LEVELS, Range, consistency_ranges, inclusion_ranges, joined_hash, whole_hash, whole_subtrees
from audit.seals.models import LeafKind, Seal, SealLeaf
from audit.seals.rows import leaves_with_rows, oldest_waiting
from audit.seals.services import head_of
from casino.db import now as database_now
from casino.errors import Conflict, InvalidInput, NotFound
from casino.permissions import OVERSEERS
from casino.users.models import User
from games.rounds.models import Round, RoundStep
from games.rounds.selectors import round_get
from wallets.models import Transfer

Block = tuple[int, int, int]
"""Kept nodes side by side: their level, the first one's index, and the index after the last."""


def seal_list(*, number: int | None = None) -> QuerySet[Seal]:
    """Seals, or the one of a number."""
    return Seal.objects.all() if number is None else Seal.objects.filter(number=number)


def seal_lag() -> timedelta:
    """Return how long the oldest row without a leaf has waited."""
    last = Seal.objects.order_by("-number").first()
    with connection.cursor() as cursor:
        cursor.execute("SELECT system_identifier FROM pg_control_system()")
        is_here = last is not None and cursor.fetchone() == (last.system_identifier,)
        cursor.execute(oldest_waiting(), {"mark": str(last.mark if last and is_here else 0)})
        (oldest,) = cursor.fetchone()
    return timedelta() if oldest is None else max(database_now() - oldest, timedelta())


def step_inclusion(*, user: User, round_id: UUID, seq: int, seal: int | None = None) -> dict[str, Any]:
    """Prove that a step is sealed, by its hash alone.

    **Rule** Among players only once their round is closed, whoever asks: before, how many steps there are may be hidden even
    from an auditor, who may have a seat. **Errors** NotFound; Conflict ``round_open``, ``not_sealed``.
    """
    try:
        row, _, _ = round_get(user=user, round_id=round_id)
    except NotFound as error:
        raise NotFound("not_found", "There is no such round.") from error
    _refuse_hidden(row)
    step = RoundStep.objects.filter(round=row, seq=seq).values_list("pk", flat=True).first()
    if step is None:
        raise NotFound("not_found", f"The round has no step {seq}.")
    return _inclusion(LeafKind.STEP, step, seal)


def transfer_inclusion(*, user: User, transfer_id: UUID, seal: int | None = None) -> dict[str, Any]:
    """Prove that a transfer is sealed; to a player, one from or to an account of their own.

    **Errors** NotFound; Conflict ``round_open``, ``not_sealed``.
    """
    transfer = Transfer.objects.filter(public_id=transfer_id).select_related("debit_account", "credit_account").first()
    if transfer is None:
        raise _no_transfer()
    if not user.has_any_role(OVERSEERS):
        if user.pk not in (transfer.debit_account.user_id, transfer.credit_account.user_id):
            raise _no_transfer()
        if transfer.step_id is not None:
            _refuse_hidden(Round.objects.get(steps=transfer.step_id))
    return _inclusion(LeafKind.TRANSFER, transfer.pk, seal)


def _no_transfer() -> NotFound:
    """In the same words whether it is not there or another's."""
    return NotFound("not_found", "There is no such transfer.")


def _refuse_hidden(row: Round) -> None:
    """Refuse proofs of a round that goes on among players: one of them may have moved where the others do not see it."""
    if row.status == Round.Status.OPEN and row.table_id is not None:
        raise Conflict("round_open")


def _inclusion(kind: LeafKind, row_id: int, number: int | None) -> dict[str, Any]:
    leaf = SealLeaf.objects.filter(kind=kind, row_id=row_id).first()
    seal = seal_list(number=number).order_by("-number").first()
    if number is not None and seal is None:
        raise _no_seal(number)
    if leaf is None or seal is None or leaf.index >= seal.tree_size:
        raise Conflict("not_sealed")
    (now,) = leaves_with_rows(leaf.index, leaf.index + 1)
    return {
        "head": head_of(seal),
        "index": leaf.index,
        "leaf": now.leaf,
        "leaf_hash": leaf_digest(now.leaf).hex() if now.leaf else bytes(leaf.hash).hex(),
        "path": [hash.hex() for hash in subtree_hashes(inclusion_ranges(leaf.index, seal.tree_size))],
    }


def seal_consistency(*, first: int, second: int | None = None) -> dict[str, Any]:
    """Prove that the tree of a later seal begins with that of an earlier one.

    **Errors** InvalidInput where the second is the earlier one; NotFound says which seal is not there.
    """
    if second is not None and first > second:
        raise InvalidInput("invalid_input", f"Seal {first} is after seal {second}.", field="first")
    earlier = seal_list(number=first).first()
    later = seal_list(number=second).order_by("-number").first()
    if earlier is None:
        raise _no_seal(first)
    if later is None:
        raise _no_seal(second)
    ranges = consistency_ranges(earlier.tree_size, later.tree_size)
    return {"first": head_of(earlier), "second": head_of(later), "path": [hash.hex() for hash in subtree_hashes(ranges)]}


def _no_seal(number: int | None) -> NotFound:
    return NotFound("not_found", f"There is no seal {number}.")


def subtree_hashes(ranges: Sequence[Range]) -> list[bytes]:
    """Return the hashes of subtrees, each made of at most 128 kept nodes for each power of two in its size."""
    blocks = {subtree: [_block(level, index) for level, index in whole_subtrees(*subtree)] for subtree in ranges}
    kept = _kept(block for some in blocks.values() for block in some)
    return [
        joined_hash([whole_hash([kept[level, place] for place in range(first, end)]) for level, first, end in blocks[subtree]])
        for subtree in ranges
    ]


def _block(level: int, index: int) -> Block:
    below = level % TILE_LEVELS
    return level - below, index << below, (index + 1) << below


def _kept(blocks: Iterable[Block]) -> dict[tuple[int, int], bytes]:
    """Read nodes and leaves in one statement each."""
    wanted = list(blocks)
    found: dict[tuple[int, int], bytes] = {}
    with connection.cursor() as cursor:
        for table, level, some in (
            ("(SELECT 0 AS level, index, hash FROM seals_sealleaf)", "0", [block for block in wanted if block[0] == 0]),
            ("seals_sealnode", "node.level", [block for block in wanted if block[0]]),
        ):
            if some:
                cursor.execute(
                    f"""
                    SELECT {level}, node.index, node.hash
                    FROM unnest(%s::int[], %s::bigint[], %s::bigint[]) AS wanted (level, first, last)
                    JOIN {table} AS node ON node.level = wanted.level AND node.index >= wanted.first AND node.index < wanted.last
                    """,  # noqa: S608 made of this page's own words
                    [list(column) for column in zip(*some, strict=True)],
                )
                found |= {(of, index): bytes(hash) for of, index, hash in cursor.fetchall()}
    return found

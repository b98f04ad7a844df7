"""The service's own check of its seals, and what it says of what it finds."""

from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, transaction

from audit.findings import Severity, finding_raise
from audit.locks import work_try_lock
from audit.seals.anchor import anchor_tail
from audit.seals.checking import SealCheck
from audit.seals.deviations import Deviation, name_of
from audit.seals.export import export_lines
from audit.seals.lines import anchor_read
from audit.seals.models import Seal, SealDelivery, SealNode
from audit.seals.rows import KINDS, rows_passed
from casino.db import now as database_now
from casino.db import time_unlimited, unit_of_work
from games.rounds.models import RoundStep
from wallets.models import Transfer

RECENT = timedelta(minutes=15)
PATIENCE = timedelta(minutes=5)
DELIVERY_PATIENCE = timedelta(hours=1)
NAMED_MAX = 100
"""So many rows are findings of their own, per check and run; the rest is counted."""
PASSED_MAX = 10_000
_SUBJECTS = {"step": "rounds.roundstep", "transfer": "wallets.transfer"}
_MILD = {"row_is_sealed_in_its_time", "anchor_has_every_head", "anchor_line_is_a_head", "seal_is_delivered"}


def seals_check_once(*, is_full: bool) -> list[Deviation] | None:
    """Check as ``seals_check`` does; None while another is at the same: a broker may hand out a long task twice.

    **Locks** The audit's lock of this check, tried, for as long as it reads. What it finds is written after.
    """
    with transaction.atomic():
        if not work_try_lock("seals_check", is_full):
            return None
        time_unlimited(DEFAULT_DB_ALIAS)
        found = _found(is_full=is_full, moment=database_now())
    _raise(found)
    return found


def passed_check() -> list[Deviation]:
    """Raise which rows cannot be sealed, and return them: everything else is."""
    found = [
        Deviation("row_can_be_sealed", KINDS[row.kind], str(row.id), "a time", row.at, name=name_of(row.leaf))
        for row in rows_passed(limit=PASSED_MAX)
    ]
    _raise(found)
    return found


def seals_check(*, is_full: bool, now: datetime | None = None) -> list[Deviation]:
    """Check seals against the rows that they seal and against the anchor file, and raise what is amiss.

    **Rule** A recent check looks at the seals of the last quarter of an hour and the rows under them, a full one at everything;
    both look for every seal that the anchor file knows of.
    """
    found = _found(is_full=is_full, moment=now or database_now())
    _raise(found)
    return found


def _found(*, is_full: bool, moment: datetime) -> list[Deviation]:
    after = None if is_full else Seal.objects.filter(at__lt=moment - RECENT).order_by("-number").first()
    return list(_deviations(after, is_full=is_full, moment=moment))


def _deviations(after: Seal | None, *, is_full: bool, moment: datetime) -> Iterator[Deviation]:
    anchored, wrong = _anchored(is_full=is_full)
    nodes: dict[tuple[int, int], bytes] = {}
    check = SealCheck(
        anchored,
        from_head=after.hash if after else None,
        is_live=True,
        on_node=lambda level, index, hash: nodes.__setitem__((level, index), hash),
    )
    yield from check.run(export_lines(after=after, is_whole=is_full))
    yield from (Deviation("anchor_line_is_a_head", "anchor", str(line), "a head", None) for line in wrong)
    last = check.last if anchored is not None else None
    if last and last["number"] > max(check.anchored or {}, default=0) and datetime.fromisoformat(last["at"]) < moment - PATIENCE:
        yield Deviation("anchor_has_every_head", "seal", str(last["number"]), last["hash"], None)
    yield from _node_deviations(nodes)
    for delivery in SealDelivery.objects.filter(delivered_at=None, seal__at__lt=moment - DELIVERY_PATIENCE).order_by("pk")[:1]:
        yield Deviation("seal_is_delivered", "seal", str(delivery.pk), "a success", delivery.answer or "no answer")


def _anchored(*, is_full: bool) -> tuple[list[dict[str, Any]] | None, list[int]]:
    if not settings.SEAL_ANCHOR_FILE:
        return None, []
    path = Path(settings.SEAL_ANCHOR_FILE)
    try:
        if not is_full:
            return anchor_tail(path)
        with path.open(encoding="utf-8", errors="replace") as lines:
            return anchor_read(lines)
    except FileNotFoundError:
        return [], []


def _node_deviations(nodes: dict[tuple[int, int], bytes]) -> Iterator[Deviation]:
    """Match the kept nodes of the tree with those that its leaves make."""
    lowest: dict[int, int] = {}
    for level, index in nodes:
        lowest[level] = min(index, lowest.get(level, index))
    for level, index in lowest.items():
        rows = SealNode.objects.filter(level=level, index__gte=index).values_list("index", "hash")
        kept = {place: bytes(hash) for place, hash in rows.iterator()}
        for place, hash in ((at, hash) for (of, at), hash in nodes.items() if of == level):
            if kept.get(place) != hash:
                found = kept[place].hex() if place in kept else None
                yield Deviation("node_is_that_of_its_leaves", "node", f"{level}/{place}", hash.hex(), found)


def _raise(found: list[Deviation]) -> None:
    """Make findings of deviations, the first of each check by name."""
    by_check: dict[str, list[Deviation]] = defaultdict(list)
    for each in found:
        by_check[each.check].append(each)
    for check, deviations in by_check.items():
        severity = Severity.WARNING if check in _MILD else Severity.CRITICAL
        rounds = _rounds(deviations[:NAMED_MAX])
        with unit_of_work():
            for each in deviations[:NAMED_MAX]:
                round_id, hall_id = rounds.get((each.subject, each.key), (None, None))
                evidence = {"row": each.name, "expected": each.expected, "found": each.found, "seal": each.seal}
                finding_raise(
                    check=check,
                    severity=severity,
                    subject=(_SUBJECTS.get(each.subject, f"seals.{each.subject}"), each.key),
                    evidence=evidence | ({"round_id": str(round_id)} if round_id else {}),
                    hall=hall_id,
                )
            if rest := deviations[NAMED_MAX:]:
                subject = (f"{_SUBJECTS.get(rest[0].subject, rest[0].subject)}s", f"{rest[0].key} to {rest[-1].key}")
                finding_raise(check=check, severity=severity, subject=subject, evidence={"rows": len(rest)})


def _rounds(deviations: list[Deviation]) -> dict[tuple[str, str], tuple[UUID, int]]:
    """Find the rounds, with their halls, that rows are of, as far as those are still there."""
    keys = {subject: {int(each.key) for each in deviations if each.subject == subject} for subject in _SUBJECTS}
    made = dict(Transfer.objects.filter(pk__in=keys["transfer"], step_id__isnull=False).values_list("pk", "step_id"))
    steps = RoundStep.objects.filter(pk__in=keys["step"] | set(made.values()))
    of_step = {pk: (round_id, hall) for pk, round_id, hall in steps.values_list("pk", "round__commitment_id", "round__hall_id")}
    of_transfer = {("transfer", str(pk)): of_step[step] for pk, step in made.items() if step in of_step}
    return {("step", str(pk)): place for pk, place in of_step.items()} | of_transfer

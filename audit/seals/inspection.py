"""The service's own check of its seals, and what it says of what it finds."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, transaction

from audit.continuous.reporting import NAMES, Subject
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
_MODELS = {"step": RoundStep, "transfer": Transfer}
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
        with unit_of_work():
            for each in deviations[:NAMED_MAX]:
                subject = _subject(each)
                told = {"row": each.name, "key": each.key, "expected": each.expected, "found": each.found, "seal": each.seal}
                finding_raise(
                    check=check,
                    severity=severity,
                    subject=(subject.type, subject.id),
                    evidence={**subject.about, **told},
                    hall=subject.hall_id,
                )
            if rest := deviations[NAMED_MAX:]:
                named = (f"{_type(rest[0])}s", f"{rest[0].key} to {rest[-1].key}")
                finding_raise(check=check, severity=severity, subject=named, evidence={"rows": len(rest)})


def _subject(deviation: Deviation) -> Subject:
    """Name what deviates as the rest of the audit does, with its round and hall; a row that is gone, by its key alone.

    A step stays one of its own, not its round: each of them was sealed by itself.
    """
    named: dict[str, Subject] = {}
    if (model := _MODELS.get(deviation.subject)) and deviation.key.isdigit():
        named = NAMES[model._meta.db_table]([deviation.key])
    own = Subject(_type(deviation), deviation.key)
    subject = named.get(deviation.key, own)
    return subject if subject.type == own.type else replace(subject, type=own.type, id=own.id)


def _type(deviation: Deviation) -> str:
    model = _MODELS.get(deviation.subject)
    return model._meta.label_lower if model else f"seals.{deviation.subject}"

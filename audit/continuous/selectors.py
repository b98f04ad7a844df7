"""Reading findings, and how far the audit has looked."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import Count, OuterRef, QuerySet, Subquery, Sum

from audit.continuous.rows import RECORDS, STEPS, TRANSFERS
from audit.findings import Severity
from audit.models import AuditFinding, AuditMark, AuditPass
from casino.db import now as database_now
from casino.errors import NotFound
from games.halls.models import Hall

UNRESOLVED = "unresolved"
"""Asks for findings that are not resolved yet, owned or not."""
# As times that can be read, whatever somebody wrote there.
_FIRST_UNREAD = {
    TRANSFERS.table: """
        SELECT least(greatest(at, 'epoch'), now()) FROM wallets_transfer
        WHERE written_xid >= %s::xid8 ORDER BY written_xid LIMIT 1
    """,
    STEPS.table: """
        SELECT least(greatest(at, 'epoch'), now()) FROM rounds_roundstep
        WHERE written_xid >= %s::xid8 ORDER BY written_xid LIMIT 1
    """,
    RECORDS.table: """
        SELECT least(greatest(closed_at, 'epoch'), now()) FROM rounds_roundrecord JOIN rounds_round ON id = round_id
        WHERE written_xid >= %s::xid8 ORDER BY written_xid LIMIT 1
    """,
}


@dataclass(frozen=True, slots=True)
class Standing:
    """Whether all is well as far as the audit has looked, and how far that is."""

    unresolved: dict[str, int]
    lag: timedelta
    last_pass: AuditPass | None
    running_pass: AuditPass | None

    @property
    def is_clean(self) -> bool:
        return self.last_pass is not None and not self.unresolved[Severity.CRITICAL]


def finding_list(
    *,
    status: str | None = None,
    hall_id: UUID | None = None,
    owner_id: UUID | None = None,
    round_id: UUID | None = None,
    found_from: datetime | None = None,
    found_before: datetime | None = None,
    **filters: Any,
) -> QuerySet[AuditFinding]:
    """Findings that fit every given filter, with the outside ids of hall and owner."""
    hall = Hall.objects.filter(pk=OuterRef("hall_id")).values("public_id")
    found = AuditFinding.objects.select_related("owner").annotate(hall_public_id=Subquery(hall))
    if status == UNRESOLVED:
        found = found.exclude(status=AuditFinding.Status.RESOLVED)
    narrower = {
        "status": None if status == UNRESOLVED else status,
        "hall_public_id": hall_id,
        "owner__public_id": owner_id,
        "round_reference": None if round_id is None else str(round_id),
        "found_at__gte": found_from,
        "found_at__lt": found_before,
        **filters,
    }
    return found.filter(**{name: value for name, value in narrower.items() if value is not None})


def finding_get(*, finding_id: UUID) -> AuditFinding:
    """Find one. **Errors** NotFound."""
    finding = finding_list().filter(public_id=finding_id).first()
    if finding is None:
        raise NotFound("not_found")
    return finding


def findings_unresolved() -> dict[str, int]:
    """How many findings are unresolved, by severity."""
    unresolved = AuditFinding.objects.exclude(status=AuditFinding.Status.RESOLVED).values_list("severity")
    return dict.fromkeys(Severity.values, 0) | dict(unresolved.annotate(Count("pk")).order_by())


def audit_standing() -> Standing:
    """Tell how far the audit has looked, and what is unresolved. It looks at nothing itself: that may take minutes."""
    passes = AuditPass.objects.annotate(findings=Sum("pages__deviations"))
    return Standing(
        unresolved=findings_unresolved(),
        lag=audit_lag() or timedelta(),
        last_pass=passes.filter(ended_at__isnull=False).order_by("-ended_at").first(),
        running_pass=passes.filter(ended_at=None).order_by("-pk").first(),
    )


def audit_lag() -> timedelta | None:
    """How old the oldest row is that has not been read; nothing where all have been. None before the first run."""
    marks = {mark.table_name: mark.xid for mark in AuditMark.objects.all()}
    if not marks:
        return None
    oldest = [moment for table, xid in marks.items() if (moment := _oldest_unread(table, xid))]
    return max(timedelta(), database_now() - min(oldest)) if oldest else timedelta()


def last_pass_age() -> timedelta | None:
    """How long ago the last full pass ended; None before the first."""
    ended = AuditPass.objects.filter(ended_at__isnull=False).order_by("-ended_at").values_list("ended_at", flat=True).first()
    return None if ended is None else database_now() - ended


def _oldest_unread(table: str, xid: int) -> datetime | None:
    """When the first row beyond a mark was written; transactions follow each other as good as times do."""
    with connection.cursor() as cursor:
        cursor.execute(_FIRST_UNREAD[table], [str(xid)])
        row = cursor.fetchone()
    return row[0] if row else None

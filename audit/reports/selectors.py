"""Who may have which report, and the reports that are kept."""

import hashlib
from uuid import UUID

from django.db.models import OuterRef, QuerySet, Subquery

from audit.models import StoredReport
from audit.reports.registry import REPORTS
from casino.errors import Forbidden, NotFound
from casino.permissions import Role
from casino.users.models import User
from games.halls.models import Hall
from games.halls.selectors import hall_get

READERS = frozenset({Role.AUDITOR, Role.ADMIN})
"""Roles that may have every report. Operators may have those of their own halls that are of a hall and name no player."""


def report_hall(*, viewer: User, name: str, hall_id: UUID | None) -> Hall | None:
    """Find the hall that a user asks a report of; None for the whole casino.

    **Errors** NotFound for a report or a hall that the user cannot know of; Forbidden to operators for all but their halls.
    """
    definition = REPORTS.get(name)
    if definition is None:
        raise NotFound("not_found")
    hall = None if hall_id is None else hall_get(viewer=viewer, hall_id=hall_id)
    if viewer.has_any_role(READERS):
        return hall
    if not (definition.for_operators and hall is not None and viewer.has_role(Role.OPERATOR, hall=hall)):
        raise Forbidden("forbidden")
    return hall


def stored_report_list(
    *, report: str | None = None, hall_id: UUID | None = None, period: str | None = None
) -> QuerySet[StoredReport]:
    """The reports that are kept and fit every given filter, all versions of each, with their hall's outside id."""
    hall = Hall.objects.filter(pk=OuterRef("hall_id")).values("public_id")
    rows = StoredReport.objects.select_related("generated_by").annotate(hall_public_id=Subquery(hall))
    asked = {"report": report, "period": period, "hall_public_id": hall_id}
    return rows.filter(**{name: value for name, value in asked.items() if value is not None})


def stored_report_get(*, stored_report_id: UUID) -> StoredReport:
    """Find a report that is kept. **Errors** NotFound."""
    row = stored_report_list().filter(public_id=stored_report_id).first()
    if row is None:
        raise NotFound("not_found")
    return row


def stored_report_is_intact(row: StoredReport) -> bool:
    """Tell whether a report still is what was kept, and follows the version before it."""
    before = StoredReport.objects.filter(report=row.report, hall_id=row.hall_id, period=row.period, version=row.version - 1)
    previous_hash = before.values_list("document_hash", flat=True).first() or ""
    return hashlib.sha256(row.document.encode()).hexdigest() == row.document_hash and previous_hash == row.previous_hash

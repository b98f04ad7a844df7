"""Reading the trail of administrative changes."""

from uuid import UUID

from django.db.models import QuerySet

from audit.models import AuditRecord


def audit_record_list(*, actor_id: UUID | None = None, **filters: str) -> QuerySet[AuditRecord]:
    """Audit records that fit every given filter."""
    records = AuditRecord.objects.select_related("actor").filter(**filters)
    return records if actor_id is None else records.filter(actor__public_id=actor_id)

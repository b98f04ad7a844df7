"""Reading the trail of administrative changes."""

from datetime import datetime
from typing import Any
from uuid import UUID

from django.contrib.postgres.search import SearchQuery, SearchVector
from django.db.models import OuterRef, Q, QuerySet, Subquery

from audit.models import AuditRecord
from games.halls.models import Hall

LOOKUPS = {"actor_id": "actor__public_id", "at_from": "at__gte", "at_to": "at__lt"}


def audit_record_list(
    *, hall_id: UUID | None = None, reason: str | None = None, changed: str | None = None, **filters: str | UUID | datetime
) -> QuerySet[AuditRecord]:
    """List audit records that fit every given filter, each with its hall's outside id; every filter has an index.

    **Shapes** ``reason`` is words that the reason has, ``changed`` a key of what was before or after.
    """
    hall = Hall.objects.filter(pk=OuterRef("hall_id")).values("public_id")
    records = AuditRecord.objects.select_related("actor").annotate(hall_public_id=Subquery(hall))
    asked: dict[str, Any] = {LOOKUPS.get(name, name): value for name, value in filters.items()}
    if hall_id is not None:
        asked["hall_id__in"] = Hall.objects.filter(public_id=hall_id).values("pk")
    if reason is not None:
        records = records.alias(words=SearchVector("reason", config="simple"))
        asked["words"] = SearchQuery(reason, config="simple")
    records = records.filter(**asked)
    if changed is not None:
        records = records.filter(Q(before__has_key=changed) | Q(after__has_key=changed))
    return records.order_by("-pk")

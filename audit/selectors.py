"""Reading the trail of administrative changes."""

from datetime import datetime
from typing import Any
from uuid import UUID

from django.contrib.postgres.search import SearchQuery, SearchVector
from django.db.models import OuterRef, QuerySet, Subquery, Value

from audit.models import AuditRecord, words_of
from casino.db import key_of
from casino.users.models import User
from games.halls.models import Hall

LOOKUPS = {"at_from": "at__gte", "at_to": "at__lt"}


def audit_record_list(
    *,
    actor_id: UUID | None = None,
    hall_id: UUID | None = None,
    reason: str | None = None,
    changed: str | None = None,
    **filters: str | datetime,
) -> QuerySet[AuditRecord]:
    """List audit records that fit every given filter, each with its hall's outside id; every filter has an index.

    **Shapes** ``reason`` is words that the reason has, ``changed`` a key of what was before or after.
    """
    hall = Hall.objects.filter(pk=OuterRef("hall_id")).values("public_id")
    records = AuditRecord.objects.select_related("actor").annotate(hall_public_id=Subquery(hall))
    asked: dict[str, Any] = {LOOKUPS.get(name, name): value for name, value in filters.items()}
    if actor_id is not None:
        asked["actor_id"] = key_of(User, actor_id)
    if hall_id is not None:
        asked["hall_id"] = key_of(Hall, hall_id)
    if reason is not None:
        records = records.alias(words=SearchVector(words_of("reason"), config="simple"))
        asked["words"] = SearchQuery(words_of(Value(reason)), config="simple")
    records = records.filter(**asked)
    if changed is not None:
        # Looked up apart: how rare a key is the database cannot know, and would rather read the whole trail from its end.
        keyed = (AuditRecord.objects.filter(**{f"{side}__has_key": changed}).values("pk") for side in ("before", "after"))
        records = records.filter(pk__in=next(keyed).union(next(keyed)))
    return records.order_by("-pk")

"""Reading who saw what."""

from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import QuerySet

from audit.sightings.models import Sighting

LOOKUPS = {"viewer_id": "viewer__public_id", "at_from": "at__gte", "at_to": "at__lt"}


def sighting_list(*, player_id: UUID | None = None, **filters: str | UUID | datetime) -> QuerySet[Sighting]:
    """List sightings that fit every given filter; of a player, those of one object that was theirs, or of their own lists."""
    asked: dict[str, Any] = {LOOKUPS.get(name, name): value for name, value in filters.items()}
    if player_id is not None:
        asked["players__contains"] = [str(player_id)]
    return Sighting.objects.select_related("viewer").filter(**asked).order_by("-pk")

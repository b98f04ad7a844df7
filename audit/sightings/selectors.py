"""Reading who saw what."""

from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import QuerySet

from audit.sightings.models import Sighting
from casino.db import key_of
from casino.users.models import User

LOOKUPS = {"at_from": "at__gte", "at_to": "at__lt"}


def sighting_list(
    *, viewer_id: UUID | None = None, player_id: UUID | None = None, **filters: str | datetime
) -> QuerySet[Sighting]:
    """List sightings that fit every given filter; of a player, those of what was theirs and of lists with them."""
    asked: dict[str, Any] = {LOOKUPS.get(name, name): value for name, value in filters.items()}
    if viewer_id is not None:
        asked["viewer_id"] = key_of(User, viewer_id)
    if player_id is not None:
        asked["players__contains"] = [str(player_id)]
    return Sighting.objects.select_related("viewer").filter(**asked).order_by("-pk")

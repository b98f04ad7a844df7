"""The locks of this app: a part's heartbeat, then whatever becomes of outages, before tables and rounds."""

from datetime import datetime

from django.db import connection
from django.db.models import Q

from games.outages.models import Heartbeat, Part

_OUTAGES = 0x6F757461676573


def heartbeat_lock(part: Part, *, before: datetime) -> Heartbeat | None:
    """Lock a part's heartbeat if its last beat is older than a moment, also when another has beaten while this one waited."""
    rows = Heartbeat.objects.select_for_update(no_key=True, of=("self",))
    return rows.filter(Q(beat_at=None) | Q(beat_at__lt=before), part=part).first()


def outages_lock() -> None:
    """Let outages become known one after the other: how much one moves depends on those before."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_OUTAGES])

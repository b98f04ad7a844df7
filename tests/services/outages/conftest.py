"""Gaps between two beats of a part, at moments of a test's choosing."""

from datetime import datetime, timedelta

from games.outages.models import Heartbeat, Outage, Part
from games.outages.services import heartbeat_write


def seconds(number: float) -> timedelta:
    return timedelta(seconds=number)


def gap(part: Part, began: datetime, ended: datetime) -> Outage | None:
    """Let a part be seen at two moments and not in between."""
    Heartbeat.objects.filter(part=part).update(beat_at=began)
    return heartbeat_write(part=part, now=ended)

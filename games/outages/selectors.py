"""Reading heartbeats and outages."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.db.models import Max, QuerySet

from casino.db import now as database_now
from games.outages.gaps import Gap, Loss
from games.outages.models import Heartbeat, Outage, Part


def heartbeat_age(part: Part) -> timedelta | None:
    """Tell how long ago a part was last seen; None if it never was."""
    beat_at = _beat_at(part)
    return None if beat_at is None else max(timedelta(), database_now() - beat_at)


def sweep_limit() -> datetime:
    """Return up to when deadlines may be let run out: until the web's last beat, if there ever was one.

    **Rule** Whether the web is there after its last beat is only known at its next. If it was not, what was open at the last beat
    moves, so nothing of that may have been expired by then.
    """
    now, beat_at = database_now(), _beat_at(Part.WEB)
    return now if beat_at is None else min(now, beat_at)


def gaps_known(*, ended_after: datetime) -> list[Gap]:
    """Return the outages that ended after a moment, in the order in which they became known."""
    rows = Outage.objects.filter(ended_at__gt=ended_after).order_by("pk")
    return [Gap(*row) for row in rows.values_list("began_at", "ended_at")]


def losses_since(moment: datetime) -> Sequence[Loss]:
    """Return what outages took since a moment, in order: applied one after the other they move deadlines as they were moved."""
    gaps = gaps_known(ended_after=moment)
    return [Loss(gap, gaps[:index]) for index, gap in enumerate(gaps)]


def outage_last() -> QuerySet[Outage, int]:
    """Find the key of the last outage, to be asked for along with something else: while it is the same, so are all losses."""
    return Outage.objects.order_by("-pk").values_list("pk", flat=True)[:1]


def _beat_at(part: Part) -> datetime | None:
    return Heartbeat.objects.values_list("beat_at", flat=True).get(part=part)


def last_move() -> int:
    """Return a number that grows with every outage that moved a deadline: the key of the last one."""
    last: int | None = Outage.objects.filter(deadlines_moved__gt=0).aggregate(last=Max("pk"))["last"]
    return last or 0

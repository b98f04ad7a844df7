"""Scheduled runs of the battery. Each is for a period, and safe to repeat: a period has one run of each pack."""

from datetime import UTC, datetime, timedelta

from celery import shared_task

from audit.fairness.battery import LEVEL
from audit.fairness.services import fairness_dealt, fairness_kept, fairness_run
from casino.db import now

NIGHTLY_DECKS = 200_000
NIGHTLY_PACKS = ("52", "54")
TIME_LIMIT_SECONDS = 3 * 3600


@shared_task(time_limit=TIME_LIMIT_SECONDS)
def fairness_nightly() -> int:
    """Test live decks; the year's nights share the level, and so do the packs. Return how many runs there were."""
    night, level = now().date().isoformat(), LEVEL / 365 / len(NIGHTLY_PACKS)
    runs = [fairness_run(pack=pack, count=NIGHTLY_DECKS, level=level, period=night) for pack in NIGHTLY_PACKS]
    return sum(map(len, runs))


@shared_task(time_limit=TIME_LIMIT_SECONDS)
def fairness_weekly() -> int:
    """Test the decks that were dealt in the last whole week, Monday to Monday UTC; the year's weeks share the level.

    **Rule** It is asked for every day: what broke off is made up for, and what is done is left alone.
    """
    monday = _monday(now())
    week = monday - timedelta(days=7)
    return len(fairness_dealt(since=week, until=monday, level=LEVEL / 52, period=f"{week:%G-W%V}"))


@shared_task(time_limit=TIME_LIMIT_SECONDS)
def fairness_yearly() -> int:
    """Test whether last year's p-values are uniform."""
    year = now().year
    since, until = datetime(year - 1, 1, 1, tzinfo=UTC), datetime(year, 1, 1, tzinfo=UTC)
    return int(fairness_kept(since=since, until=until, period=str(year - 1)) is not None)


def _monday(moment: datetime) -> datetime:
    day = moment.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    return day - timedelta(days=day.weekday())

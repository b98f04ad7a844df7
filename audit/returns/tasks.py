"""The daily look at what bets give back."""

from celery import shared_task

from audit.returns import checking
from casino.db import now

TIME_LIMIT_SECONDS = 1800
"""A busy day takes a minute for each hundred thousand rounds; after an outage there may be several."""


@shared_task(time_limit=TIME_LIMIT_SECONDS)
def returns_check() -> None:
    """Sum the days that are over and judge every series; safe twice and late."""
    checking.returns_check(now=now())

"""The daily look at what bets give back."""

from celery import shared_task

from audit.returns import checking
from casino.db import now


@shared_task
def returns_check() -> None:
    """Sum the days that are over and judge every series; safe twice and late."""
    checking.returns_check(now=now())

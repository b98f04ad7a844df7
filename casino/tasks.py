"""Nightly tidying: what has had its time goes."""

from celery import shared_task

from casino.idempotency import keys_purge
from casino.users.login import counters_purge
from casino.users.services import tokens_purge


@shared_task
def expired_purge() -> None:
    """Delete answers past their 120 days, counters past their window and tokens past their end; safe to repeat."""
    keys_purge()
    counters_purge()
    tokens_purge()

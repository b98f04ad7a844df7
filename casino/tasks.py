"""Nightly tidying: what has had its time goes."""

from celery import shared_task
from django.utils import timezone
from knox.models import AuthToken

from casino.idempotency import keys_purge
from casino.users.login import counters_purge


@shared_task
def expired_purge() -> None:
    """Delete answers past their 120 days, counters past their window and tokens past their end; safe to repeat."""
    keys_purge()
    counters_purge()
    AuthToken.objects.filter(expiry__lt=timezone.now()).delete()

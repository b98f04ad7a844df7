"""What the audit does by itself. Every task may come twice, late, or to two workers at once."""

from celery import shared_task
from django.db import transaction

from audit.continuous.incremental import audit_continue
from audit.continuous.passes import pages_work, pass_begin
from audit.models import AuditPass
from casino.db import now as database_now

PAGES_SECONDS = 10.0
"""Then whoever waits for the same worker has its turn: what is new must be read within a minute."""
PAGE_SECONDS_MAX = 3600


@shared_task
def audit_new() -> None:
    """Check what is new."""
    audit_continue()


@shared_task
def audit_night() -> None:
    """Begin this night's full pass, if it has not begun. The night is named by its date in UTC."""
    with transaction.atomic():
        pass_begin(cause=AuditPass.Cause.NIGHT, night=database_now().date())


@shared_task(time_limit=PAGE_SECONDS_MAX)
def audit_pages() -> int:
    """Do pages of a full pass that is under way. The recount of the ledger is one page, however large the ledger is."""
    return pages_work(seconds=PAGES_SECONDS)

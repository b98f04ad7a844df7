"""The locks of the audit. Those of its work are advisory: a row lock would draw a transaction number and hold up the marks."""

from datetime import timedelta
from uuid import UUID

from django.db import connection

from audit.models import AuditFinding, AuditMark, AuditPage
from casino.db import now as database_now

JUST_TAKEN = timedelta(seconds=5)


def work_try_lock(*what: object) -> bool:
    """Take a piece of the audit's work for this transaction, if nobody has it. **Errors** RuntimeError outside a transaction."""
    return _lock("SELECT pg_try_advisory_xact_lock(hashtextextended(%s, 0))", what) is True


def work_lock(*what: object) -> None:
    """Take a piece of the audit's work, waiting for whoever has it: each holds it for a moment only.

    **Errors** RuntimeError outside a transaction.
    """
    _lock("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", what)


def _lock(statement: str, what: tuple[object, ...]) -> object:
    if not connection.in_atomic_block:
        raise RuntimeError("a lock needs the transaction that it protects")
    with connection.cursor() as cursor:
        cursor.execute(statement, ["audit " + " ".join(map(str, what))])
        return cursor.fetchone()[0]


def attempt_note(work: AuditMark | AuditPage) -> bool:
    """Note that a piece of work begins, unless somebody else has only just done so. Call it with the work's lock.

    **Rule** The note is committed before the work begins, so that a worker that dies at it leaves it; between the two nobody
    holds the lock, and two that come at the same time must not look like two deaths. A note from the future, which a clock that
    was put back leaves, is as old as it is far away.
    """
    now = database_now()
    if work.taken_at is not None and abs(now - work.taken_at) < JUST_TAKEN:
        return False
    work.attempts, work.taken_at = min(work.attempts + 1, 30_000), now
    work.save(update_fields=["attempts", "taken_at"])
    return True


def attempts_forget(table: str) -> None:
    """Take back the notes of a table's reading that the database refused, whatever the rows: no row is to blame for them."""
    AuditMark.objects.filter(pk=table).update(attempts=0, again_attempts=0)


def finding_lock(finding_id: UUID) -> AuditFinding | None:
    """Hold a finding for this transaction."""
    return AuditFinding.objects.select_for_update(no_key=True, of=("self",)).filter(public_id=finding_id).first()

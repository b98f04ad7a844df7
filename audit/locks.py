"""The locks of the audit. Those of its work are advisory: a row lock would draw a transaction number and hold up the marks."""

from uuid import UUID

from django.db import connection

from audit.models import AuditFinding


def work_try_lock(*what: object) -> bool:
    """Take a piece of the audit's work for this transaction, if nobody has it. **Errors** RuntimeError outside a transaction."""
    if not connection.in_atomic_block:
        raise RuntimeError("a lock needs the transaction that it protects")
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(hashtextextended(%s, 0))", ["audit " + " ".join(map(str, what))])
        (is_taken,) = cursor.fetchone()
    return bool(is_taken)


def finding_lock(finding_id: UUID) -> AuditFinding | None:
    """Hold a finding for this transaction."""
    return AuditFinding.objects.select_for_update(no_key=True, of=("self",)).filter(public_id=finding_id).first()

"""What the audit finds amiss. It says so and leaves it as it is: nothing is put right in silence."""

from typing import Any

from django.db import connection, models
from django.db.models import F
from django.db.models.functions import Now

from audit.models import AuditFinding
from audit.trail import subject_named

Severity = AuditFinding.Severity
TEXT_LENGTH_MAX = 500


def finding_raise(
    *,
    check: str,
    severity: AuditFinding.Severity,
    subject: models.Model | tuple[str, object],
    evidence: dict[str, Any],
    hall: Any = None,
) -> AuditFinding:
    """Say that a check failed on a subject: a new finding, or another sight of the one that is not resolved yet.

    **Rule** Raising twice, at once or later, leaves one finding with the evidence of its first sight. Where that is
    resolved at the same moment, this is a new one.
    **Shapes** ``subject`` is a row, named by its label and outside id, or a pair (type, id); ``hall`` is a hall or its key.
    **Errors** RuntimeError outside a transaction.
    """
    if not connection.in_atomic_block:
        raise RuntimeError("a finding needs a transaction")
    subject_type, subject_id = subject_named(subject)
    named = {"check_name": check, "subject_type": subject_type, "subject_id": subject_id}
    unresolved = AuditFinding.objects.exclude(status=AuditFinding.Status.RESOLVED).filter(**named)
    while True:
        last = AuditFinding.objects.order_by("-pk").values_list("pk", flat=True).first()
        made = AuditFinding(
            **named, severity=severity, evidence=evidence, hall_id=getattr(hall, "pk", hall), previous_id=last or 0
        )
        # Two at once: the second waits here for the first and then inserts nothing.
        AuditFinding.objects.bulk_create([made], ignore_conflicts=True)
        unresolved.exclude(public_id=made.public_id).update(times_seen=F("times_seen") + 1, seen_at=Now())
        if (found := unresolved.first()) is not None:
            return found


def error_text(error: Exception) -> str:
    """Tell an error in a text that can be stored, whatever there is in its message."""
    return storable(f"{type(error).__name__}: {error}")


def storable(text: str) -> str:
    """Spell what somebody else wrote so that evidence can have it: neither NUL nor half of a surrogate pair is stored."""
    return text.encode("unicode_escape").decode("ascii")[:TEXT_LENGTH_MAX]

"""The trail of administrative changes. The bottom layer: everything may write to it, and it knows nothing above."""

from hashlib import sha256
from typing import TYPE_CHECKING, Any

from django.db import connection, models
from structlog.contextvars import get_contextvars

from audit.models import SUBJECT_ID_LENGTH_MAX, AuditRecord
from casino.sql import row_insert

if TYPE_CHECKING:
    from casino.users.models import User

SYSTEM = "system"
COMMAND = "command"
"""Begins the name of who ran a command that has no author: ``command:`` and the account of the operating system."""


def audit_record(
    *,
    actor: "User | None",
    action: str,
    subject: models.Model | tuple[str, object],
    before: dict[str, Any] | None,
    after: dict[str, Any] | None,
    reason: str = "",
    hall: Any = None,
) -> AuditRecord:
    """Record a change in the transaction that makes it.

    **Rule** A change without its record, or a record without its change, cannot be committed.
    **Shapes** ``subject`` is a row, named by its label and outside id, or a pair (type, id); ``hall`` is a hall or its key.
    **Errors** RuntimeError outside a transaction.
    """
    if not connection.in_atomic_block:
        raise RuntimeError("an audit record needs the transaction of its change")
    subject_type, subject_id = subject_named(subject)
    record = AuditRecord(
        actor=actor,
        actor_name=actor.get_username() if actor else _name_without_actor(),
        action=action,
        subject_type=subject_type,
        subject_id=subject_id,
        hall_id=getattr(hall, "pk", hall),
        before=before,
        after=after,
        reason=reason,
        request_id=get_contextvars().get("request_id", ""),
    )
    row_insert(record)
    return record


def _name_without_actor() -> str:
    account = get_contextvars().get("account")
    return f"{COMMAND}:{account}" if account else SYSTEM


def subject_named(subject: models.Model | tuple[str, object]) -> tuple[str, str]:
    """Name a row by its label and outside id, or anything else by the pair that it is given as."""
    if isinstance(subject, models.Model):
        return subject._meta.label_lower, str(getattr(subject, "public_id", subject.pk))
    subject_type, subject_id = subject
    return subject_type, _bounded(str(subject_id))


def _bounded(subject_id: str) -> str:
    """Shorten a name that is too long to be kept, such as a file's: what is told of must not fail by what it is called."""
    if len(subject_id) <= SUBJECT_ID_LENGTH_MAX:
        return subject_id
    end = f"…{sha256(subject_id.encode()).hexdigest()[:16]}"
    return subject_id[: SUBJECT_ID_LENGTH_MAX - len(end)] + end

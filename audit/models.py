"""Who changed what, when and why; and what the audit found amiss."""

import uuid
from typing import ClassVar

from django.conf import settings
from django.core.serializers.json import DjangoJSONEncoder
from django.db import models
from django.db.models.functions import Now

from audit.returns.models import ReturnsDay
from casino.db import AppendOnly

__all__ = ["AuditFinding", "AuditRecord", "ReturnsDay"]


class AuditRecord(AppendOnly):
    """One administrative change, written in the transaction that made it.

    The actor's name is kept beside the reference, as it was; a null actor is the system itself. Subject and hall are plain
    identifiers: the trail lies below everything it tells of.
    """

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    at = models.DateTimeField(db_default=Now())
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    actor_name = models.CharField(max_length=150)
    action = models.CharField(max_length=100)
    subject_type = models.CharField(max_length=100)
    subject_id = models.CharField(max_length=100)
    hall_id = models.BigIntegerField(null=True)
    before = models.JSONField(null=True, encoder=DjangoJSONEncoder)
    after = models.JSONField(null=True, encoder=DjangoJSONEncoder)
    reason = models.TextField(default="", blank=True)
    request_id = models.CharField(max_length=100, default="", blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="audit_record_complete",
                condition=~models.Q(actor_name="") & ~models.Q(action="") & ~models.Q(subject_type="") & ~models.Q(subject_id=""),
            ),
        ]
        indexes = [
            models.Index(name="audit_record_by_subject", fields=["subject_type", "subject_id", "id"]),
            models.Index(name="audit_record_by_hall", fields=["hall_id", "id"]),
        ]

    def __str__(self) -> str:
        return f"{self.actor_name} {self.action} {self.subject_type} {self.subject_id}"


class AuditFinding(models.Model):
    """Something that is not as it must be, from its discovery to its resolution.

    **Rule** One is open per check and subject, however often the check fails: ``seen_at`` and ``times_seen`` tell of the repeats.
    What was found is never changed or deleted; a resolved finding stays as it is, and a new failure is a new finding.
    **Shapes** ``check_name`` names the rule that failed; ``evidence`` is what it expected, what it found, and where.
    """

    class Severity(models.TextChoices):
        NOTICE = "notice"
        WARNING = "warning"
        CRITICAL = "critical"

    class Status(models.TextChoices):
        OPEN = "open"
        OWNED = "owned"
        RESOLVED = "resolved"

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    check_name = models.CharField(max_length=100)
    severity = models.CharField(max_length=8, choices=Severity)
    subject_type = models.CharField(max_length=100)
    subject_id = models.CharField(max_length=100)
    hall_id = models.BigIntegerField(null=True)
    evidence = models.JSONField(encoder=DjangoJSONEncoder)
    found_at = models.DateTimeField(db_default=Now())
    seen_at = models.DateTimeField(db_default=Now())
    times_seen = models.PositiveIntegerField(default=1)
    status = models.CharField(max_length=8, choices=Status, default=Status.OPEN)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    resolution = models.TextField(default="", blank=True)
    resolved_at = models.DateTimeField(null=True)

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                name="audit_finding_one_open",
                fields=["check_name", "subject_type", "subject_id"],
                condition=~models.Q(status="resolved"),
            ),
            models.CheckConstraint(
                name="audit_finding_complete",
                condition=~models.Q(check_name="") & ~models.Q(subject_type="") & ~models.Q(subject_id=""),
            ),
            models.CheckConstraint(
                name="audit_finding_is_in_its_status",
                condition=models.Q(status="open", owner=None, resolution="", resolved_at=None)
                | models.Q(status="owned", owner__isnull=False, resolution="", resolved_at=None)
                | models.Q(status="resolved", owner__isnull=False, resolution__gt="", resolved_at__isnull=False),
            ),
            models.CheckConstraint(
                name="audit_finding_severity", condition=models.Q(severity__in=["notice", "warning", "critical"])
            ),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(name="audit_finding_unresolved", fields=["-id"], condition=~models.Q(status="resolved")),
            models.Index(name="audit_finding_by_subject", fields=["subject_type", "subject_id", "id"]),
        ]

    def __str__(self) -> str:
        return f"{self.check_name}: {self.subject_type} {self.subject_id}"

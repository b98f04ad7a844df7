"""Who changed what, when and why."""

import uuid

from django.conf import settings
from django.core.serializers.json import DjangoJSONEncoder
from django.db import models
from django.db.models.functions import Now

from casino.db import AppendOnly


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

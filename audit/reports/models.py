"""What is kept of reports."""

import uuid
from typing import ClassVar

from django.conf import settings
from django.db import models

from casino.db import AppendOnly


class StoredReport(AppendOnly):
    """A report as it was generated, for ever. What is generated again is a further version beside it.

    **Shapes** ``document`` is the report's JSON, byte for byte; ``document_hash`` its SHA-256; ``previous_hash`` that of the
    version before it, empty for the first. ``software_digest`` names the program that generated it.
    """

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    report = models.CharField(max_length=40)
    definition_version = models.PositiveSmallIntegerField()
    hall_id = models.BigIntegerField(null=True)
    period = models.CharField(max_length=40)
    version = models.PositiveIntegerField()
    document = models.TextField()
    document_hash = models.CharField(max_length=64)
    previous_hash = models.CharField(max_length=64, blank=True)
    software_version = models.CharField(max_length=40)
    software_digest = models.CharField(max_length=64)
    generated_at = models.DateTimeField()
    generated_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+", db_index=False)
    reason = models.TextField()

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                name="audit_stored_report_one_per_version",
                fields=["report", "period", "hall_id", "version"],
                nulls_distinct=False,
            ),
            models.CheckConstraint(
                name="audit_stored_report_follows",
                condition=models.Q(version=1, previous_hash="") | models.Q(version__gt=1, previous_hash__regex="^[0-9a-f]{64}$"),
            ),
            models.CheckConstraint(
                name="audit_stored_report_complete",
                condition=models.Q(
                    report__gt="",
                    period__gt="",
                    document__gt="",
                    reason__gt="",
                    document_hash__regex="^[0-9a-f]{64}$",
                    software_digest__regex="^[0-9a-f]{64}$",
                ),
            ),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(name="audit_stored_report_of_hall", fields=["hall_id", "-id"]),
        ]

    def __str__(self) -> str:
        return f"{self.report} of {self.period}, version {self.version}"

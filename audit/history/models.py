"""Exports: who took which rounds, or the seals, out of the house, and how far it got."""

import uuid
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now


class Export(models.Model):
    """One export of many rounds or of the seals, from its beginning to its end.

    **Rule** What it exports is fixed when it begins: the closed rounds that fit the filters and were there in its ``snapshot``.
    ``sha256`` is over all that was sent, once it is whole.
    """

    class Format(models.TextChoices):
        JSONL = "jsonl"
        CSV = "csv"
        SEALS = "seals"
        """Not rounds, but the seals and all that they seal."""

    class Status(models.TextChoices):
        RUNNING = "running"
        DONE = "done"
        STOPPED = "stopped"
        """Whoever took it went away."""
        FAILED = "failed"

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    author = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", db_index=False)
    format = models.CharField(max_length=5, choices=Format)
    filters = models.JSONField()
    snapshot = models.TextField()
    rounds_total = models.PositiveBigIntegerField()
    rounds_written = models.PositiveBigIntegerField(default=0)
    bytes_written = models.PositiveBigIntegerField(default=0)
    status = models.CharField(max_length=7, choices=Status, default=Status.RUNNING)
    sha256 = models.CharField(max_length=64, blank=True)
    began_at = models.DateTimeField(db_default=Now())
    progress_at = models.DateTimeField(db_default=Now())

    @property
    def is_of_rounds(self) -> bool:
        return self.format != self.Format.SEALS

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(name="audit_export_format", condition=Q(format__in=["jsonl", "csv", "seals"])),
            models.CheckConstraint(
                name="audit_export_done_is_whole",
                condition=Q(status="done", rounds_written=F("rounds_total"), sha256__regex="^[0-9a-f]{64}$")
                | Q(status__in=["running", "stopped", "failed"], sha256=""),
            ),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(name="audit_export_running", fields=["progress_at"], condition=Q(status="running")),
        ]

    def __str__(self) -> str:
        return f"export {self.public_id}"

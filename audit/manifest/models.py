"""The log of checks of the manifest."""

import uuid
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from casino.db import AppendOnly


class ManifestCheck(AppendOnly):
    """One check of a host's files and of the published terms, and what it found; kept for ever.

    **Shapes** ``digest`` is the SHA-256 of the host's manifest file, empty where there is none; ``deviations`` are names with the
    digests expected and found.
    """

    class Occasion(models.TextChoices):
        START = "start"
        DAILY = "daily"
        DEMAND = "demand"

    class Part(models.TextChoices):
        WEB = "web"
        WORKER = "worker"
        COMMAND = "command"

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    at = models.DateTimeField(db_default=Now())
    occasion = models.CharField(max_length=6, choices=Occasion)
    part = models.CharField(max_length=7, choices=Part)
    host = models.CharField(max_length=255)
    process_id = models.PositiveIntegerField()
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+", db_index=False)
    digest = models.CharField(max_length=64, blank=True)
    files = models.PositiveIntegerField()
    terms = models.PositiveIntegerField()
    passed = models.BooleanField()
    deviations = models.JSONField()
    request_id = models.CharField(max_length=100, default="", blank=True)

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(
                condition=Q(passed=True, deviations=[]) | (Q(passed=False) & ~Q(deviations=[])),
                name="audit_manifestcheck_passed_without_deviations",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.occasion} of {self.part} on {self.host}: {'passed' if self.passed else 'failed'}"

"""What staff was shown of players."""

import uuid
from typing import ClassVar

from django.conf import settings
from django.contrib.postgres.indexes import GinIndex
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now, Trunc

from casino.db import AppendOnly


class Sighting(AppendOnly):
    """A member of staff was shown something of players.

    **Rule** The same thing shown to the same person again within a minute of the clock is one row: clients poll.
    **Shapes** ``subject_id`` is empty for a list, whose filters and page are in ``query``; ``players`` are the ids of those whose
    data it was, of the object or of the page of a list; ``what`` is a digest of who was shown what.
    """

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    at = models.DateTimeField(db_default=Now())
    minute = models.DateTimeField(db_default=Trunc(Now(), "minute", tzinfo=None))
    what = models.BinaryField(max_length=32)
    viewer = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", db_index=False)
    viewer_name = models.CharField(max_length=150)
    path = models.TextField()
    subject_type = models.CharField(max_length=100)
    subject_id = models.CharField(max_length=100, blank=True)
    query = models.JSONField(default=dict)
    players = models.JSONField(default=list)
    address = models.CharField(max_length=100)
    request_id = models.CharField(max_length=100, default="", blank=True)

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["what", "minute"], name="audit_sighting_once_a_minute"),
            models.CheckConstraint(
                condition=~Q(viewer_name="") & ~Q(path="") & ~Q(subject_type=""), name="audit_sighting_complete"
            ),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(name="audit_sighting_by_viewer", fields=["viewer", "id"]),
            models.Index(name="audit_sighting_by_subject", fields=["subject_type", "subject_id", "id"]),
            models.Index(name="audit_sighting_by_time", fields=["at"]),
            GinIndex(name="audit_sighting_by_player", fields=["players"], opclasses=["jsonb_path_ops"]),
        ]

    def __str__(self) -> str:
        return f"{self.viewer_name} saw {self.subject_type} {self.subject_id}"

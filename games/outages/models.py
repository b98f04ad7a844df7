"""When the parts that players depend on were last seen, and when they were not there."""

from typing import ClassVar

from django.db import models
from django.db.models import F, Q

from casino.db import AppendOnly


class Part(models.TextChoices):
    """What play cannot do without: the web takes the players' actions, the sweep lets time run out."""

    WEB = "web"
    SWEEP = "sweep"


class Heartbeat(models.Model):
    """When a part was last seen. The rows are there from the first migration on; before its first beat a part is unknown."""

    part = models.CharField(max_length=5, choices=Part, primary_key=True)
    beat_at = models.DateTimeField(null=True)


class Outage(AppendOnly):
    """A gap between two beats of a part that was too long to be charged to players.

    ``lost`` is what of it no earlier outage had given back: by so much every wait was prolonged that had begun before it.
    """

    id = models.BigAutoField(primary_key=True)
    part = models.CharField(max_length=5, choices=Part)
    began_at = models.DateTimeField()
    ended_at = models.DateTimeField()
    lost = models.DurationField()
    deadlines_moved = models.PositiveIntegerField()

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(condition=Q(ended_at__gt=F("began_at")), name="outages_outage_ends_after_it_began"),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["ended_at"], name="outages_outage_ended"),
        ]

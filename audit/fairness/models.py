"""What is kept of every run of the battery: first that it began, then what it found. Neither is ever changed."""

import uuid
from typing import ClassVar

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from casino.db import AppendOnly

UNFINISHED = "unfinished"
"""Said of a run that has no verdict."""


class FairnessRun(AppendOnly):
    """A run of the battery, written before anything is computed: a run cannot be repeated in silence until it passes.

    **Shapes** ``seed`` fixes the decks of a fixed run and is "live" else. ``period`` names the day or week that a scheduled run
    is for; one that broke off has no verdict, and the next ``attempt`` stands beside it. ``level`` is the chance that a fair
    shuffle fails the run. ``sample`` says, for dealt decks, which rounds they are from.
    """

    class Source(models.TextChoices):
        FIXED = "fixed"
        LIVE = "live"
        DEALT = "dealt"
        KEPT = "kept"
        """The p-values of former runs, one test's after the other: are they uniform?"""

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    started_at = models.DateTimeField(db_default=Now())
    source = models.CharField(max_length=5, choices=Source)
    pack = models.CharField(max_length=60)
    decks = models.PositiveIntegerField()
    sequences = models.PositiveIntegerField(default=0)
    seed = models.CharField(max_length=100)
    sample = models.JSONField(default=dict)
    level = models.FloatField()
    algorithm = models.CharField(max_length=40)
    shuffle_digest = models.CharField(max_length=64)
    period = models.CharField(max_length=20, default="", blank=True)
    attempt = models.PositiveSmallIntegerField(default=1)
    repeats = models.OneToOneField("self", models.PROTECT, null=True, related_name="repeated_by")

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                name="audit_fairness_run_once_a_period",
                fields=["source", "pack", "period", "attempt"],
                condition=~Q(period="") & Q(repeats=None),
            ),
            models.CheckConstraint(name="audit_fairness_run_level", condition=Q(level__gt=0, level__lt=1)),
            models.CheckConstraint(name="audit_fairness_run_source", condition=Q(source__in=["fixed", "live", "dealt", "kept"])),
        ]

    def __str__(self) -> str:
        return f"{self.source} {self.pack}, {self.decks} decks"

    @property
    def standing(self) -> "FairnessVerdict":
        """The run's verdict; one that says unfinished where it has none yet."""
        if hasattr(self, "verdict"):
            return self.verdict
        unfinished = FairnessVerdict(run_id=self.pk, verdict=UNFINISHED, outcomes=[], failed=[], faults=[])
        unfinished.finished_at = None  # type: ignore[assignment]
        return unfinished


class FairnessVerdict(AppendOnly):
    """What a run found: every p-value, and the verdict on all of them together.

    **Shapes** ``outcomes`` lists name, statistic, law, p and keeps_rule of each test; ``failed`` the names of those that Holm's
    step-down rejects; ``faults`` what no chance can excuse: uneven enumeration, cards that are not those of the seeds;
    ``skipped`` the names of the tests that the sample was too small for. Where these are all, the verdict is "too_few".
    """

    class Verdict(models.TextChoices):
        PASSED = "passed"
        FAILED = "failed"
        TOO_FEW = "too_few"

    run = models.OneToOneField(FairnessRun, models.PROTECT, primary_key=True, related_name="verdict")
    finished_at = models.DateTimeField(db_default=Now())
    verdict = models.CharField(max_length=7, choices=Verdict)
    least_p = models.FloatField(null=True)
    outcomes = models.JSONField()
    failed = models.JSONField()
    faults = models.JSONField()
    skipped = models.JSONField(default=list, db_default=[])

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(
                name="audit_fairness_verdict_follows",
                condition=Q(verdict="failed") & ~Q(failed=[], faults=[])
                | Q(verdict="passed", failed=[], faults=[], least_p__isnull=False)
                | Q(verdict="too_few", failed=[], faults=[]),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.run}: {self.verdict}"

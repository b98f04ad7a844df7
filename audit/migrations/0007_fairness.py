"""Runs of the fairness battery and their verdicts, written once."""

import uuid

import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models

from casino.db import append_only


class Migration(migrations.Migration):
    dependencies = [
        ("audit", "0006_stored_reports"),
    ]

    operations = [
        migrations.CreateModel(
            name="FairnessRun",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("public_id", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ("started_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                (
                    "source",
                    models.CharField(
                        choices=[("fixed", "Fixed"), ("live", "Live"), ("dealt", "Dealt"), ("kept", "Kept")], max_length=5
                    ),
                ),
                ("pack", models.CharField(max_length=60)),
                ("decks", models.PositiveIntegerField()),
                ("sequences", models.PositiveIntegerField(default=0)),
                ("seed", models.CharField(max_length=100)),
                ("sample", models.JSONField(default=dict)),
                ("level", models.FloatField()),
                ("algorithm", models.CharField(max_length=40)),
                ("shuffle_digest", models.CharField(max_length=64)),
                ("period", models.CharField(blank=True, default="", max_length=20)),
                ("attempt", models.PositiveSmallIntegerField(default=1)),
                (
                    "repeats",
                    models.OneToOneField(
                        null=True, on_delete=django.db.models.deletion.PROTECT, related_name="repeated_by", to="audit.fairnessrun"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="FairnessVerdict",
            fields=[
                (
                    "run",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="verdict",
                        serialize=False,
                        to="audit.fairnessrun",
                    ),
                ),
                ("finished_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                (
                    "verdict",
                    models.CharField(choices=[("passed", "Passed"), ("failed", "Failed"), ("too_few", "Too Few")], max_length=7),
                ),
                ("least_p", models.FloatField(null=True)),
                ("outcomes", models.JSONField()),
                ("failed", models.JSONField()),
                ("faults", models.JSONField()),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("verdict", "failed"), models.Q(("failed", []), ("faults", []), _negated=True)),
                            models.Q(("failed", []), ("faults", []), ("least_p__isnull", False), ("verdict", "passed")),
                            models.Q(("failed", []), ("faults", []), ("least_p", None), ("verdict", "too_few")),
                            _connector="OR",
                        ),
                        name="audit_fairness_verdict_follows",
                    )
                ],
            },
        ),
        migrations.AddConstraint(
            model_name="fairnessrun",
            constraint=models.UniqueConstraint(
                condition=models.Q(models.Q(("period", ""), _negated=True), ("repeats", None)),
                fields=("source", "pack", "period", "attempt"),
                name="audit_fairness_run_once_a_period",
            ),
        ),
        migrations.AddConstraint(
            model_name="fairnessrun",
            constraint=models.CheckConstraint(
                condition=models.Q(("level__gt", 0), ("level__lt", 1)), name="audit_fairness_run_level"
            ),
        ),
        migrations.AddConstraint(
            model_name="fairnessrun",
            constraint=models.CheckConstraint(
                condition=models.Q(("source__in", ["fixed", "live", "dealt", "kept"])), name="audit_fairness_run_source"
            ),
        ),
        append_only("audit_fairnessrun"),
        append_only("audit_fairnessverdict"),
    ]

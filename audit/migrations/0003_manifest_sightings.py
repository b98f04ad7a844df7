"""The log of checks of the manifest, what staff saw, and the ways in which the trail is searched."""

import uuid

import django.contrib.postgres.indexes
import django.contrib.postgres.search
import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models

from casino.db import append_only


class Migration(migrations.Migration):
    dependencies = [
        ("audit", "0002_finding"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="ManifestCheck",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("public_id", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ("at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                (
                    "occasion",
                    models.CharField(choices=[("start", "Start"), ("daily", "Daily"), ("demand", "Demand")], max_length=6),
                ),
                ("part", models.CharField(choices=[("web", "Web"), ("worker", "Worker"), ("command", "Command")], max_length=7)),
                ("host", models.CharField(max_length=255)),
                ("process_id", models.PositiveIntegerField()),
                ("digest", models.CharField(blank=True, max_length=64)),
                ("files", models.PositiveIntegerField()),
                ("terms", models.PositiveIntegerField()),
                ("passed", models.BooleanField()),
                ("deviations", models.JSONField()),
                ("request_id", models.CharField(blank=True, default="", max_length=100)),
            ],
        ),
        migrations.CreateModel(
            name="Sighting",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("public_id", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ("at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                (
                    "minute",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Trunc(
                            django.db.models.functions.datetime.Now(), "minute", tzinfo=None
                        )
                    ),
                ),
                ("what", models.BinaryField(max_length=32)),
                ("viewer_name", models.CharField(max_length=150)),
                ("path", models.TextField()),
                ("subject_type", models.CharField(max_length=100)),
                ("subject_id", models.CharField(blank=True, max_length=100)),
                ("query", models.JSONField(default=dict)),
                ("players", models.JSONField(default=list)),
                ("address", models.CharField(max_length=100)),
                ("request_id", models.CharField(blank=True, default="", max_length=100)),
            ],
        ),
        migrations.AlterField(
            model_name="auditrecord",
            name="actor",
            field=models.ForeignKey(
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddIndex(
            model_name="auditrecord",
            index=models.Index(fields=["actor", "id"], name="audit_record_by_actor"),
        ),
        migrations.AddIndex(
            model_name="auditrecord",
            index=models.Index(fields=["action", "id"], name="audit_record_by_action"),
        ),
        migrations.AddIndex(
            model_name="auditrecord",
            index=models.Index(
                condition=models.Q(("request_id", ""), _negated=True), fields=["request_id", "id"], name="audit_record_by_request"
            ),
        ),
        migrations.AddIndex(
            model_name="auditrecord",
            index=models.Index(fields=["at"], name="audit_record_by_time"),
        ),
        migrations.AddIndex(
            model_name="auditrecord",
            index=django.contrib.postgres.indexes.GinIndex(fields=["before"], name="audit_record_by_key_before"),
        ),
        migrations.AddIndex(
            model_name="auditrecord",
            index=django.contrib.postgres.indexes.GinIndex(fields=["after"], name="audit_record_by_key_after"),
        ),
        migrations.AddIndex(
            model_name="auditrecord",
            index=django.contrib.postgres.indexes.GinIndex(
                django.contrib.postgres.search.SearchVector("reason", config="simple"), name="audit_record_by_reason"
            ),
        ),
        migrations.AddField(
            model_name="manifestcheck",
            name="actor",
            field=models.ForeignKey(
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="sighting",
            name="viewer",
            field=models.ForeignKey(
                db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
            ),
        ),
        migrations.AddConstraint(
            model_name="manifestcheck",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("deviations", []), ("passed", True)),
                    models.Q(("passed", False), models.Q(("deviations", []), _negated=True)),
                    _connector="OR",
                ),
                name="audit_manifestcheck_passed_without_deviations",
            ),
        ),
        migrations.AddIndex(
            model_name="sighting",
            index=models.Index(fields=["viewer", "id"], name="audit_sighting_by_viewer"),
        ),
        migrations.AddIndex(
            model_name="sighting",
            index=models.Index(fields=["subject_type", "subject_id", "id"], name="audit_sighting_by_subject"),
        ),
        migrations.AddIndex(
            model_name="sighting",
            index=models.Index(fields=["at"], name="audit_sighting_by_time"),
        ),
        migrations.AddIndex(
            model_name="sighting",
            index=django.contrib.postgres.indexes.GinIndex(
                fields=["players"], name="audit_sighting_by_player", opclasses=["jsonb_path_ops"]
            ),
        ),
        migrations.AddConstraint(
            model_name="sighting",
            constraint=models.UniqueConstraint(fields=("what", "minute"), name="audit_sighting_once_a_minute"),
        ),
        migrations.AddConstraint(
            model_name="sighting",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("viewer_name", ""), _negated=True),
                    models.Q(("path", ""), _negated=True),
                    models.Q(("subject_type", ""), _negated=True),
                ),
                name="audit_sighting_complete",
            ),
        ),
        append_only("audit_manifestcheck"),
        append_only("audit_sighting"),
    ]

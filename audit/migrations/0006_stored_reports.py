"""Reports that are kept, written once; and the trail by time, for reports of intervals."""

import uuid

import django.contrib.postgres.indexes
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from casino.db import append_only


class Migration(migrations.Migration):
    dependencies = [
        ("audit", "0005_continuous"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="StoredReport",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("public_id", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ("report", models.CharField(max_length=40)),
                ("definition_version", models.PositiveSmallIntegerField()),
                ("hall_id", models.BigIntegerField(null=True)),
                ("period", models.CharField(max_length=40)),
                ("version", models.PositiveIntegerField()),
                ("document", models.TextField()),
                ("document_hash", models.CharField(max_length=64)),
                ("previous_hash", models.CharField(blank=True, max_length=64)),
                ("software_version", models.CharField(max_length=40)),
                ("software_digest", models.CharField(max_length=64)),
                ("generated_at", models.DateTimeField()),
                ("reason", models.TextField()),
            ],
        ),
        migrations.AddField(
            model_name="storedreport",
            name="generated_by",
            field=models.ForeignKey(
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddIndex(
            model_name="storedreport",
            index=models.Index(fields=["hall_id", "-id"], name="audit_stored_report_of_hall"),
        ),
        migrations.AddConstraint(
            model_name="storedreport",
            constraint=models.UniqueConstraint(
                fields=("report", "period", "hall_id", "version"),
                name="audit_stored_report_one_per_version",
                nulls_distinct=False,
            ),
        ),
        migrations.AddConstraint(
            model_name="storedreport",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("previous_hash", ""), ("version", 1)),
                    models.Q(("previous_hash__regex", "^[0-9a-f]{64}$"), ("version__gt", 1)),
                    _connector="OR",
                ),
                name="audit_stored_report_follows",
            ),
        ),
        migrations.AddConstraint(
            model_name="storedreport",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("document__gt", ""),
                    ("document_hash__regex", "^[0-9a-f]{64}$"),
                    ("period__gt", ""),
                    ("reason__gt", ""),
                    ("report__gt", ""),
                    ("software_digest__regex", "^[0-9a-f]{64}$"),
                ),
                name="audit_stored_report_complete",
            ),
        ),
        append_only("audit_storedreport"),
    ]

"""How far the audit has looked: marks, readings, full passes and their pages."""

import uuid

import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models

import casino.db
from casino.db import append_only


class Migration(migrations.Migration):
    dependencies = [
        ("audit", "0004_exports"),
    ]

    operations = [
        migrations.CreateModel(
            name="AuditMark",
            fields=[
                ("table_name", models.CharField(max_length=63, primary_key=True, serialize=False)),
                ("database", models.CharField(max_length=100)),
                ("era", models.PositiveIntegerField()),
                ("xid", casino.db.TransactionIdField()),
                ("first_key", models.BigIntegerField()),
                ("again_key", models.BigIntegerField(default=0)),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("taken_at", models.DateTimeField(null=True)),
                ("moved_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
        ),
        migrations.CreateModel(
            name="AuditPass",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("public_id", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                (
                    "cause",
                    models.CharField(choices=[("night", "Night"), ("marks", "Marks"), ("asked", "Asked")], max_length=8),
                ),
                ("night", models.DateField(null=True, unique=True)),
                ("database", models.CharField(max_length=100)),
                ("wal_position", models.CharField(max_length=20)),
                ("began_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("ended_at", models.DateTimeField(null=True)),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("ended_at", None)), fields=("database",), name="audit_pass_one_at_a_time"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="AuditReading",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("table_name", models.CharField(max_length=63)),
                ("era", models.PositiveIntegerField()),
                ("until_xid", casino.db.TransactionIdField()),
                ("before_xid", casino.db.TransactionIdField()),
                ("rows", models.PositiveIntegerField()),
                ("read_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("table_name", "era", "until_xid"), name="audit_reading_once")],
            },
        ),
        migrations.CreateModel(
            name="AuditPage",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "part",
                    models.CharField(
                        choices=[("ledger", "Ledger"), ("rounds", "Rounds"), ("again", "Again"), ("replay", "Replay")],
                        max_length=6,
                    ),
                ),
                ("table_name", models.CharField(blank=True, default="", max_length=63)),
                ("first_key", models.BigIntegerField(default=0)),
                ("last_key", models.BigIntegerField(default=0)),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("taken_at", models.DateTimeField(null=True)),
                ("rows", models.PositiveIntegerField(default=0)),
                ("deviations", models.PositiveIntegerField(default=0)),
                ("done_at", models.DateTimeField(null=True)),
                (
                    "audit_pass",
                    models.ForeignKey(
                        db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name="pages", to="audit.auditpass"
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(condition=models.Q(("done_at", None)), fields=["audit_pass", "id"], name="audit_page_to_do")
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("audit_pass", "part", "table_name", "first_key", "last_key"), name="audit_page_once"
                    )
                ],
            },
        ),
        append_only("audit_auditreading"),
    ]

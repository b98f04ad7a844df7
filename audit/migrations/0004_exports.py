"""Exports, and the triggers that keep what was exported by whom."""

import uuid

import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models

_GUARDS = """
CREATE FUNCTION refuse_export_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'an export %', TG_ARGV[0] USING ERRCODE = 'restrict_violation', CONSTRAINT = TG_NAME;
END $$;

CREATE TRIGGER audit_export_identity_fixed BEFORE UPDATE ON audit_export FOR EACH ROW
    WHEN ((OLD.id, OLD.public_id, OLD.author_id, OLD.format, OLD.filters, OLD.snapshot, OLD.rounds_total, OLD.began_at)
          IS DISTINCT FROM
          (NEW.id, NEW.public_id, NEW.author_id, NEW.format, NEW.filters, NEW.snapshot, NEW.rounds_total, NEW.began_at))
    EXECUTE FUNCTION refuse_export_change('is what it began as');

CREATE TRIGGER audit_export_ended_for_good BEFORE UPDATE ON audit_export FOR EACH ROW
    WHEN (OLD.status <> 'running')
    EXECUTE FUNCTION refuse_export_change('that has ended stays as it is');

CREATE TRIGGER audit_export_no_delete BEFORE DELETE ON audit_export FOR EACH ROW
    EXECUTE FUNCTION refuse_export_change('stays');

CREATE TRIGGER audit_export_no_truncate BEFORE TRUNCATE ON audit_export FOR EACH STATEMENT
    EXECUTE FUNCTION refuse_export_change('stays');
"""
_NO_GUARDS = """
DROP TRIGGER audit_export_identity_fixed ON audit_export;
DROP TRIGGER audit_export_ended_for_good ON audit_export;
DROP TRIGGER audit_export_no_delete ON audit_export;
DROP TRIGGER audit_export_no_truncate ON audit_export;
DROP FUNCTION refuse_export_change;
"""


class Migration(migrations.Migration):
    dependencies = [
        ("audit", "0003_manifest_sightings"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Export",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("public_id", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ("format", models.CharField(choices=[("jsonl", "Jsonl"), ("csv", "Csv")], max_length=5)),
                ("filters", models.JSONField()),
                ("snapshot", models.TextField()),
                ("rounds_total", models.PositiveBigIntegerField()),
                ("rounds_written", models.PositiveBigIntegerField(default=0)),
                ("bytes_written", models.PositiveBigIntegerField(default=0)),
                (
                    "status",
                    models.CharField(
                        choices=[("running", "Running"), ("done", "Done"), ("stopped", "Stopped"), ("failed", "Failed")],
                        default="running",
                        max_length=7,
                    ),
                ),
                ("sha256", models.CharField(blank=True, max_length=64)),
                ("began_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("progress_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                (
                    "author",
                    models.ForeignKey(
                        db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(condition=models.Q(("status", "running")), fields=["progress_at"], name="audit_export_running")
                ],
                "constraints": [
                    models.CheckConstraint(condition=models.Q(("format__in", ["jsonl", "csv"])), name="audit_export_format"),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("rounds_written", models.F("rounds_total")),
                                ("sha256__regex", "^[0-9a-f]{64}$"),
                                ("status", "done"),
                            ),
                            models.Q(("sha256", ""), ("status__in", ["running", "stopped", "failed"])),
                            _connector="OR",
                        ),
                        name="audit_export_done_is_whole",
                    ),
                ],
            },
        ),
        migrations.RunSQL(sql=_GUARDS, reverse_sql=_NO_GUARDS),
    ]

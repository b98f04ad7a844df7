"""Findings, and the triggers that keep what was found."""

import uuid

import django.core.serializers.json
import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models

_GUARDS = """
CREATE FUNCTION refuse_finding_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'a finding %', TG_ARGV[0] USING ERRCODE = 'restrict_violation', CONSTRAINT = TG_NAME;
END $$;

CREATE TRIGGER audit_finding_identity_fixed BEFORE UPDATE ON audit_auditfinding FOR EACH ROW
    WHEN ((OLD.id, OLD.public_id, OLD.check_name, OLD.severity, OLD.subject_type, OLD.subject_id, OLD.hall_id, OLD.evidence,
           OLD.found_at)
          IS DISTINCT FROM
          (NEW.id, NEW.public_id, NEW.check_name, NEW.severity, NEW.subject_type, NEW.subject_id, NEW.hall_id, NEW.evidence,
           NEW.found_at))
    EXECUTE FUNCTION refuse_finding_change('keeps what was found');

CREATE TRIGGER audit_finding_resolved_for_good BEFORE UPDATE ON audit_auditfinding FOR EACH ROW
    WHEN (OLD.status = 'resolved')
    EXECUTE FUNCTION refuse_finding_change('that is resolved stays as it is');

CREATE TRIGGER audit_finding_no_delete BEFORE DELETE ON audit_auditfinding FOR EACH ROW
    EXECUTE FUNCTION refuse_finding_change('stays');

CREATE TRIGGER audit_finding_no_truncate BEFORE TRUNCATE ON audit_auditfinding FOR EACH STATEMENT
    EXECUTE FUNCTION refuse_finding_change('stays');
"""
_NO_GUARDS = """
DROP TRIGGER audit_finding_identity_fixed ON audit_auditfinding;
DROP TRIGGER audit_finding_resolved_for_good ON audit_auditfinding;
DROP TRIGGER audit_finding_no_delete ON audit_auditfinding;
DROP TRIGGER audit_finding_no_truncate ON audit_auditfinding;
DROP FUNCTION refuse_finding_change;
"""


class Migration(migrations.Migration):
    dependencies = [
        ("audit", "0001_audit_record"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="AuditFinding",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("public_id", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ("check_name", models.CharField(max_length=100)),
                (
                    "severity",
                    models.CharField(
                        choices=[("notice", "Notice"), ("warning", "Warning"), ("critical", "Critical")], max_length=8
                    ),
                ),
                ("subject_type", models.CharField(max_length=100)),
                ("subject_id", models.CharField(max_length=100)),
                ("hall_id", models.BigIntegerField(null=True)),
                ("evidence", models.JSONField(encoder=django.core.serializers.json.DjangoJSONEncoder)),
                ("found_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("seen_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("times_seen", models.PositiveIntegerField(default=1)),
                (
                    "status",
                    models.CharField(
                        choices=[("open", "Open"), ("owned", "Owned"), ("resolved", "Resolved")], default="open", max_length=8
                    ),
                ),
                ("resolution", models.TextField(blank=True, default="")),
                ("resolved_at", models.DateTimeField(null=True)),
                (
                    "owner",
                    models.ForeignKey(
                        null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("status", "resolved"), _negated=True), fields=["-id"], name="audit_finding_unresolved"
                    ),
                    models.Index(fields=["subject_type", "subject_id", "id"], name="audit_finding_by_subject"),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("status", "resolved"), _negated=True),
                        fields=("check_name", "subject_type", "subject_id"),
                        name="audit_finding_one_open",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("check_name", ""), _negated=True),
                            models.Q(("subject_type", ""), _negated=True),
                            models.Q(("subject_id", ""), _negated=True),
                        ),
                        name="audit_finding_complete",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("owner", None), ("resolution", ""), ("resolved_at", None), ("status", "open")),
                            models.Q(("owner__isnull", False), ("resolution", ""), ("resolved_at", None), ("status", "owned")),
                            models.Q(
                                ("owner__isnull", False),
                                ("resolution__gt", ""),
                                ("resolved_at__isnull", False),
                                ("status", "resolved"),
                            ),
                            _connector="OR",
                        ),
                        name="audit_finding_is_in_its_status",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("severity__in", ["notice", "warning", "critical"])), name="audit_finding_severity"
                    ),
                ],
            },
        ),
        migrations.RunSQL(sql=_GUARDS, reverse_sql=_NO_GUARDS),
    ]

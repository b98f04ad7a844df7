"""Each finding names the one before it, so that one that is taken away is missed."""

from django.db import migrations, models

GUARD = """
DROP TRIGGER audit_finding_identity_fixed ON audit_auditfinding;
CREATE TRIGGER audit_finding_identity_fixed BEFORE UPDATE ON audit_auditfinding FOR EACH ROW
    WHEN ((OLD.id, OLD.public_id, OLD.check_name, OLD.severity, OLD.subject_type, OLD.subject_id, OLD.hall_id, OLD.evidence,
           OLD.found_at{old})
          IS DISTINCT FROM
          (NEW.id, NEW.public_id, NEW.check_name, NEW.severity, NEW.subject_type, NEW.subject_id, NEW.hall_id, NEW.evidence,
           NEW.found_at{new}))
    EXECUTE FUNCTION refuse_finding_change('keeps what was found');
"""


class Migration(migrations.Migration):
    dependencies = [
        ("audit", "0015_mark_set"),
    ]

    operations = [
        migrations.AddField(
            model_name="auditfinding",
            name="previous_id",
            field=models.BigIntegerField(null=True),
        ),
        migrations.RunSQL(
            GUARD.format(old=", OLD.previous_id", new=", NEW.previous_id"),
            GUARD.format(old="", new=""),
        ),
    ]

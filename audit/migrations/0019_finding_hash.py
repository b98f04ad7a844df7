"""Each finding keeps the hash of what was found, so that one that is changed past the triggers is told of."""

from django.db import migrations, models

HASH = """
CREATE FUNCTION audit_finding_hash(finding audit_auditfinding) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT encode(sha256(convert_to(jsonb_build_array(
        finding.id, finding.public_id, finding.previous_id, finding.check_name, finding.severity, finding.subject_type,
        finding.subject_id, finding.hall_id, finding.evidence, extract(epoch FROM finding.found_at))::text, 'UTF8')), 'hex')
$$;

CREATE FUNCTION audit_finding_hash_set() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.found_hash := audit_finding_hash(NEW);
    RETURN NEW;
END $$;

ALTER TABLE audit_auditfinding DISABLE TRIGGER USER;
UPDATE audit_auditfinding finding SET found_hash = audit_finding_hash(finding);
ALTER TABLE audit_auditfinding ENABLE TRIGGER USER;

CREATE TRIGGER audit_finding_hashed BEFORE INSERT ON audit_auditfinding FOR EACH ROW EXECUTE FUNCTION audit_finding_hash_set();
CREATE TRIGGER audit_finding_hash_fixed BEFORE UPDATE ON audit_auditfinding FOR EACH ROW
    WHEN (OLD.found_hash IS DISTINCT FROM NEW.found_hash)
    EXECUTE FUNCTION refuse_finding_change('keeps what was found');
"""
NO_HASH = """
DROP TRIGGER audit_finding_hash_fixed ON audit_auditfinding;
DROP TRIGGER audit_finding_hashed ON audit_auditfinding;
DROP FUNCTION audit_finding_hash_set;
DROP FUNCTION audit_finding_hash;
"""


class Migration(migrations.Migration):
    dependencies = [("audit", "0018_words_of_reasons")]

    operations = [
        migrations.AddField(
            "auditfinding", "found_hash", models.CharField(max_length=64, default="", db_default="", editable=False)
        ),
        migrations.RunSQL(HASH, NO_HASH),
    ]

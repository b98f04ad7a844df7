-- What the audit itself has kept: reports against their hashes and their versions, findings against the trail and against each
-- other. Each row: check, table, key, expected, found.
WITH report AS (
    SELECT id, version, document_hash, previous_hash, encode(sha256(convert_to(document, 'UTF8')), 'hex') AS counted_hash,
           lag(version, 1, 0) OVER versions + 1 AS place, lag(document_hash, 1, '') OVER versions AS hash_before
    FROM audit_storedreport
    WINDOW versions AS (PARTITION BY report, hall_id, period ORDER BY version, id)
)

SELECT 'stored_report_is_as_it_was_kept' AS "check", 'audit_storedreport' AS "table", id::text AS key,
       document_hash AS expected, counted_hash AS found
    FROM report WHERE document_hash <> counted_hash

UNION ALL
SELECT 'stored_report_follows_the_version_before', 'audit_storedreport', id::text, place || ' ' || hash_before,
       version || ' ' || previous_hash
    FROM report WHERE (place, hash_before) <> (version, previous_hash)

UNION ALL
SELECT 'report_of_the_trail_is_kept', 'audit_auditrecord', record.id::text, 'a stored report', record.subject_id
    FROM audit_auditrecord record
    WHERE record.subject_type = 'audit.storedreport' AND record.action = 'report_generated_again'
        AND NOT EXISTS (SELECT FROM audit_storedreport report WHERE report.public_id::text = record.subject_id)

UNION ALL
SELECT 'finding_is_resolved_in_the_trail', 'audit_auditfinding', finding.id::text, 'a record of its resolution', NULL
    FROM audit_auditfinding finding
    WHERE finding.status = 'resolved' AND NOT EXISTS (
        SELECT FROM audit_auditrecord record
        WHERE record.subject_type = 'audit.auditfinding' AND record.subject_id = finding.public_id::text
            AND record.action = 'finding_resolved' AND record.actor_id = finding.owner_id AND record.reason = finding.resolution
    )

UNION ALL
SELECT 'finding_is_owned_in_the_trail', 'audit_auditfinding', finding.id::text, 'a record of its owner', NULL
    FROM audit_auditfinding finding
    WHERE finding.status = 'owned' AND NOT EXISTS (
        SELECT FROM audit_auditrecord record
        WHERE record.subject_type = 'audit.auditfinding' AND record.subject_id = finding.public_id::text
            AND record.action = 'finding_owned' AND record.actor_id = finding.owner_id
    )

UNION ALL
SELECT 'finding_is_as_it_was_found', 'audit_auditfinding', id::text, found_hash, audit_finding_hash(finding)
    FROM audit_auditfinding finding WHERE found_hash <> audit_finding_hash(finding)

UNION ALL
SELECT 'finding_of_the_trail_is_there', 'audit_auditrecord', record.id::text, 'a finding', record.subject_id
    FROM audit_auditrecord record
    WHERE record.subject_type = 'audit.auditfinding'
        AND NOT EXISTS (SELECT FROM audit_auditfinding finding WHERE finding.public_id::text = record.subject_id)

UNION ALL
SELECT DISTINCT 'finding_before_is_there', 'audit_auditfinding', later.previous_id::text, 'a finding', NULL
    FROM audit_auditfinding later
    WHERE later.previous_id > 0 AND NOT EXISTS (SELECT FROM audit_auditfinding before WHERE before.id = later.previous_id)

"""Setting a mark is the database's own: the application's role could else say itself which rows were there before."""

from django.db import migrations

SET = """
CREATE FUNCTION audit_mark_set(name text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    standing record;
    last_key bigint;
    last_xid xid8;
BEGIN
    SELECT concat_ws('/', (SELECT system_identifier FROM pg_control_system()), left(pg_walfile_name(pg_current_wal_lsn()), 8),
                     (SELECT oid FROM pg_database WHERE datname = current_database())) AS database,
           pg_snapshot_xmin(snapshot) AS over_xid, pg_snapshot_xmax(snapshot) AS next_xid
        INTO standing FROM pg_current_snapshot() AS snapshot;
    PERFORM FROM audit_auditmark mark
        WHERE mark.table_name = name AND mark.database = standing.database AND mark.xid <= standing.next_xid;
    IF FOUND THEN
        RETURN false;
    END IF;
    CASE name
        WHEN 'wallets_transfer' THEN
            SELECT max(id), max(written_xid) INTO last_key, last_xid FROM wallets_transfer;
        WHEN 'rounds_roundstep' THEN
            SELECT max(id), max(written_xid) INTO last_key, last_xid FROM rounds_roundstep;
        WHEN 'rounds_roundrecord' THEN
            SELECT max(round_id), max(written_xid) INTO last_key, last_xid FROM rounds_roundrecord;
    END CASE;
    INSERT INTO audit_auditmark AS mark (
        table_name, database, era, xid, first_key, set_xid, ahead_xid, again_key, again_attempts, attempts, moved_at)
    SELECT name, standing.database, 1 + greatest(
               (SELECT max(era) FROM audit_auditreading WHERE table_name = name),
               (SELECT era FROM audit_auditmark WHERE table_name = name), 0
           ), standing.over_xid, coalesce(last_key, 0), standing.next_xid, coalesce(last_xid, '0'), 0, 0, 0, now()
    ON CONFLICT (table_name) DO UPDATE SET database = excluded.database, era = excluded.era, xid = excluded.xid,
        first_key = excluded.first_key, set_xid = excluded.set_xid, ahead_xid = excluded.ahead_xid, again_key = 0,
        again_attempts = 0, attempts = 0, taken_at = NULL, moved_at = excluded.moved_at;
    RETURN true;
END $$;

-- Whoever may call it is named by the application's grants.
REVOKE EXECUTE ON FUNCTION audit_mark_set FROM PUBLIC;
"""


class Migration(migrations.Migration):
    dependencies = [
        ("audit", "0014_ahead_and_before"),
    ]

    operations = [
        migrations.RunSQL(SET, "DROP FUNCTION audit_mark_set"),
    ]

-- Rows of one act, written in one transaction: a step with its transfers, a round's last step with the record. For all steps, or
-- for those with the given keys. Each row: check, table, key, expected, found.
WITH looked_at AS NOT MATERIALIZED (
    SELECT * FROM rounds_roundstep WHERE %(keys)s::bigint[] IS NULL OR id = ANY (%(keys)s::bigint[])
)

SELECT 'transfer_written_with_its_step' AS "check", 'wallets_transfer' AS "table", transfer.id::text AS key,
       step.written_xid::text AS expected, transfer.written_xid::text AS found
    FROM looked_at step JOIN wallets_transfer transfer ON transfer.step_id = step.id
    WHERE transfer.written_xid <> step.written_xid
        -- Rows from before the number was kept have that of the migration that brought it, in each table another.
        AND (transfer.written_xid, step.written_xid) IS DISTINCT FROM
            ((SELECT min(written_xid) FROM wallets_transfer), (SELECT min(written_xid) FROM rounds_roundstep))

UNION ALL
SELECT 'record_written_with_its_last_step', 'rounds_roundrecord', record.round_id::text, step.written_xid::text,
       record.written_xid::text
    FROM looked_at step JOIN rounds_roundrecord record ON record.round_id = step.round_id
    WHERE record.written_xid <> step.written_xid
        AND NOT EXISTS (SELECT FROM rounds_roundstep later WHERE later.round_id = step.round_id AND later.seq > step.seq)

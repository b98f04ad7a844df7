-- Transfers against what caused them: a step of a round, or somebody at the counter. All transfers, or those with the given keys.
-- Each row: check, table, key, expected, found.
WITH looked_at AS NOT MATERIALIZED (
    SELECT * FROM wallets_transfer WHERE %(keys)s::bigint[] IS NULL OR id = ANY (%(keys)s::bigint[])
),
-- What a movement over the counter is called in the trail.
counter (code, action) AS (
    VALUES ('deposit', 'deposit_created'), ('withdrawal', 'withdrawal_created'), ('deposit_reversal', 'deposit_reversed')
),
sided AS NOT MATERIALIZED (
    SELECT transfer.*, debit.id AS debit_id, debit.kind AS debit_kind, debit.currency AS debit_currency,
           credit.id AS credit_id, credit.kind AS credit_kind, credit.currency AS credit_currency
    FROM looked_at transfer
    LEFT JOIN wallets_account debit ON debit.id = transfer.debit_account_id
    LEFT JOIN wallets_account credit ON credit.id = transfer.credit_account_id
)

SELECT 'escrow_moves_by_step' AS "check", 'wallets_transfer' AS "table", transfer.id::text AS key,
       transfer.escrow_id::text AS expected, coalesce(round.escrow_id::text, 'no step') AS found
    FROM (SELECT id, step_id, CASE 'escrow' WHEN debit_kind THEN debit_id WHEN credit_kind THEN credit_id END AS escrow_id
          FROM sided WHERE 'escrow' IN (debit_kind, credit_kind)) transfer
    LEFT JOIN rounds_roundstep step ON step.id = transfer.step_id
    LEFT JOIN rounds_round round ON round.id = step.round_id
    WHERE round.escrow_id IS DISTINCT FROM transfer.escrow_id

UNION ALL
SELECT 'step_moves_escrow', 'wallets_transfer', id::text, 'an escrow', step_id::text
    FROM sided WHERE step_id IS NOT NULL AND 'escrow' NOT IN (coalesce(debit_kind, ''), coalesce(credit_kind, ''))

UNION ALL
SELECT 'counter_moves_with_its_record', 'wallets_transfer', transfer.id::text, '1 ' || coalesce(counter.action, 'record'),
       count(record.id)::text
    FROM sided transfer
    LEFT JOIN counter ON counter.code = transfer.code
    LEFT JOIN audit_auditrecord record
        ON record.subject_type = 'wallets.transfer' AND record.subject_id = transfer.public_id::text
        AND record.action = counter.action
        AND record.after -> 'amount_minor' = to_jsonb(transfer.amount_minor)
    WHERE 'cage' IN (debit_kind, credit_kind)
    GROUP BY transfer.id, counter.action HAVING count(record.id) <> 1

UNION ALL
SELECT 'record_of_the_counter_has_its_transfer', 'audit_auditrecord', record.id::text, 'a transfer', record.subject_id
    FROM audit_auditrecord record
    WHERE %(keys)s::bigint[] IS NULL
        AND record.subject_type = 'wallets.transfer' AND record.action IN (SELECT action FROM counter)
        AND NOT EXISTS (SELECT FROM wallets_transfer transfer WHERE transfer.public_id::text = record.subject_id)

UNION ALL
SELECT 'escrow_of_a_round', 'wallets_account', escrow.id::text, escrow.round_reference::text, 'no round'
    FROM wallets_account escrow
    LEFT JOIN rounds_round round ON round.escrow_id = escrow.id AND round.commitment_id = escrow.round_reference
    WHERE escrow.kind = 'escrow' AND round.id IS NULL
        AND (%(keys)s::bigint[] IS NULL
             OR escrow.id IN (SELECT debit_account_id FROM looked_at UNION SELECT credit_account_id FROM looked_at))

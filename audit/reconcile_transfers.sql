-- Each transfer by itself: all of them, or those with the given keys. Each row: check, table, key, expected, found.
WITH looked_at AS NOT MATERIALIZED (
    SELECT * FROM wallets_transfer WHERE %(keys)s::bigint[] IS NULL OR id = ANY (%(keys)s::bigint[])
),
sided AS NOT MATERIALIZED (
    SELECT transfer.*, debit.id AS debit_id, debit.kind AS debit_kind, debit.currency AS debit_currency,
           credit.id AS credit_id, credit.kind AS credit_kind, credit.currency AS credit_currency
    FROM looked_at transfer
    LEFT JOIN wallets_account debit ON debit.id = transfer.debit_account_id
    LEFT JOIN wallets_account credit ON credit.id = transfer.credit_account_id
)

SELECT 'transfer_has_its_accounts' AS "check", 'wallets_transfer' AS "table", id::text AS key,
       'two accounts' AS expected, concat_ws(' and ', debit_account_id, credit_account_id) AS found
    FROM sided WHERE debit_id IS NULL OR credit_id IS NULL OR debit_id = credit_id

UNION ALL
SELECT 'transfer_has_its_accounts_currency', 'wallets_transfer', id::text,
       CASE WHEN currency = debit_currency THEN credit_currency ELSE debit_currency END, currency
    FROM sided WHERE currency <> debit_currency OR currency <> credit_currency

UNION ALL
SELECT 'transfer_goes_where_money_may_go', 'wallets_transfer', id::text, 'an allowed pair',
       concat_ws(' to ', debit_kind, credit_kind)
    FROM sided WHERE NOT transfer_pair_allowed(debit_kind, credit_kind)

UNION ALL
SELECT 'transfer_amount_in_bounds', 'wallets_transfer', id::text, '1 to 9007199254740991', amount_minor::text
    FROM looked_at WHERE amount_minor NOT BETWEEN 1 AND 9007199254740991

UNION ALL
SELECT 'reversal_mirrors_its_transfer', 'wallets_transfer', reversal.id::text,
       concat_ws(' ', original.amount_minor, original.credit_account_id, original.debit_account_id),
       concat_ws(' ', reversal.amount_minor, reversal.debit_account_id, reversal.credit_account_id)
    FROM looked_at reversal LEFT JOIN wallets_transfer original ON original.id = reversal.reversal_of_id
    WHERE reversal.reversal_of_id IS NOT NULL
        AND (original.credit_account_id, original.debit_account_id, original.amount_minor, original.reversal_of_id)
            IS DISTINCT FROM (reversal.debit_account_id, reversal.credit_account_id, reversal.amount_minor, NULL)

UNION ALL
SELECT 'transfer_is_reversed_once', 'wallets_transfer', reversal_of_id::text, '1', count(*)::text
    FROM wallets_transfer
    WHERE reversal_of_id IN (SELECT reversal_of_id FROM looked_at WHERE reversal_of_id IS NOT NULL)
    GROUP BY reversal_of_id HAVING count(*) > 1

UNION ALL
SELECT 'step_is_paid_once', 'rounds_roundstep', step_id::text, '1', count(*)::text
    FROM wallets_transfer
    WHERE step_id IN (SELECT step_id FROM looked_at WHERE step_id IS NOT NULL)
    GROUP BY step_id, index HAVING count(*) > 1

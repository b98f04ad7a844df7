-- One statement: every check sees the same moment. Each answers (check, table, key, expected, found) for the rows that fail it.
WITH line AS (
    SELECT statement.*, CASE direction WHEN 'in' THEN statement.amount_minor ELSE -statement.amount_minor END AS signed_minor,
           account.currency, account.balance_minor IS NOT NULL AS stored
    FROM wallets_statement statement JOIN wallets_account account ON account.id = statement.account_id
),
-- Each line against the one before it, so that of many lines only that deviates which was changed.
linked AS (
    SELECT transfer_id, sequence, balance_after_minor,
           lag(sequence, 1, 0::bigint) OVER of_account + 1 AS place,
           lag(balance_after_minor, 1, 0::bigint) OVER of_account + signed_minor AS expected_minor
    FROM line WHERE stored
    WINDOW of_account AS (PARTITION BY account_id ORDER BY sequence, transfer_id)
),
summed AS (
    SELECT account.id, account.kind, account.currency, account.balance_minor, account.sequence, account.closed_at,
           coalesce(sum(line.signed_minor), 0) AS sum_minor, count(line.transfer_id) AS transfers
    FROM wallets_account account LEFT JOIN line ON line.account_id = account.id
    GROUP BY account.id
)

SELECT 'account_balance_is_the_sum_of_its_transfers' AS "check", 'wallets_account' AS "table", id::text AS key,
       sum_minor::text AS expected, balance_minor::text AS found
    FROM summed WHERE balance_minor <> sum_minor

UNION ALL
SELECT 'account_sequence_counts_its_transfers', 'wallets_account', id::text, transfers::text, sequence::text
    FROM summed WHERE sequence <> transfers

UNION ALL
SELECT 'account_balance_not_negative', 'wallets_account', id::text, '0 or more', balance_minor::text
    FROM summed WHERE balance_minor < 0

UNION ALL
SELECT 'closed_escrow_is_empty', 'wallets_account', id::text, '0', coalesce(nullif(balance_minor, 0), sum_minor)::text
    FROM summed WHERE closed_at IS NOT NULL AND (balance_minor IS DISTINCT FROM 0 OR sum_minor <> 0)

UNION ALL
SELECT 'sequence_has_no_gap', 'wallets_transfer', transfer_id::text, place::text, sequence::text
    FROM linked WHERE sequence IS DISTINCT FROM place

UNION ALL
SELECT 'balance_after_follows_from_the_one_before', 'wallets_transfer', transfer_id::text, expected_minor::text,
       balance_after_minor::text
    FROM linked WHERE balance_after_minor IS DISTINCT FROM expected_minor

UNION ALL
SELECT 'hall_account_stores_no_balance', 'wallets_transfer', transfer_id::text, NULL, balance_after_minor::text
    FROM line WHERE NOT stored AND (sequence IS NOT NULL OR balance_after_minor IS NOT NULL)

UNION ALL
SELECT 'currency_sums_to_zero', 'currency', currency, '0', sum(coalesce(balance_minor, sum_minor))::text
    FROM summed GROUP BY currency HAVING sum(coalesce(balance_minor, sum_minor)) <> 0

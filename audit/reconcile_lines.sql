-- Transfers with the given keys as lines of their accounts, each against the line before it, and the accounts against their last
-- lines. What it costs follows from the number of keys, however long the accounts' statements are.
-- Each row: check, table, key, expected, found.
WITH line AS (
    SELECT half.*, account.balance_minor IS NOT NULL AS stored
    FROM (
        SELECT id, debit_account_id AS account_id, -amount_minor::numeric AS signed_minor, debit_sequence AS sequence,
               debit_balance_after_minor AS after_minor
            FROM wallets_transfer WHERE id = ANY (%(keys)s::bigint[])
        UNION ALL
        SELECT id, credit_account_id, amount_minor, credit_sequence, credit_balance_after_minor
            FROM wallets_transfer WHERE id = ANY (%(keys)s::bigint[])
    ) half JOIN wallets_account account ON account.id = half.account_id
),
linked AS (
    SELECT line.*, CASE WHEN line.sequence = 1 THEN 0 ELSE before.after_minor END AS before_minor
    FROM line
    LEFT JOIN LATERAL (
        SELECT debit_balance_after_minor AS after_minor FROM wallets_transfer
            WHERE debit_account_id = line.account_id AND debit_sequence = line.sequence - 1
        UNION ALL
        SELECT credit_balance_after_minor FROM wallets_transfer
            WHERE credit_account_id = line.account_id AND credit_sequence = line.sequence - 1
    ) before ON true
    WHERE line.stored
),
ended AS (
    SELECT account.id, account.balance_minor, account.sequence, account.closed_at, last.after_minor, last.sequence AS last_sequence
    FROM wallets_account account
    LEFT JOIN LATERAL (
        SELECT * FROM (
            (SELECT debit_sequence AS sequence, debit_balance_after_minor AS after_minor FROM wallets_transfer
                WHERE debit_account_id = account.id AND debit_sequence IS NOT NULL ORDER BY debit_sequence DESC LIMIT 1)
            UNION ALL
            (SELECT credit_sequence, credit_balance_after_minor FROM wallets_transfer
                WHERE credit_account_id = account.id AND credit_sequence IS NOT NULL ORDER BY credit_sequence DESC LIMIT 1)
        ) both_sides ORDER BY sequence DESC LIMIT 1
    ) last ON true
    WHERE account.id IN (SELECT account_id FROM line WHERE stored)
)

SELECT 'sequence_has_no_gap' AS "check", 'wallets_transfer' AS "table", id::text AS key,
       'one after another line' AS expected, sequence::text AS found
    FROM linked WHERE sequence IS NULL OR sequence < 1 OR before_minor IS NULL

UNION ALL
SELECT 'balance_after_follows_from_the_one_before', 'wallets_transfer', id::text, (before_minor + signed_minor)::text,
       after_minor::text
    FROM linked WHERE after_minor IS DISTINCT FROM before_minor + signed_minor

UNION ALL
SELECT 'hall_account_stores_no_balance', 'wallets_transfer', id::text, NULL, after_minor::text
    FROM line WHERE NOT stored AND (sequence IS NOT NULL OR after_minor IS NOT NULL)

UNION ALL
SELECT 'account_balance_is_the_sum_of_its_transfers', 'wallets_account', id::text, after_minor::text, balance_minor::text
    FROM ended WHERE balance_minor IS DISTINCT FROM after_minor

UNION ALL
SELECT 'account_sequence_counts_its_transfers', 'wallets_account', id::text, last_sequence::text, sequence::text
    FROM ended WHERE sequence IS DISTINCT FROM last_sequence

UNION ALL
SELECT 'account_balance_not_negative', 'wallets_account', id::text, '0 or more', balance_minor::text
    FROM ended WHERE balance_minor < 0

UNION ALL
SELECT 'closed_escrow_is_empty', 'wallets_account', id::text, '0', balance_minor::text
    FROM ended WHERE closed_at IS NOT NULL AND balance_minor IS DISTINCT FROM 0

-- Whose an account is, a player's or a hall's: what seats and movements over the counter say, against its row. All accounts, or
-- those of the transfers with the given keys and of the line before each on either side, which tells when one has changed hands.
-- Each row: check, table, key, expected, found.
WITH given AS (
    SELECT id, debit_account_id, debit_sequence, credit_account_id, credit_sequence
    FROM wallets_transfer WHERE id = ANY (%(keys)s::bigint[])
),
known AS (
    SELECT id FROM given
    UNION
    SELECT before.id FROM given CROSS JOIN LATERAL (
        SELECT id FROM wallets_transfer
            WHERE debit_account_id = given.debit_account_id AND debit_sequence = given.debit_sequence - 1
        UNION ALL
        SELECT id FROM wallets_transfer
            WHERE credit_account_id = given.debit_account_id AND credit_sequence = given.debit_sequence - 1
        UNION ALL
        SELECT id FROM wallets_transfer
            WHERE debit_account_id = given.credit_account_id AND debit_sequence = given.credit_sequence - 1
        UNION ALL
        SELECT id FROM wallets_transfer
            WHERE credit_account_id = given.credit_account_id AND credit_sequence = given.credit_sequence - 1
    ) before
),
looked_at AS NOT MATERIALIZED (
    SELECT * FROM wallets_transfer WHERE %(keys)s::bigint[] IS NULL OR id = ANY (ARRAY(SELECT id FROM known))
),
seat AS NOT MATERIALIZED (
    SELECT id, account_id, user_id FROM rounds_roundseat WHERE %(keys)s::bigint[] IS NULL
    UNION ALL
    SELECT seat.id, seat.account_id, seat.user_id
        FROM looked_at transfer
        JOIN rounds_roundstep step ON step.id = transfer.step_id
        JOIN rounds_roundseat seat ON seat.round_id = step.round_id
            AND seat.account_id IN (transfer.debit_account_id, transfer.credit_account_id)
        WHERE %(keys)s::bigint[] IS NOT NULL
),
-- The player's side of each movement over the counter, with what the trail says of it. Old records name no player.
counter AS (
    SELECT transfer.id, CASE debit.kind WHEN 'cage' THEN credit.id ELSE debit.id END AS account_id,
           CASE debit.kind WHEN 'cage' THEN credit.public_id ELSE debit.public_id END AS public_id,
           CASE debit.kind WHEN 'cage' THEN credit.user_id ELSE debit.user_id END AS user_id,
           CASE debit.kind WHEN 'cage' THEN debit.id ELSE credit.id END AS cage_id,
           CASE debit.kind WHEN 'cage' THEN debit.hall_id ELSE credit.hall_id END AS hall_id, record.hall_id AS told_hall,
           record.after ->> 'account_id' AS told_account, record.after ->> 'player_id' AS told_player
    FROM looked_at transfer
    JOIN wallets_account debit ON debit.id = transfer.debit_account_id
    JOIN wallets_account credit ON credit.id = transfer.credit_account_id
    JOIN audit_auditrecord record ON record.subject_type = 'wallets.transfer' AND record.subject_id = transfer.public_id::text
        AND record.action IN ('deposit_created', 'withdrawal_created', 'deposit_reversed')
    WHERE 'cage' IN (debit.kind, credit.kind)
)

SELECT 'account_is_its_players' AS "check", 'wallets_account' AS "table", account.id::text AS key,
       concat('player ', player.public_id, ', as seat ', seat.id) AS expected, 'player ' || owner.public_id AS found
    FROM seat
    JOIN wallets_account account ON account.id = seat.account_id
    LEFT JOIN users_user player ON player.id = seat.user_id
    LEFT JOIN users_user owner ON owner.id = account.user_id
    WHERE account.user_id IS DISTINCT FROM seat.user_id

UNION
SELECT 'account_is_its_players', 'wallets_account', account_id::text,
       concat('player ', told_player, ', as the record of transfer ', counter.id), 'player ' || owner.public_id
    FROM counter LEFT JOIN users_user owner ON owner.id = counter.user_id
    WHERE told_player IS DISTINCT FROM owner.public_id::text AND told_player IS NOT NULL

UNION
SELECT 'counter_moves_the_account_of_its_record', 'wallets_transfer', id::text, told_account, public_id::text
    FROM counter WHERE told_account <> public_id::text

UNION
SELECT 'cage_is_its_halls', 'wallets_account', cage_id::text,
       concat('hall ', told_hall, ', as the record of transfer ', id), 'hall ' || hall_id
    FROM counter WHERE told_hall <> hall_id

-- Rounds against their steps and against the ledger: all of them, or those with the given keys.
-- Each row: check, table, key, expected, found.
WITH looked_at AS NOT MATERIALIZED (
    SELECT * FROM rounds_round WHERE %(keys)s::bigint[] IS NULL OR id = ANY (%(keys)s::bigint[])
),
chain AS (
    SELECT step.round_id, step.seq, step.hash, step.previous_hash,
        lag(step.hash) OVER of_round AS hash_before,
        row_number() OVER of_round - 1 AS place
    FROM rounds_roundstep step JOIN looked_at round ON round.id = step.round_id
    WINDOW of_round AS (PARTITION BY step.round_id ORDER BY step.seq)
),
-- What moved between a seat and its round's escrow. That no money enters or leaves an escrow but by a step is checked by transfers.
moved AS (
    SELECT seat.id AS seat_id,
        coalesce(sum(t.amount_minor) FILTER (WHERE t.debit_account_id = seat.account_id), 0)
            - coalesce(sum(t.amount_minor) FILTER (WHERE t.credit_account_id = seat.account_id AND t.code = 'release.unplaced'), 0)
            AS staked,
        coalesce(sum(t.amount_minor) FILTER (WHERE t.credit_account_id = seat.account_id AND t.code <> 'release.unplaced'), 0)
            AS returned
    FROM looked_at round
    JOIN rounds_roundseat seat ON seat.round_id = round.id
    LEFT JOIN (rounds_roundstep step JOIN wallets_transfer t ON t.step_id = step.id)
        ON step.round_id = round.id AND round.escrow_id IN (t.debit_account_id, t.credit_account_id)
        AND seat.account_id IN (t.debit_account_id, t.credit_account_id)
    GROUP BY seat.id
)
SELECT 'round_step_order', 'rounds_roundstep', round_id || '/' || seq, place::text, seq::text
FROM chain WHERE seq <> place

UNION ALL
SELECT 'round_chain_linked', 'rounds_roundstep', round_id || '/' || seq, hash_before, previous_hash
FROM chain WHERE hash_before <> previous_hash

UNION ALL
SELECT 'round_at_last_step', 'rounds_round', round.id::text, last.seq || ' ' || last.hash, round.seq || ' ' || round.last_hash
FROM looked_at round
LEFT JOIN LATERAL (SELECT seq, hash FROM rounds_roundstep WHERE round_id = round.id ORDER BY seq DESC LIMIT 1) last ON true
WHERE (last.seq, last.hash) IS DISTINCT FROM (round.seq, round.last_hash)

UNION ALL
SELECT 'round_escrow_is_held', 'rounds_round', round.id::text, sum(seat.held_minor)::text, escrow.balance_minor::text
FROM looked_at round
JOIN rounds_roundseat seat ON seat.round_id = round.id
JOIN wallets_account escrow ON escrow.id = round.escrow_id
GROUP BY round.id, escrow.balance_minor HAVING sum(seat.held_minor) <> escrow.balance_minor

UNION ALL
SELECT 'round_closed_with_escrow_and_record', 'rounds_round', round.id::text,
    (round.status <> 'open')::text, concat_ws(' ', escrow.closed_at IS NOT NULL, record.round_id IS NOT NULL)
FROM looked_at round
JOIN wallets_account escrow ON escrow.id = round.escrow_id
LEFT JOIN rounds_roundrecord record ON record.round_id = round.id
WHERE (escrow.closed_at IS NOT NULL) <> (round.status <> 'open') OR (record.round_id IS NOT NULL) <> (round.status <> 'open')

UNION ALL
SELECT 'seat_money_is_moved', 'rounds_roundseat', seat.id::text,
    moved.staked || ' ' || moved.returned, seat.staked_minor || ' ' || seat.returned_minor
FROM rounds_roundseat seat JOIN moved ON moved.seat_id = seat.id
WHERE (moved.staked, moved.returned) IS DISTINCT FROM (seat.staked_minor::numeric, seat.returned_minor::numeric)

UNION ALL
SELECT 'round_has_its_seats', 'rounds_round', id::text, in_head::text, seats::text
FROM (
    SELECT id, (SELECT count(*) FROM rounds_roundseat seat WHERE seat.round_id = round.id) AS seats,
        -- What is no list has no length, and to ask for it would end the whole look.
        CASE jsonb_typeof(head -> 'seats') WHEN 'array' THEN jsonb_array_length(head -> 'seats') END AS in_head
    FROM looked_at round
) seated
WHERE in_head IS DISTINCT FROM seats

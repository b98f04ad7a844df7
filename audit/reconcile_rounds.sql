-- Rounds against their steps and against the ledger. Each row: check, table, key, expected, found.

WITH chain AS (
    SELECT step.round_id, step.seq, step.hash, step.previous_hash,
        lag(step.hash) OVER of_round AS hash_before,
        row_number() OVER of_round - 1 AS place
    FROM rounds_roundstep step
    WINDOW of_round AS (PARTITION BY step.round_id ORDER BY step.seq)
),
held AS (
    SELECT debit_account_id AS account_id, credit_account_id AS escrow_id, sum(amount_minor) AS sum_minor
    FROM wallets_transfer GROUP BY 1, 2
),
released AS (
    SELECT credit_account_id AS account_id, debit_account_id AS escrow_id,
        coalesce(sum(amount_minor) FILTER (WHERE code = 'release.unplaced'), 0) AS unplaced_minor,
        coalesce(sum(amount_minor) FILTER (WHERE code <> 'release.unplaced'), 0) AS sum_minor
    FROM wallets_transfer GROUP BY 1, 2
),
moved AS (
    SELECT seat.id AS seat_id,
        coalesce(held.sum_minor, 0) - coalesce(released.unplaced_minor, 0) AS staked, coalesce(released.sum_minor, 0) AS returned
    FROM rounds_roundseat seat
    JOIN rounds_round round ON round.id = seat.round_id
    LEFT JOIN held ON (held.account_id, held.escrow_id) = (seat.account_id, round.escrow_id)
    LEFT JOIN released ON (released.account_id, released.escrow_id) = (seat.account_id, round.escrow_id)
)
SELECT 'round_step_order', 'rounds_roundstep', round_id || '/' || seq, place::text, seq::text
FROM chain WHERE seq <> place

UNION ALL
SELECT 'round_chain_linked', 'rounds_roundstep', round_id || '/' || seq, hash_before, previous_hash
FROM chain WHERE hash_before <> previous_hash

UNION ALL
SELECT 'round_at_last_step', 'rounds_round', round.id::text, last.seq || ' ' || last.hash, round.seq || ' ' || round.last_hash
FROM rounds_round round
LEFT JOIN LATERAL (SELECT seq, hash FROM rounds_roundstep WHERE round_id = round.id ORDER BY seq DESC LIMIT 1) last ON true
WHERE (last.seq, last.hash) IS DISTINCT FROM (round.seq, round.last_hash)

UNION ALL
SELECT 'round_escrow_is_held', 'rounds_round', round.id::text, sum(seat.held_minor)::text, escrow.balance_minor::text
FROM rounds_round round
JOIN rounds_roundseat seat ON seat.round_id = round.id
JOIN wallets_account escrow ON escrow.id = round.escrow_id
GROUP BY round.id, escrow.balance_minor HAVING sum(seat.held_minor) <> escrow.balance_minor

UNION ALL
SELECT 'round_closed_with_escrow_and_record', 'rounds_round', round.id::text,
    (round.status <> 'open')::text, concat_ws(' ', escrow.closed_at IS NOT NULL, record.round_id IS NOT NULL)
FROM rounds_round round
JOIN wallets_account escrow ON escrow.id = round.escrow_id
LEFT JOIN rounds_roundrecord record ON record.round_id = round.id
WHERE (escrow.closed_at IS NOT NULL) <> (round.status <> 'open') OR (record.round_id IS NOT NULL) <> (round.status <> 'open')

UNION ALL
SELECT 'seat_money_is_moved', 'rounds_roundseat', seat.id::text,
    moved.staked || ' ' || moved.returned, seat.staked_minor || ' ' || seat.returned_minor
FROM rounds_roundseat seat JOIN moved ON moved.seat_id = seat.id
WHERE (moved.staked, moved.returned) IS DISTINCT FROM (seat.staked_minor::numeric, seat.returned_minor::numeric)

UNION ALL
SELECT 'escrow_moves_by_step', 'wallets_transfer', t.id::text, escrow.id::text, coalesce(round.escrow_id::text, 'no step')
FROM wallets_transfer t
JOIN wallets_account escrow ON escrow.kind = 'escrow' AND escrow.id IN (t.debit_account_id, t.credit_account_id)
LEFT JOIN rounds_roundstep step ON step.id = t.step_id
LEFT JOIN rounds_round round ON round.id = step.round_id
WHERE round.escrow_id IS DISTINCT FROM escrow.id

UNION ALL
SELECT 'step_moves_escrow', 'wallets_transfer', t.id::text, 'an escrow', t.step_id::text
FROM wallets_transfer t
WHERE t.step_id IS NOT NULL AND NOT EXISTS (
    SELECT FROM wallets_account a WHERE a.kind = 'escrow' AND a.id IN (t.debit_account_id, t.credit_account_id))

UNION ALL
SELECT 'escrow_of_a_round', 'wallets_account', escrow.id::text, escrow.round_reference::text, 'no round'
FROM wallets_account escrow
LEFT JOIN rounds_round round ON round.escrow_id = escrow.id AND round.commitment_id = escrow.round_reference
WHERE escrow.kind = 'escrow' AND round.id IS NULL

"""A hundred thousand closed rounds for tests of plans: rows that look like those of play, written at once below the triggers."""

import psycopg

from tests import playing
from tests.hall_builders import GAME

ROUNDS, PLAYERS = 100_000, 2_000


def rounds_load(superuser: "psycopg.Connection[tuple[object, ...]]", rounds: int = ROUNDS, players: int = PLAYERS) -> None:
    """Write rounds of one game against the house, a minute apart, one of a hundred voided and one of fifty with a time-out."""
    halls = playing.halls()
    playing.open_round(playing.player(halls["first"]), halls["first"])
    with superuser.transaction():
        superuser.execute("SET LOCAL session_replication_role = replica")
        superuser.execute(
            "INSERT INTO users_user (public_id, username, password, is_active, is_house_bot, created_at)"
            " SELECT gen_random_uuid(), 'player-' || n, '!', true, false, now() FROM generate_series(1, %s) AS n",
            [players],
        )
        for statement in _LOAD.split(";\n"):
            superuser.execute(statement, {"rounds": rounds, "players": players, "game": GAME})
    superuser.execute("VACUUM ANALYZE")


_LOAD = """
CREATE TEMP TABLE made ON COMMIT DROP AS
    SELECT n, 1000000 + n AS id, gen_random_uuid() AS round_id, 1 + n %% 3 AS hall,
        timestamptz '2025-01-01 00:00Z' + n * interval '1 minute' AS opened_at,
        (SELECT min(id) FROM users_user WHERE username LIKE 'player-%%') + (n * 7919) %% %(players)s AS user_id,
        CASE WHEN n %% 100 = 0 THEN 'voided' ELSE 'settled' END AS status,
        100 * (1 + n %% 50) AS staked,
        CASE WHEN n %% 100 = 0 THEN 100 * (1 + n %% 50) WHEN n %% 1000 = 1 THEN 1000000 + n
             WHEN n %% 1000 = 2 THEN 100 * (1 + n %% 50)
             ELSE 200 * (1 + n %% 50) * (n %% 2) END AS returned
    FROM generate_series(1, %(rounds)s) AS n;
INSERT INTO rounds_commitment (round_id, user_id, hall_id, game, status, seed_hash, seed_secret, discard_reason)
    SELECT round_id, user_id, (SELECT id FROM halls_hall ORDER BY id OFFSET hall - 1 LIMIT 1), %(game)s, 'used', '', '', ''
    FROM made;
INSERT INTO rounds_round (id, commitment_id, game, rules_version, engine_digest, hall_id, limit_set_id, pay_table_id, escrow_id,
        currency, head, status, seq, last_hash, state_secret, opened_at, acted_at, closed_at)
    SELECT made.id, round_id, CASE WHEN n %% 200 = 0 THEN 'rapira' ELSE %(game)s END, 1, '', commitment.hall_id, 1, 1, made.id,
        'EUR', '{}', made.status, 2, '', '', opened_at, opened_at, opened_at + interval '30 seconds'
    FROM made JOIN rounds_commitment commitment USING (round_id);
INSERT INTO rounds_roundseat (round_id, index, user_id, hall_id, account_id, client_seed, is_open, turn, missed, hidden_steps,
        staked_minor, returned_minor, held_minor)
    SELECT made.id, 0, made.user_id, hall_id, 1, '', false, 2, 0, 0, staked, returned, 0
    FROM made JOIN rounds_round ON rounds_round.id = made.id;
INSERT INTO rounds_roundstep (round_id, seq, at, seat, turn, origin, secret, previous_hash, hash)
    SELECT id, seq, opened_at, 0, seq, CASE WHEN seq = 2 AND n %% 50 = 0 THEN 'timeout' ELSE 'player' END, '', '', ''
    FROM made, generate_series(0, 2) AS seq;
INSERT INTO rounds_roundrecord (round_id, document, record_hash) SELECT id, '{}', '' FROM made;
INSERT INTO audit_auditfinding (public_id, check_name, severity, subject_type, subject_id, evidence, status, times_seen,
        resolution)
    SELECT gen_random_uuid(), 'a_check', 'warning', type, id, '{}'::jsonb, 'open', 1, ''
    FROM (SELECT 'rounds.round' AS type, round_id::text AS id FROM made WHERE n %% 10000 = 1
          UNION ALL SELECT 'wallets.account', n::text FROM generate_series(1, 1000) AS n) AS subject
"""

"""What the database itself refuses of rounds, whoever asks; and what reads wrong when a secret was put in another's place."""

import random
from uuid import uuid4

import psycopg
import pytest
from django.db import DatabaseError, connection, transaction

from casino.users.models import User
from games.halls.models import Hall
from games.rounds import cipher
from games.rounds.models import Commitment, Round, RoundRecord, RoundStep
from tests import playing
from tests.playing import open_round, play_out

TABLES = ("rounds_commitment", "rounds_round", "rounds_roundseat", "rounds_roundstep", "rounds_roundrecord")


def assert_refused(name: str, sql: str, parameters: list[object] | None = None) -> None:
    with pytest.raises(DatabaseError, match=name), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(sql, parameters)


@pytest.mark.parametrize(
    ("guard", "change"),
    [
        ("is what it was opened as|plays on as it was opened", "rounds_round SET head = '{}'"),
        ("plays on as it was opened", "rounds_round SET hall_id = hall_id + 1"),
        ("plays on as it was opened", "rounds_round SET opened_at = opened_at - interval '1 second'"),
        ("plays on as it was opened", "rounds_round SET engine_digest = repeat('0', 64)"),
        ("rounds_round_closed_has_a_time", "rounds_round SET status = 'settled'"),
        ("rounds_round_closed_has_a_time", "rounds_round SET closed_at = now()"),
        ("stays whose it is", "rounds_roundseat SET client_seed = 'another'"),
        ("stays whose it is", "rounds_roundseat SET account_id = account_id + 1"),
        ("rounds_seat_closed_is_empty", "rounds_roundseat SET is_open = false"),
        ("is spent once", "rounds_commitment SET seed_hash = repeat('0', 64)"),
        ("is spent once", "rounds_commitment SET status = 'unused' WHERE status = 'used'"),
        ("rounds_commitment_discarded_for_a_reason", "rounds_commitment SET status = 'discarded' WHERE status = 'unused'"),
        ("permission denied", "rounds_roundstep SET hash = repeat('0', 64)"),
    ],
)
def test_an_open_round_changes_only_by_playing_on(hall: Hall, player: User, guard: str, change: str) -> None:
    open_round(player, hall, playing.FOUR_BOXES)
    assert_refused(guard, f"UPDATE {change}")


@pytest.mark.parametrize("table", TABLES)
def test_nothing_of_a_round_is_deleted(hall: Hall, player: User, table: str) -> None:
    play_out(player, open_round(player, hall).round_id, random.Random(1))
    assert_refused("stays|permission denied", f"DELETE FROM {table}")
    assert_refused("permission denied", f"TRUNCATE {table} CASCADE")


def test_a_closed_round_is_final(hall: Hall, player: User) -> None:
    play_out(player, open_round(player, hall).round_id, random.Random(1))
    assert_refused("is closed", "UPDATE rounds_round SET status = 'open', closed_at = NULL")
    assert_refused("is closed", "UPDATE rounds_round SET seq = seq + 1")
    assert_refused("left once", "UPDATE rounds_roundseat SET returned_minor = returned_minor + 1")
    assert_refused("permission denied", "UPDATE rounds_roundrecord SET document = '{}'")


def test_even_the_owner_cannot_rewrite_steps_and_records(
    committed_db: str, owner_connection: "psycopg.Connection[tuple[object, ...]]"
) -> None:
    hall = playing.halls()["first"]
    player = playing.player(hall)
    play_out(player, open_round(player, hall).round_id, random.Random(1))
    for table in ("rounds_roundstep", "rounds_roundrecord"):
        for sql in (f"DELETE FROM {table}", f"TRUNCATE {table} CASCADE", f"UPDATE {table} SET round_id = round_id"):
            with pytest.raises(psycopg.errors.RestrictViolation, match="append-only"):
                owner_connection.execute(sql)
    for table in TABLES[:3]:
        with pytest.raises(psycopg.errors.RestrictViolation, match="stays"):
            owner_connection.execute(f"TRUNCATE {table} CASCADE")


def test_one_open_seat_per_player_and_hall_and_one_step_per_turn(hall: Hall, player: User) -> None:
    open_round(player, hall)
    copy = "SELECT nextval(pg_get_serial_sequence('rounds_roundstep', 'id')), at, seat, {turn}, origin, secret, {seq}"
    columns = "id, at, seat, turn, origin, secret, seq, previous_hash, hash, available_minor, round_id"
    rest = "previous_hash, hash, available_minor, round_id FROM rounds_roundstep"
    assert_refused(
        "rounds_step_one_per_turn",
        f"INSERT INTO rounds_roundstep ({columns}) {copy.format(turn='turn', seq='seq + 1')}, {rest}",
    )
    assert_refused(
        "rounds_step_seq", f"INSERT INTO rounds_roundstep ({columns}) {copy.format(turn='turn + 1', seq='seq')}, {rest}"
    )


def test_a_secret_put_in_anothers_place_is_refused(hall: Hall, player: User) -> None:
    step = open_round(player, hall)
    row = Round.objects.get(commitment_id=step.round_id)
    made = RoundStep.objects.get(round=row)
    assert cipher.unseal(row.public_id, "step 0", made.secret)["action"] == {"type": "open"}
    for round_id, label, secret in (
        (uuid4(), "step 0", made.secret),
        (row.public_id, "step 1", made.secret),
        (row.public_id, "step 0", row.state_secret),
        (row.public_id, "step 0", bytes(made.secret)[:-1] + b"A"),
        (row.public_id, "step 0", b""),
    ):
        with pytest.raises(cipher.Tampered):
            cipher.unseal(round_id, label, secret)


def test_while_a_round_is_open_no_column_holds_its_cards_or_its_seed(hall: Hall, player: User) -> None:
    step = open_round(player, hall, playing.FOUR_BOXES)
    seed = cipher.unseal(step.round_id, "seed", Commitment.objects.get(pk=step.round_id).seed_secret)
    row = Round.objects.get(commitment_id=step.round_id)
    deck = cipher.unseal(row.public_id, "state 0", row.state_secret)["state"]["deck"]
    with connection.cursor() as cursor:
        for table in TABLES:
            cursor.execute(f"SELECT t::text FROM {table} t")
            kept = "".join(text for (text,) in cursor.fetchall())
            assert seed not in kept
            assert deck[:12] not in kept
    assert not RoundRecord.objects.exists()

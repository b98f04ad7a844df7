"""What the database itself refuses of tables, and of rounds at tables, whoever asks."""

import psycopg
import pytest
from django.db import DatabaseError, connection, models, transaction

from games.halls.models import Hall
from games.rounds.commitments import commitment_create
from games.rounds.models import Commitment, Round, RoundSeat
from games.tables.models import Table, TableEvent, TableSeat
from games.tables.services import table_leave
from tests import playing
from tests.table_builders import Game, make

TABLES = ("tables_table", "tables_tableseat", "tables_tableevent")


def assert_refused(name: str, sql: str) -> None:
    with pytest.raises(DatabaseError, match=name), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(sql)


def copied(model: type[models.Model], **changes: str) -> str:
    """A statement that inserts a copy of the newest row, with other expressions in some columns."""
    names = [field.column for field in model._meta.concrete_fields if not isinstance(field, models.AutoField)]
    columns = ", ".join(f'"{name}"' for name in names)
    values = ", ".join(changes.get(name, f'"{name}"') for name in names)
    table, key = model._meta.db_table, model._meta.pk.column
    return f"INSERT INTO {table} ({columns}) SELECT {values} FROM {table} ORDER BY {key} DESC LIMIT 1"


@pytest.mark.parametrize(
    "change",
    [
        "convention = '{}'",
        "stake_kind = 'other'",
        "stake_minor = stake_minor + 1",
        "most_to_lose_minor = most_to_lose_minor + 1",
        "seats = seats + 1",
        "rake = '{}'",
        "allows_spectators = NOT allows_spectators",
        "game = 'other'",
        "hall_id = hall_id + 1",
        "public_id = gen_random_uuid()",
        "created_by_id = created_by_id + 1",
        "created_at = created_at - interval '1 second'",
        "id = id + 1",
        "seq = seq - 1",
    ],
)
def test_what_is_agreed_at_a_table_stays(hall: Hall, change: str) -> None:
    make(hall)
    assert_refused("stays as it was agreed", f"UPDATE tables_table SET {change}")


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("tables_table_closed_has_a_time", "status = 'closed'"),
        ("tables_table_closed_has_a_time", "closed_at = now()"),
        ("tables_table_closed_has_a_time", "status = 'other'"),
    ],
)
def test_a_table_is_closed_when_it_has_a_time_of_closing(hall: Hall, name: str, change: str) -> None:
    make(hall)
    assert_refused(name, f"UPDATE tables_table SET {change}")


@pytest.mark.parametrize(
    ("name", "column", "value"),
    [
        ("tables_table_for_several", "seats", "1"),
        ("tables_table_stake_positive", "stake_minor", "0"),
        ("tables_table_public_id", "public_id", "public_id"),
    ],
)
def test_no_table_is_made_that_makes_no_sense(hall: Hall, name: str, column: str, value: str) -> None:
    make(hall)
    changes = {"public_id": "gen_random_uuid()", column: value}
    assert_refused(name, copied(Table, **changes))


def test_a_closed_table_stays_closed(hall: Hall) -> None:
    make(hall)
    with connection.cursor() as cursor:
        cursor.execute("UPDATE tables_table SET status = 'closed', closed_at = now(), closes_at = NULL")
    assert_refused("is closed once", "UPDATE tables_table SET status = 'open', closed_at = NULL")
    assert_refused("is closed once", "UPDATE tables_table SET seq = seq + 1")


@pytest.mark.parametrize(
    "change",
    [
        "user_id = user_id + 1",
        "table_id = table_id + 1",
        "index = index + 1",
        "sat_at = sat_at - interval '1 second'",
        "id = -id",
    ],
)
def test_a_stay_stays_whose_it_is(hall: Hall, change: str) -> None:
    Game.seated(hall)
    assert_refused("stays whose it is", f"UPDATE tables_tableseat SET {change}")


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("tables_seat_left_waits_for_none", "left_at = now() + interval '1 day', is_ready = true, ready_by = NULL"),
        ("tables_seat_left_waits_for_none", "left_at = now() + interval '1 day', is_ready = false, ready_by = now()"),
        ("tables_seat_left_after_sitting", "left_at = sat_at - interval '1 second', ready_by = NULL"),
    ],
)
def test_a_stay_is_in_one_state(hall: Hall, name: str, change: str) -> None:
    Game.seated(hall)
    assert_refused(name, f"UPDATE tables_tableseat SET {change}")


def test_a_seat_is_taken_by_one_and_a_player_sits_once_at_a_table(hall: Hall) -> None:
    Game.seated(hall, 3)
    stranger = playing.player(hall, 0)
    assert_refused("tables_seat_taken_once", copied(TableSeat, user_id=str(stranger.pk)))
    assert_refused("tables_seat_one_per_player", copied(TableSeat, index="5"))


def test_a_stay_is_left_once(hall: Hall) -> None:
    game = Game.seated(hall)
    table_leave(user=game.players[0], table_id=game.table_id, now=game.clock())
    assert_refused("left once", "UPDATE tables_tableseat SET left_at = NULL WHERE left_at IS NOT NULL")
    assert_refused("left once", "UPDATE tables_tableseat SET client_seed = 'x' WHERE left_at IS NOT NULL")


def test_a_tables_events_have_one_number_each_and_are_never_rewritten(hall: Hall) -> None:
    make(hall)
    assert_refused("tables_event_seq", copied(TableEvent))
    assert_refused("permission denied", "UPDATE tables_tableevent SET data = '{}'")


@pytest.mark.parametrize("table", TABLES)
def test_nothing_of_a_table_is_deleted(hall: Hall, table: str) -> None:
    Game.seated(hall)
    assert_refused("permission denied", f"DELETE FROM {table}")
    assert_refused("permission denied", f"TRUNCATE {table} CASCADE")


def test_even_the_owner_neither_deletes_nor_truncates_nor_rewrites(
    committed_db: str, owner_connection: "psycopg.Connection[tuple[object, ...]]"
) -> None:
    Game.seated(playing.halls()["first"])
    for table, word in (("tables_tableevent", "append-only"), ("tables_tableseat", "stays"), ("tables_table", "stays")):
        for sql in (f"DELETE FROM {table}", f"TRUNCATE {table} CASCADE"):
            with pytest.raises(psycopg.errors.RestrictViolation, match=word):
                owner_connection.execute(sql.encode())
    with pytest.raises(psycopg.errors.RestrictViolation, match="append-only"):
        owner_connection.execute("UPDATE tables_tableevent SET data = '{}'")


@pytest.mark.parametrize("table", ["rounds_commitment", "rounds_round", "rounds_roundseat"])
def test_what_belongs_to_a_table_belongs_to_no_other(hall: Hall, table: str) -> None:
    Game.opened(hall)
    other = make(hall).table.pk
    for value in (str(other), "NULL"):
        assert_refused("is spent once|as it was opened|stays whose", f"UPDATE {table} SET table_id = {value}")


def test_a_commitment_is_a_players_or_a_tables(hall: Hall) -> None:
    player = playing.player(hall, 0)
    make(hall)
    for user, table in ((str(player.pk), "table_id"), ("NULL", "NULL")):
        changes = {"round_id": "gen_random_uuid()", "status": "'used'", "user_id": user, "table_id": table}
        assert_refused("rounds_commitment_of_a_player_or_a_table", copied(Commitment, **changes))


def test_a_table_has_one_unused_commitment_and_one_open_round(hall: Hall) -> None:
    game, fresh = Game.opened(hall), {"round_id": "gen_random_uuid()", "follows_id": "NULL"}
    assert_refused("rounds_commitment_one_unused_at_table", copied(Commitment, status="'unused'", **fresh))
    with transaction.atomic():
        free = commitment_create(hall=hall, game="other", user=game.players[0])
    assert_refused(
        "rounds_round_one_open_per_table", copied(Round, commitment_id=f"'{free.round_id}'", escrow_id="escrow_id + 1000")
    )


def test_a_player_has_one_open_seat_per_table_besides_one_against_the_house(hall: Hall) -> None:
    game = Game.opened(hall)
    player = game.players[1]
    playing.open_round(player, hall)
    Game.opened(hall)
    assert RoundSeat.objects.filter(user=player, is_open=True).count() == 2
    last = RoundSeat.objects.filter(table__isnull=False).order_by("-pk").values_list("user_id", flat=True)[0]
    assert RoundSeat.objects.order_by("-pk").values_list("user_id", flat=True)[0] == last
    assert_refused("rounds_seat_one_open_per_player_and_table", copied(RoundSeat, index="5"))

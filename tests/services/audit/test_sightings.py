"""What staff is shown of players is written down before it is shown, whatever it is read from."""

from random import Random
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest
from django.db import DatabaseError, IntegrityError, connection, connections
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from audit.models import Sighting
from audit.sightings.selectors import sighting_list
from casino.permissions import Role
from casino.users.models import User
from games.halls.models import Hall
from tests import playing, table_builders
from tests.user_builders import bearer, token
from wallets.models import Account


@pytest.fixture
def hall(db: None) -> Hall:
    return playing.halls()["first"]


@pytest.fixture
def player(hall: Hall) -> User:
    return playing.player(hall)


def client_of(who: User) -> APIClient:
    """A client with a token, which streams go by."""
    return bearer(token(who))


def seen(**filters: Any) -> list[tuple[str, str, list[str]]]:
    rows = Sighting.objects.filter(**filters).order_by("pk")
    return [(row.subject_type, row.subject_id, row.players) for row in rows]


def get(client: APIClient, path: str, status: int = 200, **query: Any) -> Any:
    answer = client.get(f"/api/v1/{path}", query)
    assert answer.status_code == status, answer
    return answer


def paths(hall: Hall, player: User) -> dict[str, tuple[str, str]]:
    """What staff reads of one player, with the type and id under which it is noted."""
    game = table_builders.Game.opened(hall, 2)
    open_round = playing.open_round(player, hall).round_id
    closed = playing.open_round(game.players[0], hall).round_id
    playing.play_out(game.players[0], closed, Random(1))
    account = Account.objects.get(user=player).public_id
    one = {
        f"users/{player.public_id}": ("users.user", player.public_id),
        f"players/{player.public_id}/accounts": ("users.user", player.public_id),
        f"accounts/{account}/transfers": ("wallets.account", account),
        f"audit/rounds/{closed}/replay": ("rounds.round", closed),
        f"rounds/{closed}/record": ("rounds.round", closed),
        f"audit/rounds/{closed}": ("rounds.round", closed),
        f"audit/rounds/{closed}/steps": ("rounds.round", closed),
    }
    one |= {f"rounds/{open_round}{part}": ("rounds.round", open_round) for part in ("", "/steps", "/stream")}
    one |= {f"tables/{game.table_id}{part}": ("tables.table", game.table_id) for part in ("", "/events", "/stream")}
    return {path: (kind, str(key)) for path, (kind, key) in one.items()}


def test_every_reading_of_one_thing_of_a_players_is_noted(hall: Hall, player: User) -> None:
    watcher = playing.user_with(Role.AUDITOR, name="watcher")
    client = client_of(watcher)
    for path, (kind, key) in paths(hall, player).items():
        get(client, path)
        row = Sighting.objects.get(path=f"/api/v1/{path}")
        assert (row.subject_type, row.subject_id, row.viewer, row.viewer_name) == (kind, key, watcher, "watcher")
        assert row.players and row.address == "127.0.0.1" and row.request_id
    of_player = {row.path.removeprefix("/api/v1/").partition("/")[0] for row in sighting_list(player_id=player.public_id)}
    assert of_player == {"users", "players", "accounts", "rounds"}


@pytest.mark.parametrize("path", ["rounds", "tables", "audit/records", "audit/sightings"])
def test_a_list_is_noted_by_its_filters(hall: Hall, path: str) -> None:
    client = client_of(playing.user_with(Role.AUDITOR))
    get(client, path, page_size=7)
    row = Sighting.objects.get()
    assert (row.path, row.subject_id, row.query, row.players) == (f"/api/v1/{path}", "", {"page_size": "7"}, [])


def test_a_list_of_one_player_is_that_players(hall: Hall, player: User) -> None:
    get(client_of(playing.user_with(Role.SUPERVISOR)), "rounds", player_id=str(player.public_id))
    assert seen() == [("rounds.round", "", [str(player.public_id)])]


def test_a_list_is_noted_with_those_who_are_on_the_page(hall: Hall, player: User) -> None:
    game = table_builders.Game.opened(hall, 2)
    playing.open_round(player, hall)
    auditor = client_of(playing.user_with(Role.AUDITOR))
    get(auditor, "users", username=player.username)
    get(auditor, "rounds")
    get(auditor, "tables")
    at_table = {str(each.public_id) for each in game.players}
    assert [(kind, set(players)) for kind, _, players in seen()] == [
        ("users.user", {str(player.public_id)}),
        ("rounds.round", {str(player.public_id), *at_table}),
        ("tables.table", at_table),
    ]
    assert {row.subject_type for row in sighting_list(player_id=player.public_id)} == {"users.user", "rounds.round"}


def test_polling_a_list_is_one_row_whoever_of_the_same_players_stands_first(hall: Hall, player: User) -> None:
    other, auditor = playing.player(hall), client_of(playing.user_with(Role.AUDITOR))
    for opener in (player, other):
        playing.play_out(opener, playing.open_round(opener, hall).round_id, Random(1))
    get(auditor, "rounds")
    playing.open_round(player, hall)
    get(auditor, "rounds")
    assert len({tuple(sorted(players)) for _, _, players in seen()}) == 1
    assert len({row.what for row in Sighting.objects.all()}) == 1


@pytest.mark.parametrize("path", ["users", "rounds", "tables"])
def test_a_long_page_asks_no_more_of_the_database_than_a_short_one(hall: Hall, path: str) -> None:
    for _ in range(3):
        playing.open_round(playing.player(hall), hall)
        table_builders.Game.opened(hall, 2)
    client = client_of(playing.user_with(Role.AUDITOR))
    numbers = []
    for size in (1, 1, 20):
        with CaptureQueriesContext(connection) as asked:
            assert len(get(client, path, page_size=size).json()["results"]) >= min(size, 3)
        numbers.append(len(asked))
    assert numbers[1] == numbers[2]


def test_a_list_of_ones_own_is_noted_for_the_others_in_it(hall: Hall, player: User) -> None:
    both = playing.user_with(Role.PLAYER, Role.AUDITOR)
    playing.fund(both, hall, 10_000)
    playing.open_round(both, hall)
    get(client_of(both), "rounds", player_id=str(both.public_id))
    assert seen() == []
    playing.open_round(player, hall)
    get(client_of(both), "rounds")
    assert [set(players) for _, _, players in seen()] == [{str(both.public_id), str(player.public_id)}]


def test_players_are_not_noted(hall: Hall, player: User) -> None:
    round_id = playing.open_round(player, hall).round_id
    account = Account.objects.get(user=player).public_id
    for path in ("me", "accounts", f"accounts/{account}/transfers", "rounds", f"rounds/{round_id}", "tables", "halls"):
        get(client_of(player), path)
    assert seen() == []


def test_ones_own_is_not_noted_also_of_staff(hall: Hall) -> None:
    both = playing.user_with(Role.PLAYER, Role.AUDITOR)
    account = playing.fund(both, hall, 1000).public_id
    round_id = playing.open_round(both, hall).round_id
    for path in (f"users/{both.public_id}", f"accounts/{account}/transfers", f"rounds/{round_id}", f"rounds/{round_id}/stream"):
        get(client_of(both), path)
    assert seen() == []


def test_what_shows_all_seats_is_noted_also_of_ones_own_round(hall: Hall) -> None:
    both = playing.user_with(Role.PLAYER, Role.AUDITOR)
    playing.fund(both, hall, 10_000)
    round_id = playing.open_round(both, hall).round_id
    playing.play_out(both, round_id, Random(1))
    get(client_of(both), f"audit/rounds/{round_id}/steps")
    assert seen() == [("rounds.round", str(round_id), [str(both.public_id)])]


def test_a_question_in_a_body_is_noted_like_any_other(hall: Hall, player: User) -> None:
    round_id = playing.open_round(player, hall).round_id
    playing.play_out(player, round_id, Random(1))
    asked = {"from_seq": 1, "actions": [], "continue": False, "finish": True}
    auditor = client_of(playing.user_with(Role.AUDITOR))
    assert auditor.post(f"/api/v1/audit/rounds/{round_id}/what-if", asked).status_code == 200
    assert seen() == [("rounds.round", str(round_id), [str(player.public_id)])]


def test_what_was_not_shown_is_not_noted(hall: Hall, player: User) -> None:
    auditor = client_of(playing.user_with(Role.AUDITOR))
    get(auditor, f"users/{hall.public_id}", 404)
    get(auditor, "users", 400, nonsense="1")
    get(auditor, "commitments", 403)
    get(auditor, "halls")
    get(auditor, "audit/reconciliation")
    assert seen() == []


def test_a_refusal_that_tells_a_balance_is_noted_for_each_player(hall: Hall) -> None:
    cashier = playing.user_with(Role.CASHIER, hall=hall)
    accounts = set()
    for _ in range(2):
        player = playing.player(hall, 700)
        body = {
            "hall_id": str(hall.public_id),
            "player_id": str(player.public_id),
            "amount_minor": 9_000,
            "currency": hall.currency,
        }
        answer = client_of(cashier).post("/api/v1/withdrawals", body, headers={"Idempotency-Key": uuid4().hex})
        assert (answer.status_code, answer.json()["details"]["available_minor"]) == (422, 700)
        accounts.add(("wallets.account", answer.json()["details"]["account_id"], player.public_id))
    noted = {(row.subject_type, row.subject_id, UUID(row.players[0])) for row in Sighting.objects.filter(viewer=cashier)}
    assert noted == accounts


def test_polling_is_one_row_a_minute_for_each_person_and_thing(hall: Hall, player: User) -> None:
    path = f"rounds/{playing.open_round(player, hall).round_id}"
    first, second = (client_of(playing.user_with(Role.AUDITOR)) for _ in range(2))
    etag = get(first, path).headers["ETag"]
    assert first.get(f"/api/v1/{path}", headers={"If-None-Match": etag}).status_code == 304
    assert first.head(f"/api/v1/{path}").status_code == 200
    minutes = set(Sighting.objects.values_list("minute", flat=True))
    assert len(seen()) == len(minutes) <= 2
    get(second, path)
    get(first, f"{path}/steps")
    assert len({(row.viewer_id, row.path) for row in Sighting.objects.all()}) == 3


def test_a_player_who_is_no_staff_pays_nothing_for_it_and_staff_one_statement(
    hall: Hall, player: User, django_assert_num_queries: Any
) -> None:
    path = f"users/{player.public_id}"
    client = client_of(playing.user_with(Role.ADMIN))
    get(client, path)
    with django_assert_num_queries(4) as captured:
        get(client, path)
    assert [query["sql"].split()[0:3] for query in captured.captured_queries].count(["INSERT", "INTO", "audit_sighting"]) == 1


@pytest.mark.parametrize("path", ["users/{}", "players/{}/accounts", "users"])
def test_what_cannot_be_noted_is_not_shown(committed_db: str, owner_connection: psycopg.Connection, path: str) -> None:
    player = playing.player(playing.halls()["first"])
    owner_connection.execute("REVOKE INSERT ON audit_sighting FROM casino_app")
    answer = client_of(playing.user_with(Role.AUDITOR)).get(f"/api/v1/{path.format(player.public_id)}")
    assert (answer.status_code, answer["Content-Type"]) == (500, "application/problem+json")
    assert str(player.public_id).encode() not in answer.content
    owner_connection.execute("GRANT INSERT ON audit_sighting TO casino_app")


@pytest.mark.parametrize("blank", ["viewer_name", "path", "subject_type"])
@pytest.mark.django_db
def test_a_sighting_is_complete(blank: str) -> None:
    whole = {"viewer_name": "x", "path": "/x", "subject_type": "x", "address": "x", "what": b"x"}
    with pytest.raises(IntegrityError, match="audit_sighting_complete"):
        Sighting.objects.create(viewer=playing.user_with(), **(whole | {blank: ""}))


@pytest.mark.django_db
def test_the_same_in_one_minute_is_refused_by_the_table_itself() -> None:
    viewer = playing.user_with()
    one = {"viewer": viewer, "viewer_name": "x", "path": "/x", "subject_type": "x", "address": "x", "what": b"x"}
    with pytest.raises(IntegrityError, match="audit_sighting_once_a_minute"):
        for _ in range(3):
            Sighting.objects.create(**one)


@pytest.mark.parametrize("sql", ["UPDATE {} SET viewer_name = 'nobody'", "DELETE FROM {}", "TRUNCATE {}"])
def test_nobody_rewrites_what_was_seen(committed_db: str, owner_connection: psycopg.Connection, sql: str) -> None:
    get(client_of(playing.user_with(Role.AUDITOR)), "users")
    statement = sql.format("audit_sighting")
    with pytest.raises(psycopg.errors.RestrictViolation, match="audit_sighting is append-only"):
        owner_connection.execute(statement.encode())
    with pytest.raises(DatabaseError, match="permission denied"), connection.cursor() as cursor:
        cursor.execute(statement)


class ReadsElsewhere:
    """Sends what models read to another connection, as with a replica."""

    def db_for_read(self, model: object, **hints: object) -> str:
        return "owner"


def test_it_is_noted_in_the_primary_wherever_it_was_read_from(committed_db: str, settings: Any) -> None:
    auditor, player = playing.user_with(Role.AUDITOR), playing.player(playing.halls()["first"])
    client = client_of(auditor)
    settings.DATABASE_ROUTERS = [ReadsElsewhere()]
    with CaptureQueriesContext(connections["owner"]) as read, CaptureQueriesContext(connections["default"]) as written:
        get(client, f"players/{player.public_id}/accounts")
    assert any("wallets_account" in query["sql"] for query in read) and not any("INSERT" in query["sql"] for query in read)
    assert sum("INSERT INTO audit_sighting" in query["sql"] for query in written) == 1

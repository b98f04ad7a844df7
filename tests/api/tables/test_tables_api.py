"""Tables over HTTP: from making one to acting in its round, retries, refusals in their order, lists, and who may watch."""

import random
from typing import Any
from uuid import uuid4

import pytest
from django.http import HttpResponse
from rest_framework.test import APIClient

from casino.permissions import Role
from casino.users.models import User
from games.halls.models import Hall
from games.rounds.models import Round
from games.tables.models import Table, TableSeat
from tests import playing
from tests.playing import Books
from tests.table_builders import GAME, Game, convention, make
from tests.user_builders import code_of


def post(client: APIClient, path: str, body: Any, key: str | None = None) -> HttpResponse:
    headers = {} if key is None else {"Idempotency-Key": key}
    return client.post(f"/api/v1/{path}", body, format="json", headers=headers)


def done(client: APIClient, path: str, body: Any = None) -> dict[str, Any]:
    answer = post(client, path, {} if body is None else body)
    assert answer.status_code == 200, answer.content
    return answer.json()


def creation(hall: Hall, **changes: Any) -> dict[str, Any]:
    return {"hall_id": str(hall.public_id), "game": GAME, "seats": 2, "convention": {"ante_minor": 10}, **changes}


def made(client: APIClient, hall: Hall, **changes: Any) -> dict[str, Any]:
    answer = post(client, "tables", creation(hall, **changes), key=uuid4().hex)
    assert answer.status_code == 201, answer.content
    return answer.json()


def test_from_making_a_table_to_acting_in_its_round(client: APIClient, player: User, hall: Hall) -> None:
    other = playing.player(hall)
    clients = [client, playing.client(other)]
    answer = post(client, "tables", creation(hall), key="one")
    table = answer.json()
    assert answer["Location"] == f"http://testserver/api/v1/tables/{table['id']}"
    assert table["convention"] == convention(ante_minor=10)
    assert (table["stake"], table["most_to_lose_minor"]) == ({"kind": "ante", "amount_minor": 10}, 10)
    assert (table["rake"], table["free_seats"]) == ({"basis_points": 0, "cap_minor": None}, 2)
    for seat, each in enumerate(clients):
        table = done(each, f"tables/{table['id']}/sit", {"seat": seat})
    assert [each["player_id"] for each in table["players"]] == [str(player.public_id), str(other.public_id)]
    assert all(each["ready_by"] > table["server_time"] for each in table["players"])
    committed = table["next_commitment"]
    for each in clients:
        table = done(each, f"tables/{table['id']}/ready", {"round_id": committed["round_id"], "client_seed": "luck"})
    assert (table["round_id"], table["is_playing"]) == (committed["round_id"], True)
    assert table["next_commitment"]["round_id"] != committed["round_id"]
    path = f"rounds/{table['round_id']}"
    for _ in range(8):
        shown = [each.get(f"/api/v1/{path}").json() for each in clients]
        assert {view["seed_hash"] for view in shown} == {committed["seed_hash"]}
        assert [view["table_id"] for view in shown] == [table["id"]] * 2
        (seat,) = [view["seat"] for view in shown if view["legal_actions"]]
        waiting = shown[1 - seat]
        early = post(clients[1 - seat], f"{path}/actions", {"turn": waiting["turn"], "action": {"type": "bid", "tricks": 0}})
        assert code_of(early, 409) == "not_your_turn"
        done(clients[seat], f"{path}/actions", {"turn": shown[seat]["turn"], "action": action_from(shown[seat])})
    after = [each.get(f"/api/v1/{path}").json() for each in clients]
    assert sum(view["turn"] for view in after) == 8
    assert [view["seq"] for view in after] == [8, 8]


def action_from(shown: dict[str, Any]) -> dict[str, Any]:
    """One of the actions that the document offers."""
    chance = random.Random(shown["seq"])
    offered = chance.choice(shown["legal_actions"])
    if offered["suggestions"]:
        return chance.choice(offered["suggestions"])
    drawn = {name: chance.choice(parameter["options"]) for name, parameter in offered["parameters"].items()}
    return {"type": offered["type"], **drawn}


def test_a_table_that_has_not_changed_is_304(client: APIClient, hall: Hall) -> None:
    path = f"/api/v1/tables/{made(client, hall)['id']}"
    first = client.get(path)
    assert first["Cache-Control"] == "private, no-cache"
    assert "Authorization" in first["Vary"]
    again = client.get(path, headers={"If-None-Match": first["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    table_id = first.json()["id"]
    for change in ("sit", "leave", "sit"):
        done(client, f"tables/{table_id}/{change}")
        shown = client.get(path, headers={"If-None-Match": first["ETag"]})
        assert shown.status_code == 200
        first = shown


def test_a_table_is_made_once_per_key(client: APIClient, hall: Hall) -> None:
    assert code_of(post(client, "tables", creation(hall)), 400) == "idempotency_key_required"
    first = post(client, "tables", creation(hall), key="one")
    done(client, f"tables/{first.json()['id']}/sit")
    again = post(client, "tables", creation(hall), key="one")
    assert (again.status_code, again.content, again["Location"]) == (201, first.content, first["Location"])
    assert again["Idempotency-Replayed"] == "true"
    assert code_of(post(client, "tables", creation(hall, seats=3), key="one"), 422) == "idempotency_key_reused"
    assert Table.objects.count() == 1


def test_sitting_leaving_and_being_ready_are_done_once_per_key(client: APIClient, hall: Hall) -> None:
    table = made(client, hall)
    for path, body in (
        ("sit", {}),
        ("ready", {"round_id": table["next_commitment"]["round_id"]}),
        ("leave", {}),
    ):
        first = post(client, f"tables/{table['id']}/{path}", body, key=path)
        again = post(client, f"tables/{table['id']}/{path}", body, key=path)
        assert (first.status_code, again.content, again["Idempotency-Replayed"]) == (200, first.content, "true")
    seated = {"hall_id": str(hall.public_id), "game": GAME}
    first = post(client, "tables/quick-seat", seated, key="quick")
    assert post(client, "tables/quick-seat", seated, key="quick").content == first.content
    assert TableSeat.objects.filter(left_at=None).count() == 1
    assert Table.objects.get().seq == 5


def test_a_refusal_for_want_of_money_stays_one_under_its_key(hall: Hall) -> None:
    poor = playing.player(hall, 0)
    client = playing.client(poor)
    table = made(client, hall)
    done(client, f"tables/{table['id']}/sit")
    path, body = f"tables/{table['id']}/ready", {"round_id": table["next_commitment"]["round_id"]}
    books = Books.read()
    refused = post(client, path, body, key="one")
    assert code_of(refused, 422) == "insufficient_funds"
    assert refused.json()["details"] == {"available_minor": 0, "required_minor": 10}
    assert Books.read() == books
    playing.fund(poor, hall, 10)
    assert post(client, path, body, key="one").content == refused.content
    assert post(client, path, body, key="two").status_code == 200


def test_errors_come_in_their_order(client: APIClient, player: User, hall: Hall) -> None:
    table = made(client, hall)
    path = f"tables/{table['id']}/ready"
    assert post(APIClient(), path, {}).status_code == 401
    assert post(playing.client(playing.user_with(Role.AUDITOR)), path, {}).status_code == 403
    assert post(client, f"tables/{uuid4()}/ready", {}).status_code == 400
    assert post(client, f"tables/{uuid4()}/ready", {"round_id": str(uuid4())}).status_code == 404
    assert code_of(post(client, path, {"round_id": str(uuid4())}), 409) == "not_seated"
    done(client, f"tables/{table['id']}/sit")
    assert code_of(post(client, path, {"round_id": str(uuid4())}), 409) == "commitment_mismatch"
    foolish = creation(hall, hall_id=str(uuid4()), convention={"ante_minor": 10, "bid_timeout_seconds": 0})
    assert post(client, "tables", foolish, key="one").status_code == 400
    assert post(client, "tables", creation(hall, hall_id=str(uuid4())), key="one").status_code == 404


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"game": "whist"}, "game"),
        ({"game": "russian_poker"}, "game"),
        ({"game": None}, "game"),
        ({"hall_id": "first"}, "hall_id"),
        ({"seats": 1}, "seats"),
        ({"seats": 7}, "seats"),
        ({"seats": "2"}, "seats"),
        ({"seats": 2.0}, "seats"),
        ({"seats": True}, "seats"),
        ({"allows_spectators": 1}, "allows_spectators"),
        ({"convention": {}}, "convention"),
        ({"convention": None}, "convention"),
        ({"convention": {"ante_minor": "10"}}, "convention.ante_minor"),
        ({"convention": {"ante_minor": -10}}, "convention.ante_minor"),
        ({"convention": {"ante_minor": 2**53 - 1}}, "convention.ante_minor"),
        ({"convention": {"ante_minor": 10, "rake": {"basis_points": 0}}}, "convention"),
        ({"convention": {"ante_minor": 10, "limits": {}}}, "convention"),
        ({"rake": {"basis_points": 0}}, "rake"),
        ({"most_to_lose_minor": 1}, "most_to_lose_minor"),
    ],
)
def test_a_table_that_makes_no_sense_is_refused_by_its_field(
    client: APIClient, hall: Hall, changes: dict[str, Any], field: str
) -> None:
    answer = post(client, "tables", creation(hall, **changes), key="one")
    assert code_of(answer, 400) == "invalid_input"
    assert str(answer.json()["details"]["field"]).startswith(field)
    assert not Table.objects.exists()


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("sit", {"seat": -1}),
        ("sit", {"seat": 6}),
        ("sit", {"seat": "0"}),
        ("sit", {"seat": None}),
        ("sit", {"player_id": "x"}),
        ("leave", {"seat": 0}),
        ("ready", {}),
        ("ready", {"round_id": "x"}),
        ("ready", {"round_id": None, "is_ready": False}),
        ("ready", {"round_id": str(uuid4()), "is_ready": 1}),
        ("ready", {"round_id": str(uuid4()), "client_seed": "x" * 65}),
        ("ready", {"round_id": str(uuid4()), "client_seed": 7}),
        ("ready", {"round_id": str(uuid4()), "client_seed": "\u0007"}),
    ],
)
def test_a_body_that_makes_no_sense_is_400(client: APIClient, hall: Hall, path: str, body: Any) -> None:
    table = made(client, hall)
    assert code_of(post(client, f"tables/{table['id']}/{path}", body), 400) == "invalid_input"
    assert Table.objects.get().seq == 1


@pytest.mark.parametrize(
    "query",
    [
        "hall_id=first",
        "status=shut",
        "has_free_seats=perhaps",
        "has_free_seats=1",
        "stake_from_minor=0",
        "stake_from_minor=ten",
        "stake_to_minor=-1",
        "stake_to_minor=1.5",
        "game=whist",
        "stake=10",
        "seats=2",
        "game=a&game=b",
    ],
)
def test_a_filter_that_makes_no_sense_is_400(client: APIClient, hall: Hall, query: str) -> None:
    assert code_of(client.get(f"/api/v1/tables?{query}"), 400) == "invalid_input"


def ids(answer: HttpResponse) -> list[str]:
    assert answer.status_code == 200, answer.content
    return [row["id"] for row in answer.json()["results"]]


def test_tables_are_found_by_every_filter(client: APIClient, hall: Hall) -> None:
    low, high = made(client, hall), made(client, hall, convention={"ante_minor": 500})
    for each in (client, playing.client(playing.player(hall))):
        done(each, f"tables/{low['id']}/sit")
    for query, found in (
        ("", [high, low]),
        (f"hall_id={hall.public_id}&game={GAME}", [high, low]),
        (f"hall_id={uuid4()}", []),
        ("game=russian_poker", []),
        ("stake_from_minor=11", [high]),
        ("stake_to_minor=499", [low]),
        (f"stake_to_minor={10**30}", [high, low]),
        ("has_free_seats=true", [high]),
        ("has_free_seats=false", [low]),
        ("status=open", [high, low]),
        ("status=closed", []),
    ):
        assert ids(client.get(f"/api/v1/tables?{query}")) == [table["id"] for table in found], query


def test_pages_of_tables_and_events_neither_skip_nor_repeat(client: APIClient, hall: Hall) -> None:
    made_ids = [str(make(hall).table.public_id) for _ in range(5)][::-1]
    table_id = made_ids[0]
    for change in ("sit", "leave", "sit", "leave"):
        done(client, f"tables/{table_id}/{change}")
    for path, key, expected in (
        ("tables?page_size=2&has_free_seats=true", "id", made_ids),
        (f"tables/{table_id}/events?page_size=2", "seq", [5, 4, 3, 2, 1]),
    ):
        found, url = [], f"/api/v1/{path}"
        while url:
            page = client.get(url).json()
            found += [row[key] for row in page["results"]]
            url, last = page["next"], page
        assert found == expected
        assert [row[key] for row in client.get(last["previous"]).json()["results"]] == expected[2:4]


def test_only_where_a_table_allows_it_others_watch_its_rounds(hall: Hall, client: APIClient) -> None:
    for allows_spectators, status in ((False, 404), (True, 200)):
        game = Game.opened(hall, allows_spectators=allows_spectators)
        table = client.get(f"/api/v1/tables/{game.table_id}").json()
        assert (table["round_id"], table["allows_spectators"]) == (str(game.row.public_id), allows_spectators)
        for suffix in ("", "/steps"):
            assert client.get(f"/api/v1/rounds/{table['round_id']}{suffix}").status_code == status
        acted = post(client, f"rounds/{table['round_id']}/actions", {"turn": 0, "action": {"type": "bid", "tricks": 0}})
        assert code_of(acted, 404) == "not_found"
    assert Round.objects.count() == 2
    assert client.get("/api/v1/rounds").json()["results"] == []


def test_staff_closes_a_table_with_a_reason(client: APIClient, hall: Hall) -> None:
    table = made(client, hall)
    done(client, f"tables/{table['id']}/sit")
    operator = playing.client(playing.user_with(Role.OPERATOR, hall=hall))
    path = f"tables/{table['id']}/close"
    assert post(client, path, {"reason": "mine"}).status_code == 403
    assert post(operator, path, {"reason": " "}).status_code == 400
    closed = done(operator, path, {"reason": "cleaning"})
    assert (closed["status"], closed["players"], closed["next_commitment"]) == ("closed", [], None)
    assert code_of(post(operator, path, {"reason": "cleaning"}), 409) == "table_closed"
    shown = client.get(f"/api/v1/tables/{table['id']}/events").json()["results"][0]
    assert shown["kind"] == "table_closed"
    revealed = bytes.fromhex(shown["data"]["server_seed"])
    assert playing.seed_hash_of(revealed) == table["next_commitment"]["seed_hash"]

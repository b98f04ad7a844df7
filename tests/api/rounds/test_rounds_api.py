"""Rounds over HTTP: from the commitment to the record, retries, refusals in their order, who may see what."""

import random
from typing import Any
from uuid import uuid4

import pytest
from django.http import HttpResponse
from rest_framework.test import APIClient

from casino.models import IdempotencyRecord
from casino.permissions import Role
from casino.users.models import User
from games.core.cards import DECK_52
from games.halls.models import Hall
from games.rounds.models import Round
from games.verify import verify
from tests import playing
from tests.playing import FOUR_BOXES, Books, opening_body

CARDS = {card.text for card in DECK_52}


def post(client: APIClient, path: str, body: Any, key: str | None = None) -> HttpResponse:
    headers = {} if key is None else {"Idempotency-Key": key}
    return client.post(f"/api/v1/{path}", body, format="json", headers=headers)


def opened(client: APIClient, player: User, hall: Hall, **changes: Any) -> dict[str, Any]:
    answer = post(client, "rounds", opening_body(player, hall, **changes), key=uuid4().hex)
    assert answer.status_code == 201, answer.content
    return answer.json()


def acted(client: APIClient, shown: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    """Take one of the actions that the document offers, read from the document alone."""
    offered = chance.choice([action for action in shown["legal_actions"] if action["affordable"]])
    action = {"type": offered["type"]}
    for name, parameter in offered["parameters"].items():
        if parameter["kind"] == "one_of":
            action[name] = chance.choice(parameter["options"])
        elif parameter["kind"] == "subset_of":
            action[name] = chance.sample(parameter["options"], chance.randint(parameter["min"], parameter["max"]))
        else:
            action[name] = parameter["min_minor"]
    answer = post(client, f"rounds/{shown['id']}/actions", {"turn": shown["turn"], "action": action})
    assert answer.status_code == 200, answer.content
    return answer.json()


@pytest.mark.parametrize("chance", range(5))
def test_a_round_from_commitment_to_verified_record(client: APIClient, player: User, hall: Hall, chance: int) -> None:
    made = post(client, "commitments", {"hall_id": str(hall.public_id), "game": playing.GAME})
    assert made.status_code == 201
    assert client.get("/api/v1/commitments").json() == {"results": [made.json()]}
    shown = opened(client, player, hall, **FOUR_BOXES)
    assert (shown["id"], shown["seed_hash"]) == (made.json()["round_id"], made.json()["seed_hash"])
    assert client.get(f"/api/v1/rounds/{shown['id']}/record").status_code == 409
    rng = random.Random(chance)
    while shown["status"] == "open":
        shown = acted(client, shown, rng)
    record = client.get(f"/api/v1/rounds/{shown['id']}/record")
    assert str(verify(record.content)).startswith("verified")
    assert record.json()["server_seed"] == shown["server_seed"]
    steps = client.get(f"/api/v1/rounds/{shown['id']}/steps").json()["results"]
    assert [step["hash"] for step in steps] == [step["hash"] for step in record.json()["steps"]]
    listed = client.get("/api/v1/rounds", {"status": "settled"}).json()["results"]
    assert [each["id"] for each in listed] == [shown["id"]]


def test_an_opening_with_the_same_key_gets_the_same_bytes_and_no_cards_are_stored(
    client: APIClient, player: User, hall: Hall
) -> None:
    body = opening_body(player, hall)
    first = post(client, "rounds", body, key="one")
    shown = first.json()
    while shown["status"] == "open":
        shown = acted(client, shown, random.Random(1))
    books = Books.read()
    again = post(client, "rounds", body, key="one")
    assert (again.status_code, again.content) == (201, first.content)
    assert again["Idempotency-Replayed"] == "true"
    assert Books.read() == books
    stored = IdempotencyRecord.objects.get(path="/api/v1/rounds")
    assert stored.body is None
    other = post(client, "rounds", {**body, "client_seed": "another"}, key="one")
    assert (other.status_code, other.json()["code"]) == (422, "idempotency_key_reused")
    assert Round.objects.count() == 1


def test_a_refused_opening_stays_refused_under_its_key(client: APIClient, player: User, hall: Hall) -> None:
    body = opening_body(player, hall, boxes=[{"box": 1, "ante_minor": 100_000}])
    first = post(client, "rounds", body, key="one")
    assert (first.status_code, first.json()["code"]) == (422, "stake_above_maximum")
    assert post(client, "rounds", body, key="one").content == first.content


def test_an_opening_needs_a_key(client: APIClient, player: User, hall: Hall) -> None:
    answer = post(client, "rounds", opening_body(player, hall))
    assert (answer.status_code, answer.json()["code"]) == (400, "idempotency_key_required")


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"game": "whist"}, "game"),
        ({"game": None}, "game"),
        ({"hall_id": "first"}, "hall_id"),
        ({"client_seed": "x" * 65}, "client_seed"),
        ({"client_seed": 5}, "client_seed"),
        ({"boxes": []}, "boxes"),
        ({"boxes": [{"box": 6, "ante_minor": 100}]}, "boxes"),
        ({"boxes": [{"box": 1}]}, "boxes"),
        ({"boxes": [{"box": 1, "ante_minor": "100"}]}, "boxes"),
        ({"boxes": [{"box": 1, "ante_minor": 100.0}]}, "boxes"),
        ({"boxes": [{"box": 1, "ante_minor": True}]}, "boxes"),
        ({"boxes": [{"box": 1, "ante_minor": -100}]}, "boxes"),
        ({"boxes": [{"box": 1, "ante_minor": 2**53}]}, "boxes"),
        ({"boxes": [{"box": n, "ante_minor": 100} for n in range(1, 6)]}, "boxes"),
        ({"boxes": [{"box": 1, "ante_minor": 100}] * 2}, "boxes"),
        ({"cards": ["As"]}, "cards"),
        ({"payout": 100}, "payout"),
    ],
)
def test_a_body_that_makes_no_sense_is_refused_by_its_field(
    client: APIClient, player: User, hall: Hall, changes: dict[str, Any], field: str
) -> None:
    books = Books.read()
    answer = post(client, "rounds", opening_body(player, hall, **changes), key="one")
    assert (answer.status_code, answer["Content-Type"]) == (400, "application/problem+json")
    assert field in answer.content.decode()
    assert Books.read() == books
    assert not Round.objects.exists()


@pytest.mark.parametrize(
    "body",
    [
        {"turn": 1, "action": {"type": "bet", "box": 1, "cards": []}},
        {"turn": 1, "action": {"type": "cheat"}},
        {"turn": 1, "action": {}},
        {"turn": 1, "action": "bet"},
        {"turn": "1", "action": {"type": "bet", "box": 1}},
        {"turn": 1, "action": {"type": "exchange", "box": 1, "cards": ["Zz"]}},
        {"turn": 1, "action": {"type": "exchange", "box": 1, "cards": []}},
        {"turn": 1, "action": {"type": "insure", "box": 1, "amount_minor": 0}},
        {"action": {"type": "bet", "box": 1}},
        [],
    ],
)
def test_an_action_that_makes_no_sense_is_400(client: APIClient, player: User, hall: Hall, body: Any) -> None:
    shown = opened(client, player, hall)
    answer = post(client, f"rounds/{shown['id']}/actions", body)
    assert answer.status_code == 400
    assert Round.objects.get().seq == 0


def test_errors_come_in_their_order(client: APIClient, player: User, hall: Hall) -> None:
    shown = opened(client, player, hall)
    path = f"rounds/{shown['id']}/actions"
    illegal = {"type": "continue"}
    assert post(APIClient(), path, {}).status_code == 401
    assert post(playing.client(playing.user_with(Role.AUDITOR)), path, {}).status_code == 403
    assert post(client, f"rounds/{uuid4()}/actions", {}).status_code == 400
    assert post(client, f"rounds/{uuid4()}/actions", {"turn": 1, "action": illegal}).status_code == 404
    assert post(client, path, {"turn": 9, "action": illegal}).json()["code"] == "turn_not_reached"
    refused = post(client, path, {"turn": 1, "action": illegal})
    assert refused.status_code == 422
    assert refused.json()["code"] in playing.ENGINE.error_codes


def test_anothers_round_looks_like_no_round(client: APIClient, player: User, hall: Hall) -> None:
    shown = opened(client, player, hall)
    stranger = playing.client(playing.player(hall))
    for suffix in ("", "/steps", "/record"):
        theirs = stranger.get(f"/api/v1/rounds/{shown['id']}{suffix}")
        none = stranger.get(f"/api/v1/rounds/{uuid4()}{suffix}")
        assert (theirs.status_code, none.status_code) == (404, 404)
        assert {**theirs.json(), "request_id": None} == {**none.json(), "request_id": None}
    assert stranger.get("/api/v1/rounds").json()["results"] == []


def test_of_an_open_round_staff_sees_what_anybody_sees(client: APIClient, player: User, hall: Hall) -> None:
    shown = opened(client, player, hall, **FOUR_BOXES)
    for role in (Role.AUDITOR, Role.SUPERVISOR, Role.ADMIN):
        theirs = playing.client(playing.user_with(role)).get(f"/api/v1/rounds/{shown['id']}")
        assert theirs.status_code == 200
        assert (theirs.json()["seat"], theirs.json()["server_seed"]) == (None, None)
        assert theirs.json()["view"]["dealer"]["cards"][:4] == [None] * 4
    for role in (Role.OPERATOR, Role.CASHIER):
        theirs = playing.client(playing.user_with(role, hall=hall)).get(f"/api/v1/rounds/{shown['id']}")
        assert theirs.status_code == 403


def test_a_view_that_has_not_changed_is_304(client: APIClient, player: User, hall: Hall) -> None:
    path = f"/api/v1/rounds/{opened(client, player, hall)['id']}"
    first = client.get(path)
    again = client.get(path, headers={"If-None-Match": first["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert first["Cache-Control"] == "private, no-cache"
    assert "Authorization" in first["Vary"]
    post(client, f"rounds/{first.json()['id']}/actions", {"turn": 1, "action": {"type": "bet", "box": 1}})
    assert client.get(path, headers={"If-None-Match": first["ETag"]}).status_code == 200


def test_rp_8_1_the_last_bets_are_served_per_hall(client: APIClient, player: User, hall: Hall) -> None:
    asked = {"hall_id": str(hall.public_id), "game": playing.GAME}
    assert client.get("/api/v1/rounds/last-opening", asked).json() == {"opening": None}
    opened(client, player, hall, **FOUR_BOXES)
    assert client.get("/api/v1/rounds/last-opening", asked).json() == {"opening": FOUR_BOXES}


def test_a_void_needs_a_supervisor_and_a_reason(client: APIClient, player: User, hall: Hall) -> None:
    shown = opened(client, player, hall)
    path = f"rounds/{shown['id']}/void"
    assert post(client, path, {"reason": "I lose"}).status_code == 403
    supervisor = playing.client(playing.user_with(Role.SUPERVISOR))
    assert post(supervisor, path, {"reason": " "}).status_code == 400
    voided = post(supervisor, path, {"reason": "power cut"})
    assert (voided.status_code, voided.json()["status"]) == (200, "voided")
    assert post(supervisor, path, {"reason": "power cut"}).status_code == 409


def test_a_discarded_commitment_shows_its_seed_and_another_follows(client: APIClient, player: User, hall: Hall) -> None:
    asked = {"hall_id": str(hall.public_id), "game": playing.GAME}
    first = post(client, "commitments", asked).json()
    assert post(client, f"commitments/{first['round_id']}/discard", {}).status_code == 400
    answer = post(client, f"commitments/{first['round_id']}/discard", {"reason": "I want another"}).json()
    assert playing.seed_hash_of(bytes.fromhex(answer["server_seed"])) == first["seed_hash"]
    assert post(client, "commitments", asked).json() == answer["next_commitment"]
    assert post(client, f"commitments/{first['round_id']}/discard", {"reason": "again"}).status_code == 409
    stranger = playing.client(playing.player(hall))
    assert post(stranger, f"commitments/{first['round_id']}/discard", {"reason": "mine"}).status_code == 404


def test_the_sandbox_plays_a_script_over_the_api(client: APIClient) -> None:
    script = {
        "game": playing.GAME,
        "setup": {"boxes": [{"box": 1, "ante_minor": 100}]},
        "decks": [["As", "Ah", "Ad", "Ac", "9s", "Ks", "Kh", "7d", "5c", "2s"]],
        "actions": [{"seat": 0, "type": "bet", "box": 1}, {"seat": 0, "type": "open_dealer"}],
    }
    played = post(client, "sandbox", script)
    assert played.status_code == 200, played.content
    assert played.json()["result"]["seats"][0]["returned_minor"] == 100 + 200 + 200 * 20
    wrong = post(client, "sandbox", {**script, "decks": [["As", "As"]]})
    assert (wrong.status_code, wrong.json()["details"]["field"]) == (400, "decks.0.1")
    assert not Round.objects.exists()


def test_the_sandbox_does_not_answer_without_bound(client: APIClient) -> None:
    """Six seats and a thousand steps would be megabytes of views and seconds of work for a request of some kilobytes."""
    actions = [{"seat": number % 6, "type": "timeout"} for number in range(2_000)]
    setup = {"seats": 6, "ante_minor": 1}
    script = {"game": "ukrainian_poker", "setup": setup, "server_seed": "ab" * 32, "continue": True, "actions": actions}
    refused = post(client, "sandbox", script)
    assert (refused.status_code, refused.json()["details"]["field"]) == (400, "actions")

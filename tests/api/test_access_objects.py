"""What is another's, or another hall's, is answered in the very words of what does not exist; so no answer tells that it does."""

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest
from pytest_django import DjangoDbBlocker

from tests.api.access_world import GAME, OTHER_PLAYER, PLAYER, World, body_for, world_build
from tests.api.test_access_matrix import TABLE, column, send, undone
from tests.user_builders import code_of, keyed

OTHERS = (OTHER_PLAYER, "operator elsewhere", "cashier elsewhere")
PRIVATE = ("account_id", "round_id", "transfer_id")


@pytest.fixture(scope="module")
def world(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[World]:
    with django_db_blocker.unblock(), undone():
        yield world_build()


def words(response: Any) -> tuple[int, Any]:
    """An answer without its request's id, the only part that may differ."""
    return response.status_code, {name: part for name, part in response.json().items() if name != "request_id"}


def calls() -> Iterator[tuple[str, str, str]]:
    """Every operation on an object that belongs to somebody, with those whose it is not."""
    for operation, row in TABLE.items():
        for name in PRIVATE:
            for caller in OTHERS:
                if f"{{{name}}}" in operation and row[column(caller)] in ("own", "hall"):
                    yield operation, name, caller


@pytest.mark.parametrize(("operation", "name", "caller"), list(calls()))
def test_anothers_object_is_answered_like_one_that_nobody_has(world: World, operation: str, name: str, caller: str) -> None:
    theirs = send(world, caller, operation)
    assert code_of(theirs, 404) == "not_found"
    assert words(theirs) == words(send(world, caller, operation, **{name: uuid4()}))


def test_control_there_are_such_calls_and_the_owner_gets_another_answer(world: World) -> None:
    assert {name for _, name, _ in calls()} == set(PRIVATE)
    for operation, name, _ in calls():
        owner = PLAYER if TABLE[operation]["player"] == "own" else "cashier"
        assert send(world, owner, operation).status_code < 300
        assert send(world, owner, operation, **{name: uuid4()}).status_code == 404


OF_HALLS = [operation for operation in TABLE if "{hall_id}" in operation]


@pytest.mark.parametrize("operation", OF_HALLS)
def test_a_hall_that_has_never_opened_exists_for_nobody_else(world: World, operation: str) -> None:
    for caller, cell in ((caller, TABLE[operation][column(caller)]) for caller in (*OTHERS, PLAYER, "cashier")):
        if cell != "–":
            hidden = send(world, caller, operation, hall_id=world.hidden_hall.public_id)
            assert code_of(hidden, 404) == "not_found"
            assert words(hidden) == words(send(world, caller, operation, hall_id=uuid4()))


NAMING_A_HALL = {
    "POST /api/v1/deposits": "cashier",
    "POST /api/v1/withdrawals": "cashier",
    "POST /api/v1/commitments": PLAYER,
    "POST /api/v1/rounds": PLAYER,
    "POST /api/v1/tables": PLAYER,
    "POST /api/v1/tables/quick-seat": PLAYER,
}


@pytest.mark.parametrize(("operation", "caller"), list(NAMING_A_HALL.items()))
def test_nor_does_it_when_a_body_names_it(world: World, operation: str, caller: str) -> None:
    def named(hall_id: Any) -> tuple[int, Any]:
        body = dict(body_for(operation, world, caller) or {}) | {"hall_id": hall_id}
        with undone():
            return words(world.clients[caller].post(operation.removeprefix("POST "), body, **keyed(str(uuid4()))))

    assert named(world.hidden_hall.public_id) == named(uuid4())
    assert named(uuid4())[0] == 404
    with undone():
        served = world.clients[caller].post(
            operation.removeprefix("POST "), body_for(operation, world, caller), **keyed(str(uuid4()))
        )
    assert served.status_code in (200, 201), "control: a hall that one may know of is found"


@pytest.mark.parametrize("caller", ["operator", "cashier"])
def test_staff_of_halls_find_players_and_nobody_else(world: World, caller: str) -> None:
    for operation in [each for each in TABLE if "{user_id}" in each and TABLE[each][caller] != "–"]:
        assert send(world, caller, operation).status_code == 200
        for name in ("admin", "auditor", "operator elsewhere"):
            theirs = send(world, caller, operation, user_id=world.users[name].public_id)
            assert code_of(theirs, 404) == "not_found"
            assert words(theirs) == words(send(world, caller, operation, user_id=uuid4()))
    names = {row["username"] for row in world.clients[caller].get("/api/v1/users?page_size=100").json()["results"]}
    assert world.users[PLAYER].username in names
    assert not names & {world.users[name].username for name in ("admin", "auditor", "supervisor", "operator elsewhere")}


def test_lists_and_filters_show_only_what_is_ones_own(world: World) -> None:
    owner, other = world.clients[PLAYER], world.clients[OTHER_PLAYER]
    owners_id = world.users[PLAYER].public_id
    for query in ("", f"player_id={owners_id}", f"hall_id={world.hall.public_id}", f"game={GAME}", "status=open"):
        assert other.get(f"/api/v1/rounds?{query}").json()["results"] == []
        assert owner.get(f"/api/v1/rounds?{query}").json()["results"] != [], "control"
    account = str(world.ids["account_id"]).encode()
    assert account not in other.get("/api/v1/accounts").content
    assert account in owner.get("/api/v1/accounts").content
    commitment = str(world.commitments[PLAYER]).encode()
    assert commitment not in other.get("/api/v1/commitments").content
    assert commitment in owner.get("/api/v1/commitments").content


def test_anothers_commitment_opens_no_round_and_is_not_told_from_none(world: World) -> None:
    def opened(round_id: Any) -> tuple[int, Any]:
        body = dict(body_for("POST /api/v1/rounds", world, OTHER_PLAYER) or {}) | {"round_id": round_id}
        with undone():
            return words(world.clients[OTHER_PLAYER].post("/api/v1/rounds", body, **keyed(str(uuid4()))))

    assert opened(world.commitments[PLAYER]) == opened(uuid4())
    assert opened(uuid4())[0] == 409
    with undone():
        body = body_for("POST /api/v1/rounds", world, OTHER_PLAYER)
        assert world.clients[OTHER_PLAYER].post("/api/v1/rounds", body, **keyed(str(uuid4()))).status_code == 201, "control"

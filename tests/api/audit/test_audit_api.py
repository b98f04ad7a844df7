"""The audit over HTTP: who may read it, and what it says."""

import random
from uuid import UUID, uuid4

import pytest

from casino.permissions import Role
from tests import playing
from tests.playing import client, open_round, play_out

pytestmark = pytest.mark.django_db
PATHS = ("audit/records", "audit/reconciliation", f"audit/rounds/{UUID(int=1)}/replay")


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("role", [Role.PLAYER, Role.OPERATOR, Role.CASHIER, Role.SUPERVISOR])
def test_the_audit_is_for_auditors(role: Role, path: str) -> None:
    hall = playing.halls()["first"]
    assert client(playing.user_with(role, hall=hall)).get(f"/api/v1/{path}").status_code == 403


def test_an_auditor_replays_a_round() -> None:
    hall = playing.halls()["first"]
    player = playing.player(hall)
    round_id = open_round(player, hall).round_id
    auditor = client(playing.user_with(Role.AUDITOR))
    assert auditor.get(f"/api/v1/audit/rounds/{round_id}/replay").status_code == 409
    assert auditor.get(f"/api/v1/audit/rounds/{uuid4()}/replay").status_code == 404
    play_out(player, round_id, random.Random(1))
    replay = auditor.get(f"/api/v1/audit/rounds/{round_id}/replay").json()
    assert (replay["replay"], replay["clean"], replay["deviations"]) == (True, True, [])
    assert replay["verdict"].startswith("verified")


def test_the_trail_is_read_newest_first_and_by_filters() -> None:
    playing.halls()
    auditor = client(playing.user_with(Role.AUDITOR))
    everything = auditor.get("/api/v1/audit/records", {"page_size": 200}).json()["results"]
    assert len(everything) >= 12
    assert [record["at"] for record in everything] == sorted((record["at"] for record in everything), reverse=True)
    created = auditor.get("/api/v1/audit/records", {"action": "hall_created"}).json()["results"]
    assert [record["after"]["code"] for record in created] == ["vip", "second", "first"]
    of_one = {"subject_type": created[0]["subject_type"], "subject_id": created[0]["subject_id"]}
    assert {record["subject_id"] for record in auditor.get("/api/v1/audit/records", of_one).json()["results"]} == {
        created[0]["subject_id"]
    }
    assert auditor.get("/api/v1/audit/records", {"actor_id": created[0]["actor_id"]}).json()["results"]
    assert auditor.get("/api/v1/audit/records", {"actor_id": str(uuid4())}).json()["results"] == []
    assert auditor.get("/api/v1/audit/records", {"verb": "x"}).status_code == 400

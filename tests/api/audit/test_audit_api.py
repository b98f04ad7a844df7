"""The audit over HTTP: who may read it, and what it says."""

import hashlib
import random
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest

from audit.manifest.files import files_digest, manifest_text
from audit.manifest.gate import process_deviations
from casino.permissions import Role
from games.engines import ENGINES
from tests import playing
from tests.architecture.source import ROOT
from tests.playing import client, open_round, play_out

pytestmark = pytest.mark.django_db
PATHS = (
    "audit/records",
    "audit/manifest",
    "audit/manifest/checks",
    "audit/sightings",
    "audit/reconciliation",
    f"audit/rounds/{UUID(int=1)}/replay",
)


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
    assert replay["record_verdict"].startswith("verified")


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


def test_the_manifest_is_shown_checked_and_logged() -> None:
    playing.halls()
    auditor = client(playing.user_with(Role.AUDITOR, name="auditor"))
    shown = auditor.get("/api/v1/audit/manifest").json()
    assert (shown["last_check"], shown["rounds_may_open"]) == (None, True)
    assert {engine["package"] for engine in shown["engines"]} == {engine.package for engine in ENGINES}
    text = "".join(f"{each['sha256']}  {each['name']}\n" for each in sorted(shown["entries"], key=lambda each: each["name"]))
    assert hashlib.sha256(text.encode()).hexdigest() == shown["digest"]
    made = auditor.post("/api/v1/audit/manifest/checks", {}, headers={"Idempotency-Key": "once"})
    again = auditor.post("/api/v1/audit/manifest/checks", {}, headers={"Idempotency-Key": "once"})
    assert (made.status_code, again.content) == (201, made.content)
    assert (made.json()["passed"], made.json()["part"], made.json()["occasion"]) == (True, "web", "demand")
    assert auditor.get("/api/v1/audit/manifest/checks").json()["results"] == [made.json()]
    assert auditor.get("/api/v1/audit/manifest").json()["last_check"] == made.json()


def test_an_unreviewed_program_opens_no_round_and_says_why(settings: Any, tmp_path: Path) -> None:
    hall = playing.halls()["first"]
    player = playing.player(hall)
    opening = playing.opening_body(player, hall)
    process_deviations()
    settings.MANIFEST_FILE = tmp_path / "manifest.sha256"
    settings.MANIFEST_FILE.write_text(manifest_text(files_digest(ROOT) | {"games/engines.py": "0" * 64}))
    check = client(playing.user_with(Role.AUDITOR)).post("/api/v1/audit/manifest/checks", {}).json()
    assert (check["passed"], [each["name"] for each in check["deviations"]]) == (False, ["games/engines.py"])
    books = playing.Books.read()
    for _ in range(2):
        refused = client(player).post("/api/v1/rounds", opening, headers={"Idempotency-Key": "one"})
        assert (refused.status_code, refused.json()["code"]) == (409, "engine_unverified")
    assert playing.Books.read() == books
    assert client(player).get("/api/v1/rounds").json()["results"] == []


def test_the_trail_is_searched_and_who_read_it_is_noted() -> None:
    hall = playing.halls()["first"]
    auditor = client(playing.user_with(Role.AUDITOR, name="auditor"))
    found = auditor.get("/api/v1/audit/records", {"hall_id": str(hall.public_id), "changed": "is_open", "reason": "amounts"})
    assert {record["action"] for record in found.json()["results"]} == {"hall_created", "hall_opened"}
    assert {record["hall_id"] for record in found.json()["results"]} == {str(hall.public_id)}
    assert auditor.get("/api/v1/audit/records", {"at_from": "2999-01-01T00:00:00Z"}).json()["results"] == []
    assert auditor.get("/api/v1/audit/records", {"at_from": "yesterday"}).status_code == 400
    (sighting, *_) = auditor.get("/api/v1/audit/sightings", {"subject_type": "audit.auditrecord"}).json()["results"][::-1]
    assert (sighting["viewer_name"], sighting["path"], sighting["player_ids"]) == ("auditor", "/api/v1/audit/records", [])
    assert sighting["query"] == {"hall_id": str(hall.public_id), "changed": "is_open", "reason": "amounts"}

"""A player, an operator and an auditor against a running stack over HTTP: web, worker and beat."""

import hashlib
import json
import random
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest

from tests.e2e.stacks import RunningStack, checkout_copied, cleaned, running, wait_until

pytestmark = [pytest.mark.xdist_group("stack")]
GAME = "russian_poker"


class Person:
    """Somebody logged in over HTTP."""

    def __init__(self, address: str, name: str) -> None:
        self.http = httpx.Client(base_url=f"{address}/api/v1", timeout=30)
        login = self.http.post("/auth/login", json={"username": name, "password": f"{name}-demo"})
        assert login.status_code == 200, login.text
        self.http.headers["Authorization"] = f"Bearer {login.json()['token']}"

    def close(self) -> None:
        self.http.close()

    def get(self, path: str, **parameters: str) -> Any:
        answer = self.http.get(path, params=parameters)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def post(self, path: str, body: Any, status: int, **headers: str) -> Any:
        answer = self.http.post(path, json=body, headers={"Idempotency-Key": uuid4().hex, **headers})
        assert answer.status_code == status, answer.text
        return answer.json()

    def open_round(self, hall: str, ante_minor: int = 100) -> Any:
        made = self.http.post("/commitments", json={"hall_id": hall, "game": GAME}).json()
        body = {
            "game": GAME,
            "hall_id": hall,
            "round_id": made["round_id"],
            "boxes": [{"box": box, "ante_minor": ante_minor, "bonus_minor": 10} for box in (1, 2, 3)],
        }
        return self.post("/rounds", body, 201)

    def act(self, shown: Any, chance: random.Random) -> Any:
        offered = chance.choice([action for action in shown["legal_actions"] if action["affordable"]])
        action = {"type": offered["type"]}
        for name, parameter in offered["parameters"].items():
            if parameter["kind"] == "one_of":
                action[name] = parameter["options"][0]
            elif parameter["kind"] == "subset_of":
                action[name] = parameter["options"][: parameter["min"]]
            else:
                action[name] = parameter["min_minor"]
        return self.post(f"/rounds/{shown['id']}/actions", {"turn": shown["turn"], "action": action}, 200)


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningStack]:
    checkout = checkout_copied(tmp_path_factory.mktemp("played") / "checkout")
    with running(checkout) as started:
        yield started
    cleaned(checkout)


def logged_in(stack: RunningStack, name: str) -> Iterator[Person]:
    with closing(Person(stack.address, name)) as person:
        yield person


@pytest.fixture
def player(stack: RunningStack) -> Iterator[Person]:
    yield from logged_in(stack, "player")


@pytest.fixture
def auditor(stack: RunningStack) -> Iterator[Person]:
    yield from logged_in(stack, "auditor")


@pytest.fixture
def operator(stack: RunningStack) -> Iterator[Person]:
    yield from logged_in(stack, "operator")


def halls(person: Person) -> dict[str, str]:
    return {hall["code"]: hall["id"] for hall in person.get("/halls")["results"]}


def web_killed(stack: RunningStack) -> None:
    """Kill the web server, and wait until its workers are gone and another one serves."""
    web = stack.part("wsgi")
    family = [web, *web.children(recursive=True)]
    web.kill()
    wait_until(lambda: not any(each.is_running() for each in family) and stack.healthy(), stack.said)


def assert_proven(auditor: Person, stack: RunningStack, round_id: str, folder: Path) -> None:
    """The service replays the round, and the exported record verifies in a Python that knows only the standard library."""
    assert auditor.get(f"/audit/rounds/{round_id}/replay")["clean"]
    stack.books_reconciled()
    record = folder / "record.json"
    record.write_bytes(auditor.http.get(f"/rounds/{round_id}/record").content)
    command = [sys.executable, "-S", "-m", "games.verify", str(record)]
    verified = subprocess.run(command, cwd=stack.checkout, capture_output=True, text=True)
    assert (verified.returncode, verified.stdout[:8]) == (0, "verified"), verified.stdout + verified.stderr
    forged = json.loads(record.read_text())
    forged["transfers"][0]["amount_minor"] += 1
    record.write_text(json.dumps(forged))
    assert subprocess.run(command, cwd=stack.checkout, capture_output=True).returncode == 1


def without_times(shown: Any) -> Any:
    seats = [{**seat, "deadline": ""} for seat in shown["seats"]]
    return {**shown, "server_time": "", "deadline": "", "seats": seats}


def test_a_round_survives_kill_9_of_the_web_and_ends_proven(
    stack: RunningStack, player: Person, auditor: Person, tmp_path: Path
) -> None:
    chance = random.Random(1)
    shown = player.open_round(halls(player)["first"])
    while shown["status"] == "open":
        before = player.get(f"/rounds/{shown['id']}")
        web_killed(stack)
        after = player.get(f"/rounds/{shown['id']}")
        assert after["deadline"] >= before["deadline"], "the time in which the web was away is given back"
        assert without_times(after) == without_times(before)
        shown = player.act(after, chance)
    assert_proven(auditor, stack, shown["id"], tmp_path)


def test_an_export_streams_whole_and_its_end_is_told(stack: RunningStack, player: Person, auditor: Person) -> None:
    shown = player.open_round(halls(player)["first"])
    while shown["status"] == "open":
        shown = player.act(shown, random.Random(3))
    with auditor.http.stream("GET", "/audit/rounds/export", params={"format": "jsonl"}) as answer:
        assert answer.status_code == 200
        assert "Content-Length" not in answer.headers
        content = b"".join(answer.iter_bytes())
    lines = content.splitlines()
    assert shown["id"] in [json.loads(line)["head"]["round_id"] for line in lines]
    assert len(lines) == int(answer.headers["Export-Rounds"])
    told = auditor.get(f"/audit/exports/{answer.headers['Export-Id']}")
    assert (told["status"], told["rounds_written"]) == ("done", len(lines))
    assert (told["bytes_written"], told["sha256"]) == (len(content), hashlib.sha256(content).hexdigest())


def test_rp_7_1_worker_and_beat_play_an_abandoned_round_on_and_a_new_limit_holds_for_the_next_round_only(
    stack: RunningStack, player: Person, auditor: Person, operator: Person, tmp_path: Path
) -> None:
    hall = halls(player)["first"]
    game = f"/halls/{hall}/games/{GAME}"
    first = player.open_round(hall)
    limits = {**operator.get(game)["limit_set"]["data"], "abandon_after_seconds": 1}
    etag = operator.http.get(f"/halls/{hall}").headers["ETag"]
    operator.post(f"{game}/limit-sets", {"data": limits, "reason": "faster tables"}, 201, **{"If-Match": etag})
    while first["status"] == "open":
        first = player.act(first, random.Random(2))
    second = player.open_round(hall)
    path = f"/rounds/{second['id']}"
    wait_until(lambda: player.get(path)["status"] == "settled", stack.said)
    origins = [step["origin"] for step in player.get(f"{path}/steps")["results"]]
    assert origins[0] == "player"
    assert set(origins[1:]) == {"timeout"}
    assert [step["origin"] for step in player.get(f"/rounds/{first['id']}/steps")["results"]].count("timeout") == 0
    assert_proven(auditor, stack, second["id"], tmp_path)

"""Streams of a running stack: each viewer's own, without a gap, whatever is cut or killed."""

import asyncio
import json
import random
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest

from casino.embedded.folders import Folders
from casino.embedded.postgres import Postgres
from casino.embedded.secrets import DATABASE
from casino.streams.wakeups import CALLERS_SECONDS, POLL_UNHEARD_SECONDS
from tests.e2e import crowd
from tests.e2e.stacks import PATIENCE_SECONDS, RunningStack, wait_until
from tests.e2e.watching import Told, Watcher, deviations, watching
from tests.e2e.witness import Person

pytestmark = [pytest.mark.xdist_group("stack")]
CUTS = 100
AUDITORS_PASSWORD = "watches-all-day-long"
ENDED_SECONDS_MAX = 1.0


@pytest.fixture(scope="module")
def people(stack: RunningStack) -> Iterator[dict[str, Person]]:
    with ExitStack() as leaving:
        yield {
            name: leaving.enter_context(Person.at(stack.address, name))
            for name in ("player", "player2", "auditor", "supervisor", "operator", "cashier", "admin")
        }


@pytest.fixture(scope="module")
def halls(people: dict[str, Person]) -> dict[str, Any]:
    found = {hall["code"]: hall for hall in people["admin"].http.get("/halls").json()["results"]}
    money = {"hall_id": found["first"]["id"], "amount_minor": 10_000_000, "currency": "EUR"}
    for name in ("player", "player2"):
        paid = people["cashier"].http.post("/deposits", json={**money, "username": name}, headers={"Idempotency-Key": name})
        assert paid.status_code == 201, paid.text
    return found


def token(person: Person) -> str:
    return str(person.http.headers["Authorization"]).removeprefix("Bearer ")


def asked(url: str, person: Person, **headers: str) -> httpx.Response:
    return httpx.get(url, headers={"Authorization": f"Bearer {token(person)}", **headers}, timeout=PATIENCE_SECONDS)


def played(person: Person, shown: Any, chance: random.Random, between: Callable[[Any], object] = lambda shown: None) -> Any:
    while shown["status"] == "open":
        shown = person.act(shown, chance)
        between(shown)
    return shown


def test_a_stream_begins_with_the_position_tells_each_step_as_its_answer_and_ends_with_the_round(
    people: dict[str, Person], halls: dict[str, Any]
) -> None:
    player, chance = people["player"], random.Random(1)
    opened = player.open_round(halls["first"])
    url, answers = opened["stream_url"], {}
    with watching(Watcher(url, token(player))) as own, watching(Watcher(url, token(people["auditor"]))) as audited:
        own.wait_for(0)
        audited.wait_for(0)

        def compared(shown: Any) -> None:
            answers[shown["seq"]] = shown
            own.wait_for(shown["seq"])

        last = played(player, opened, chance, compared)
        wait_until(lambda: own.is_over and audited.is_over)
    assert {**own.told[0].data, "server_time": "", "events": []} == {**opened, "server_time": "", "events": []}
    assert own.steps == answers
    steps = player.http.get(f"/rounds/{opened['id']}/steps").json()["results"]
    assert [each["events"] for each in own.steps.values()] == [each["events"] for each in steps[1:]]
    assert [own.told[0].event, own.connections, last["server_seed"] is None] == ["position", 1, False]
    for told in audited.told:
        assert told.data["seat"] is told.data["available_minor"] is told.data["turn"] is None
        assert told.data["legal_actions"] == []
    assert deviations(audited.told, last["seq"]) == []


def test_a_stream_is_refused_like_any_request(people: dict[str, Person], halls: dict[str, Any]) -> None:
    player = people["player"]
    shown = player.open_round(halls["first"])
    url = shown["stream_url"]
    assert httpx.get(url, timeout=PATIENCE_SECONDS).status_code == 401
    refusals = {"player2": (404, "not_found"), "operator": (403, "forbidden"), "cashier": (403, "forbidden")}
    for name, (status, code) in refusals.items():
        answer = asked(url, people[name])
        assert (answer.status_code, answer.json()["code"]) == (status, code)
        assert answer.headers["Content-Type"] == "application/problem+json"
    for wrong in ("", "-1", "x", "1.0", "٣", "99", str(10**30)):
        answer = asked(url, player, **{"Last-Event-ID": wrong.encode()})  # type: ignore[arg-type]
        assert (answer.status_code, answer.json()["details"]["field"]) == (400, "last_event_id")
    assert asked(f"{url}?last_event_id=99", player).status_code == 400
    assert asked(f"{url}?token=x", player).status_code == 400
    assert httpx.head(url, headers={"Authorization": f"Bearer {token(player)}"}, timeout=PATIENCE_SECONDS).status_code == 200
    origin = url.partition("/api")[0]
    others = ("/healthz", "/readyz", "/api/v1/me", "/static/x")
    assert [asked(origin + path, player).status_code for path in others] == [200, 404, 404, 404]
    played(player, shown, random.Random(2))
    ended = asked(url, player, **{"Last-Event-ID": "0"})
    assert ended.text.endswith("event: end\ndata: {}\n\n")
    assert ended.headers["Cache-Control"] == "no-store"
    assert (ended.headers["X-Accel-Buffering"], ended.headers["Vary"]) == ("no", "Authorization, origin")


@dataclass
class Cutter(Watcher):
    """Hangs up at random points."""

    chance: random.Random = field(default_factory=random.Random)

    def cuts(self) -> bool:
        return self.chance.random() < 0.8


def test_a_hundred_cuts_leave_no_gap_and_no_repeat(people: dict[str, Person], halls: dict[str, Any]) -> None:
    chance, cuts = random.Random(3), 0
    while cuts < CUTS:
        cuts += cuts_endured(people, [halls["first"], halls["second"]], chance)


def cuts_endured(people: dict[str, Person], in_halls: list[Any], chance: random.Random) -> int:
    """Play some rounds at once, each watched by its player and four others who are cut; tell how often they were."""
    others = [people["auditor"], people["supervisor"]] * 2
    with ExitStack() as leaving:

        def watched(player: Person, shown: Any) -> list[Watcher]:
            url, luck = shown["stream_url"], random.Random(chance.random())
            return [leaving.enter_context(watching(Cutter(url, token(each), chance=luck))) for each in (player, *others)]

        opened = [(player, player.open_round(hall)) for player in (people["player"], people["player2"]) for hall in in_halls]
        watchers = [watched(player, shown) for player, shown in opened]
        for (player, shown), of_round in zip(opened, watchers, strict=True):
            last = played(player, shown, chance)
            wait_until(lambda of_round=of_round: all(each.is_over for each in of_round), lambda: str(watchers))
            assert [each for watcher in of_round for each in deviations(watcher.told, last["seq"])] == []
    return sum(watcher.connections - 1 for of_round in watchers for watcher in of_round)


@pytest.mark.slow
def test_a_crowd_misses_nothing(stack: RunningStack, halls: dict[str, Any]) -> None:
    heard = asyncio.run(crowd.gather(stack, rounds=40, watchers=5, rate=25, seconds=20))
    assert (heard.streams, heard.missed) == (200, [])


def test_control_a_gap_and_a_repeat_are_found() -> None:
    told = [Told("position", 0, {}), *(Told("step", seq, {}) for seq in (1, 2, 3))]
    assert deviations(told, 3) == []
    assert deviations([*told[:2], *told[3:]], 3) != []
    assert deviations([*told[:2], *told[1:]], 3) != []
    assert deviations(told[:-1], 3) != []


def test_without_valkey_steps_come_all_the_same(stack: RunningStack, people: dict[str, Person], halls: dict[str, Any]) -> None:
    """A Valkey that hangs is worse than one that is gone; play must not wait for it either."""
    player, chance = people["player"], random.Random(4)
    shown = player.open_round(halls["first"])
    valkey = stack.part("valkey-server")
    with watching(Watcher(shown["stream_url"], token(player))) as own:
        own.wait_for(0)
        valkey.suspend()
        try:
            played(player, shown, chance, lambda shown: own.wait_for(shown["seq"]))
            wait_until(lambda: own.is_over)
        finally:
            valkey.resume()
    assert own.connections == 1
    assert POLL_UNHEARD_SECONDS <= 0.25, "the database is asked four times a second meanwhile"


@pytest.mark.parametrize("valkey_hangs", [False, True])
def test_a_stream_ends_with_its_token_user_or_role(
    stack: RunningStack, people: dict[str, Person], halls: dict[str, Any], valkey_hangs: bool
) -> None:
    """Callers are looked at twice in the second that a stream may last longer."""
    assert set(seconds_to_the_end(stack, people, halls["first"], valkey_hangs)) == {"role", "user", "logout", "expiry"}
    assert 2 * CALLERS_SECONDS <= ENDED_SECONDS_MAX


@pytest.mark.slow
@pytest.mark.parametrize("valkey_hangs", [False, True])
def test_a_stream_ends_within_a_second_where_nothing_else_keeps_the_machine_busy(
    stack: RunningStack, people: dict[str, Person], halls: dict[str, Any], valkey_hangs: bool
) -> None:
    took = seconds_to_the_end(stack, people, halls["first"], valkey_hangs)
    assert {end: seconds for end, seconds in took.items() if seconds >= ENDED_SECONDS_MAX} == {}


def seconds_to_the_end(stack: RunningStack, people: dict[str, Person], hall: Any, valkey_hangs: bool) -> dict[str, float]:
    """Let streams of one round end, each for its own reason and no other with it; tell how long after it."""
    admin, why, took = people["admin"].http, {"reason": "test"}, {}
    shown = people["player"].open_round(hall)
    ends: dict[str, tuple[int, Callable[[Person, str], object]]] = {
        "role": (403, lambda person, path: admin.post(f"{path}/revoke-role", json={**why, "role": "auditor"})),
        "user": (401, lambda person, path: admin.post(f"{path}/disable", json=why)),
        "logout": (401, lambda person, path: person.http.post("/auth/logout", json={})),
        "expiry": (401, lambda person, path: expired(stack, person.name)),
    }
    with ExitStack() as leaving:
        unharmed = leaving.enter_context(watching(Watcher(shown["stream_url"], token(people["player"]), resumes=False)))
        watched = {end: leaving.enter_context(auditor_made(stack, admin, f"{end}-{shown['id'][:8]}")) for end in ends}
        if valkey_hangs:
            valkey = stack.part("valkey-server")
            valkey.suspend()
            leaving.callback(valkey.resume)
        for end, (person, path) in watched.items():
            watcher = leaving.enter_context(watching(Watcher(shown["stream_url"], token(person))))
            watcher.wait_for(0)
            ends[end][1](person, path)
            took[end] = wait_until(lambda watcher=watcher: watcher.refused is not None, lambda end=end: end)
            assert (watcher.connections, watcher.refused and watcher.refused.status_code) == (1, ends[end][0]), end
        assert (unharmed.connections, unharmed.is_over) == (1, False)
    played(people["player"], shown, random.Random(7))
    return took


@contextmanager
def auditor_made(stack: RunningStack, admin: httpx.Client, name: str) -> Iterator[tuple[Person, str]]:
    body = {"username": name, "password": AUDITORS_PASSWORD}
    made = admin.post("/users", json=body, headers={"Idempotency-Key": name})
    path = f"/users/{made.json()['id']}"
    assert admin.post(f"{path}/grant-role", json={"reason": "test", "role": "auditor"}).status_code < 300
    with Person.at(stack.address, name, AUDITORS_PASSWORD) as person:
        yield person, path


def expired(stack: RunningStack, name: str) -> None:
    with Postgres(Folders(stack.checkout, "stack")).connect(DATABASE) as connection:
        token_of = "(SELECT id FROM users_user WHERE username = %s)"
        connection.execute(f"UPDATE knox_authtoken SET expiry = clock_timestamp() WHERE user_id = {token_of}", [name])


def sessions(stack: RunningStack) -> int:
    with Postgres(Folders(stack.checkout, "stack")).connect(DATABASE) as connection:
        rows = connection.execute("SELECT count(*) FROM pg_stat_activity WHERE usename = 'casino_app'").fetchone()
        assert rows is not None
        return int(rows[0])


def test_open_streams_are_bounded_and_hold_no_connection(
    stack: RunningStack, people: dict[str, Person], halls: dict[str, Any]
) -> None:
    player = people["player2"]
    shown = player.open_round(halls["first"])
    before = sessions(stack)
    with ExitStack() as leaving:
        watchers = [leaving.enter_context(watching(Watcher(shown["stream_url"], token(player)))) for _ in range(20)]
        for watcher in watchers:
            watcher.wait_for(0)
        refused = asked(shown["stream_url"], player)
        assert (refused.status_code, refused.json()["code"], refused.headers["Retry-After"]) == (429, "too_many_streams", "5")
        assert sessions(stack) <= before + 8
        shown = played(player, shown, random.Random(5))
        wait_until(lambda: all(watcher.is_over for watcher in watchers))
        assert [each for watcher in watchers for each in deviations(watcher.told, shown["seq"])] == []
    wait_until(lambda: asked(shown["stream_url"], player).status_code == 200)


def test_clients_resume_after_kill_9_of_the_stream_process(
    stack: RunningStack, people: dict[str, Person], halls: dict[str, Any]
) -> None:
    player, chance = people["player2"], random.Random(6)
    shown = player.open_round(halls["first"])
    with watching(Watcher(shown["stream_url"], token(player))) as own:
        own.wait_for(0)
        victim = stack.part("asgi")
        for process in (victim, *victim.children(recursive=True)):
            process.kill()
        last = played(player, shown, chance)
        wait_until(lambda: own.is_over, stack.said)
    assert own.connections > 1
    assert deviations(own.told, last["seq"]) == []
    wait_until(lambda: came_back(stack, victim))


def came_back(stack: RunningStack, victim: psutil.Process) -> bool:
    try:
        return stack.part("asgi") != victim
    except (ValueError, psutil.Error):
        return False


def test_streams_are_logged_with_why_they_ended_and_without_what_they_tell(
    stack: RunningStack, people: dict[str, Person], halls: dict[str, Any]
) -> None:
    player, auditor = people["player"], people["auditor"]
    shown = player.open_round(halls["first"])
    with ExitStack() as leaving:
        person, path = leaving.enter_context(auditor_made(stack, people["admin"].http, "logged"))
        stays, revoked = (leaving.enter_context(watching(Watcher(shown["stream_url"], token(each)))) for each in (player, person))
        stays.wait_for(0)
        revoked.wait_for(0)
        headers = {"Authorization": f"Bearer {token(auditor)}"}
        with httpx.stream("GET", shown["stream_url"], headers=headers, timeout=PATIENCE_SECONDS) as answer:
            next(answer.iter_lines())
        people["admin"].http.post(f"{path}/disable", json={"reason": "test"})
        wait_until(lambda: revoked.refused is not None)
        played(player, shown, random.Random(8))
        wait_until(lambda: stays.is_over)
    log = Folders(stack.checkout, "stack").logs / "streams.log"
    wait_until(lambda: ends_logged(log, shown["id"]) == ["left", "over", "revoked"], log.read_text)
    text = log.read_text()
    assert "legal_actions" not in text
    assert [each for each in (token(player), token(person), token(auditor)) if each in text] == []


def ends_logged(log: Path, round_id: str) -> list[str]:
    ended = [json.loads(line) for line in log.read_text().splitlines() if '"stream_ended"' in line]
    return sorted(each["why"] for each in ended if each["topic_id"] == round_id)

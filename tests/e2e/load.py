"""Rounds under load: players who never give up a request, and who keep their own account of every answer they accepted."""

import json
import random
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import httpx

GAME = "russian_poker"
ANTE_MINOR, BONUS_MINOR = 100, 10
ANSWER_SECONDS_MAX = 90
PAUSE_SECONDS = 0.1
ABANDON_AFTER_SECONDS = 2
ABANDONED_SHARE = 0.05
UNFINISHED = {429, 502, 503}


class Broken(Exception):
    """The service answered what it must not, or not at all."""


class Client:
    """Somebody logged in who repeats a request, with the same key and body, until it is answered."""

    def __init__(self, address: str, name: str, password: str, login_address: str) -> None:
        self.http = httpx.Client(base_url=f"{address}/api/v1", timeout=15)
        self.retries = 0
        login = httpx.post(f"{login_address}/api/v1/auth/login", json={"username": name, "password": password}, timeout=15)
        assert login.status_code == 200, login.text
        self.http.headers["Authorization"] = f"Bearer {login.json()['token']}"

    def close(self) -> None:
        self.http.close()

    def send(self, method: str, path: str, body: Any = None, key: str | None = None, **headers: str) -> httpx.Response:
        """Send until answered; whatever lets the outcome be unknown is tried again."""
        content = None if body is None else json.dumps(body).encode()
        headers |= {"Content-Type": "application/json"} if content else {}
        headers |= {"Idempotency-Key": key} if key else {}
        pause = threading.Event()
        for _ in range(int(ANSWER_SECONDS_MAX / PAUSE_SECONDS)):
            try:
                answer = self.http.request(method, path, content=content, headers=headers)
            except httpx.TransportError:
                answer = None
            if answer is not None and answer.status_code not in UNFINISHED and b'"idempotency_in_progress"' not in answer.content:
                if answer.status_code >= 500:
                    raise Broken(f"{method} {path}: {answer.status_code} {answer.text}")
                return answer
            self.retries += 1
            pause.wait(PAUSE_SECONDS)
        raise Broken(f"{method} {path}: no answer in {ANSWER_SECONDS_MAX} s")

    def get(self, path: str) -> Any:
        answer = self.send("GET", path)
        if answer.status_code != 200:
            raise Broken(f"GET {path}: {answer.status_code} {answer.text}")
        return answer.json()

    def post(self, path: str, body: Any, *expected: int, key: str | None = None, **headers: str) -> Any:
        answer = self.send("POST", path, body, key or uuid4().hex, **headers)
        if answer.status_code not in (expected or (200, 201)):
            raise Broken(f"POST {path}: {answer.status_code} {answer.text}")
        return answer.json()

    def pages(self, path: str) -> list[Any]:
        """Read a list to its end."""
        found, address = [], path
        while address:
            page = self.get(address)
            found += page["results"]
            address = page["next"]
        return found


@dataclass
class Player:
    """A player with money, and what they know of it from accepted answers alone."""

    client: Client
    hall_id: str
    chance: random.Random
    paid_in_minor: int
    closed_net_minor: int = 0
    rounds: dict[str, tuple[str, int]] = field(default_factory=dict)
    """Each round whose opening was accepted: its status and what it has brought, by the last accepted answer."""
    staked_minor: int = 0
    """What this player has staked in the round at hand, by their own count."""
    answers: int = 0
    timed_out: int = 0

    def play_on(self, stop: threading.Event) -> None:
        """Play round after round; the one at hand is brought to an end."""
        while not stop.is_set():
            self.play_round()

    def play_round(self) -> None:
        shown = self._open()
        while shown["status"] == "open":
            is_left = self.chance.random() < ABANDONED_SHARE
            shown = self._wait(shown) if is_left else self._act(shown)
        self.closed_net_minor += _net_minor(shown)

    def _open(self) -> Any:
        made = self.client.post("/commitments", {"hall_id": self.hall_id, "game": GAME})
        numbers = self.chance.sample((1, 2, 3, 4, 5), self.chance.randint(1, 3))
        boxes = [{"box": box, "ante_minor": ANTE_MINOR, "bonus_minor": BONUS_MINOR} for box in sorted(numbers)]
        body = {"game": GAME, "hall_id": self.hall_id, "round_id": made["round_id"], "client_seed": "load", "boxes": boxes}
        self.staked_minor = sum(3 * ANTE_MINOR + BONUS_MINOR for _ in boxes)
        return self._accepted(self.client.post("/rounds", body, 201))

    def _act(self, shown: Any) -> Any:
        offered = self.chance.choice([spec for spec in shown["legal_actions"] if spec["affordable"]])
        action, cost_minor = chosen(offered, self.chance)
        path, body = f"/rounds/{shown['id']}", {"turn": shown["turn"], "action": action}
        key = uuid4().hex if self.chance.random() < 0.5 else None
        answer = self.client.send("POST", f"{path}/actions", body, key)
        if answer.status_code == 409:
            return self._overtaken(shown, answer.json()["code"])
        if answer.status_code != 200:
            raise Broken(f"{path}/actions {body}: {answer.status_code} {answer.text}")
        self.staked_minor += cost_minor
        return self._accepted(answer.json())

    def _overtaken(self, shown: Any, code: str) -> Any:
        """Somebody else has moved the round on: the sweep, or a supervisor by a void."""
        if code not in ("round_closed", "deadline_passed", "turn_already_played"):
            raise Broken(f"{shown['id']}: {code}")
        return self._wait(shown)

    def _wait(self, shown: Any) -> Any:
        """Look until the round has gone on without this player; then what was staked is the server's word."""
        pause = threading.Event()
        for _ in range(int(ANSWER_SECONDS_MAX / PAUSE_SECONDS)):
            now = self.client.get(f"/rounds/{shown['id']}")
            if now["turn"] != shown["turn"] or now["status"] != "open":
                self.timed_out += 1
                self.staked_minor = now["seats"][0]["staked_minor"]
                return self._accepted(now)
            pause.wait(PAUSE_SECONDS)
        raise Broken(f"{shown['id']} waits for ever, for {shown['deadline']}")

    def _accepted(self, shown: Any) -> Any:
        """Hold an answer to what this player knows."""
        self.answers += 1
        self.rounds[shown["id"]] = (shown["status"], _net_minor(shown))
        seat = shown["seats"][0]
        expected_minor = self.paid_in_minor + self.closed_net_minor + _net_minor(shown)
        if shown["available_minor"] != expected_minor:
            raise Broken(f"{shown['id']} at {shown['seq']}: {expected_minor} expected, {shown['available_minor']} there")
        if shown["status"] == "voided" and _net_minor(shown) < 0:
            raise Broken(f"{shown['id']} was voided and kept {-_net_minor(shown)}")
        if shown["status"] == "open" and seat["staked_minor"] != self.staked_minor:
            raise Broken(f"{shown['id']} at {shown['seq']}: {self.staked_minor} staked, {seat['staked_minor']} taken")
        return shown

    def deviations(self) -> list[str]:
        """Compare the service's books with this player's."""
        found = []
        (account,) = self.client.get("/accounts")["results"]
        standing = (account["available_minor"], account["held_minor"])
        known_minor = self.paid_in_minor + self.closed_net_minor
        if standing != (known_minor, 0):
            found.append(f"account {account['id']}: the player knows {known_minor}, it holds {standing}")
        brought: dict[str, int] = dict.fromkeys(self.rounds, 0)
        (deposit, *moves) = reversed(self.client.pages(f"/accounts/{account['id']}/transfers?page_size=100"))
        for move in moves:
            brought[move["round_id"]] = brought.get(move["round_id"], 0) + _signed_minor(move)
        known = {round_id: net_minor for round_id, (_, net_minor) in self.rounds.items()}
        if brought != known or _signed_minor(deposit) != self.paid_in_minor:
            found.append(f"account {account['id']}: its transfers deviate in {set(brought.items()) ^ set(known.items())}")
        listed = {each["id"]: (each["status"], _net_minor(each)) for each in self.client.pages("/rounds?page_size=100")}
        if listed != self.rounds:
            found.append(f"account {account['id']}: its rounds deviate in {set(listed.items()) ^ set(self.rounds.items())}")
        return found


@dataclass
class Counter:
    """A cashier who pays one player in and out."""

    client: Client
    hall_id: str
    username: str
    chance: random.Random
    balance_minor: int = 0
    posted: int = 0

    def serve(self, stop: threading.Event) -> None:
        while not stop.is_set():
            pays_out = self.balance_minor > 1_000 and self.chance.random() < 0.4
            amount_minor = self.chance.randint(1, 1_000)
            self.pay(-amount_minor if pays_out else amount_minor)
            stop.wait(PAUSE_SECONDS)

    def pay(self, amount_minor: int) -> None:
        body = {"hall_id": self.hall_id, "username": self.username, "amount_minor": abs(amount_minor), "currency": "EUR"}
        line = self.client.post("/deposits" if amount_minor > 0 else "/withdrawals", body, 201)
        self.balance_minor += amount_minor
        self.posted += 1
        if line["balance_after_minor"] != self.balance_minor:
            raise Broken(f"{self.username}: {self.balance_minor} expected, {line['balance_after_minor']} there")

    def deviations(self, player: Client) -> list[str]:
        (account,) = player.get("/accounts")["results"]
        lines = player.pages(f"/accounts/{account['id']}/transfers?page_size=100")
        if (account["available_minor"], len(lines)) != (self.balance_minor, self.posted):
            return [f"{self.username}: {self.balance_minor} in {self.posted} payments expected, {account} in {len(lines)}"]
        return []


def void_at_random(supervisor: Client, chance: random.Random, stop: threading.Event) -> None:
    """Void an open round now and then."""
    while not stop.wait(2):
        standing = supervisor.get("/rounds?status=open")["results"]
        if standing:
            path = f"/rounds/{chance.choice(standing)['id']}/void"
            supervisor.post(path, {"reason": "drill"}, 200, 409)


class Crew:
    """Everybody at work, each in a thread; the first thing that must not be stops the run."""

    def __init__(self) -> None:
        self.stop = threading.Event()
        self.broken: list[str] = []
        self._threads: list[threading.Thread] = []

    def set_to_work(self, work: Callable[[threading.Event], None]) -> None:
        def guarded() -> None:
            try:
                work(self.stop)
            except Exception as error:
                self.broken.append(f"{type(error).__name__}: {error}")

        self._threads.append(threading.Thread(target=guarded, daemon=True))
        self._threads[-1].start()

    def finish(self) -> None:
        """Let everybody bring to an end what they are at."""
        self.stop.set()
        for thread in self._threads:
            thread.join(2 * ANSWER_SECONDS_MAX)
            if thread.is_alive():
                self.broken.append("somebody waits for ever")


def _net_minor(shown: Any) -> int:
    seat = shown["seats"][0]
    return int(seat["returned_minor"] - seat["staked_minor"])


def _signed_minor(line: Any) -> int:
    return int(line["amount_minor"] if line["direction"] == "in" else -line["amount_minor"])


def chosen(offered: Any, chance: random.Random) -> tuple[dict[str, Any], int]:
    """Return an action of an offered kind, and what it costs."""
    action, cost_minor = {"type": offered["type"]}, offered["cost_minor"]
    for name, parameter in offered["parameters"].items():
        if parameter["kind"] == "one_of":
            action[name] = chance.choice(parameter["options"])
        elif parameter["kind"] == "subset_of":
            action[name] = chance.sample(parameter["options"], chance.randint(parameter["min"], parameter["max"]))
        else:
            cost_minor = action[name] = parameter["min_minor"]
    if action["type"] == "fold":
        cost_minor -= 2 * ANTE_MINOR  # what was held for the Bet was never staked
    return action, cost_minor

"""Somebody at the API who remembers every answer, and a witness of all that a running stack gives away or stores."""

import json
import random
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from uuid import uuid4

import httpx
import psycopg
import redis
from psycopg import sql

from casino.embedded.folders import Folders
from casino.embedded.postgres import Postgres
from casino.embedded.secrets import DATABASE
from casino.embedded.valkey import Valkey
from tests.e2e.stacks import RunningStack
from tests.e2e.watching import events_of

GAME = "russian_poker"
ANTE_MINOR = {"first": 100, "second": 100, "vip": 2500}
NEW_CONNECTIONS = httpx.Limits(max_keepalive_connections=0)  # the server closes one that has been idle for long


class Heard(NamedTuple):
    """An answer, and the path it was given for."""

    path: str
    status: int
    head: bytes
    body: bytes


@dataclass
class Person:
    """Somebody at the API, and every answer they got, with the round it is about."""

    name: str
    http: httpx.Client
    heard: list[Heard] = field(default_factory=list)

    @classmethod
    @contextmanager
    def at(cls, address: str, name: str, password: str = "") -> Iterator["Person"]:
        person = cls(name, httpx.Client(base_url=f"{address}/api/v1", timeout=30, limits=NEW_CONNECTIONS))
        if name:
            login = person.http.post("/auth/login", json={"username": name, "password": password or f"{name}-demo"}).json()
            person.http.headers["Authorization"] = f"Bearer {login['token']}"
        person.http.event_hooks["response"].append(person.hear)
        with closing(person.http):
            yield person

    def hear(self, answer: httpx.Response) -> None:
        head = "\n".join(f"{name}: {value}" for name, value in answer.headers.items())
        self.heard.append(Heard(answer.request.url.path, answer.status_code, head.encode(), answer.read()))

    def watch(self, url: str, until_seq: int) -> None:
        """Watch a round from its opening up to a step, or be refused; each event is an answer about it."""
        path = httpx.URL(url).path
        headers = {"Authorization": self.http.headers.get("Authorization", ""), "Last-Event-ID": "0"}
        with httpx.stream("GET", url, headers=headers, timeout=30) as answer:
            head = "\n".join(f"{name}: {value}" for name, value in answer.headers.items()).encode()
            if answer.status_code != 200:
                self.heard.append(Heard(path, answer.status_code, head, answer.read()))
                return
            for told in events_of(answer.iter_lines()):
                self.heard.append(Heard(path, 200, head + b"\nevent: json", json.dumps(told.data).encode()))
                if told.seq is None or told.seq >= until_seq:
                    return

    def open_round(self, hall: Any) -> Any:
        made = self.http.post("/commitments", json={"hall_id": hall["id"], "game": GAME}).json()
        boxes = [{"box": box, "ante_minor": ANTE_MINOR[hall["code"]]} for box in (1, 3)]
        body = {"game": GAME, "hall_id": hall["id"], "round_id": made["round_id"], "client_seed": self.name, "boxes": boxes}
        answer = self.http.post("/rounds", json=body, headers={"Idempotency-Key": uuid4().hex})
        assert answer.status_code == 201, answer.text
        return answer.json()

    def act(self, shown: Any, chance: random.Random) -> Any:
        offered = chance.choice([spec for spec in shown["legal_actions"] if spec["affordable"]])
        action = {"type": offered["type"]}
        for name, parameter in offered["parameters"].items():
            if parameter["kind"] == "one_of":
                action[name] = chance.choice(parameter["options"])
            elif parameter["kind"] == "subset_of":
                action[name] = chance.sample(parameter["options"], chance.randint(1, parameter["max"]))
            else:
                action[name] = parameter["min_minor"]
        answer = self.http.post(f"/rounds/{shown['id']}/actions", json={"turn": shown["turn"], "action": action})
        assert answer.status_code == 200, answer.text
        return answer.json()

    def open_until(self, hall: Any, phase: str, chance: random.Random) -> Any:
        """Open rounds and play on until one waits in the phase, after an action or more."""
        shown = self.act(self.open_round(hall), chance)
        while shown["status"] != "open" or shown["view"]["phase"] != phase:
            shown = self.act(self.open_round(hall) if shown["status"] != "open" else shown, chance)
        return shown


@dataclass
class Witness:
    """Everything that can be got hold of at a stack."""

    stack: RunningStack
    people: dict[str, Person]
    messages: list[bytes] = field(default_factory=list)

    @property
    def folders(self) -> Folders:
        return Folders(self.stack.checkout, "stack")

    def valkey(self) -> redis.Redis:
        return redis.Redis(unix_socket_path=str(Valkey(self.folders).socket))

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Hear every command that Valkey gets: Celery's messages among them."""
        with closing(self.valkey()) as client, client.monitor() as monitor:

            def listen() -> None:
                try:
                    for command in monitor.listen():
                        self.messages.append(command["command"].encode())
                except (redis.RedisError, OSError, ValueError):
                    return  # the connection was closed

            thread = threading.Thread(target=listen, daemon=True)
            thread.start()
            try:
                yield
            finally:
                monitor.connection.disconnect()
                thread.join(10)

    def everything(self) -> dict[str, list[bytes]]:
        """Take all that there is now, by its place."""
        taken = {
            f"api as {name or 'nobody'}": [part for answer in each.heard for part in answer[2:]]
            for name, each in self.people.items()
        }
        taken["valkey messages"] = list(self.messages)
        taken["valkey keys"] = list(self._keys())
        taken |= {f"log {path.name}": [path.read_bytes()] for path in self.folders.logs.glob("*")}
        taken["log of the stack"] = [self.stack.said().encode()]
        with Postgres(self.folders).connect(DATABASE) as connection:
            taken |= {f"table {name}": list(_copied(connection, name)) for name in _tables(connection)}
        return taken

    def _keys(self) -> Iterator[bytes]:
        readers: dict[bytes, Callable[[redis.Redis, bytes], Any]] = {
            b"string": lambda client, key: client.get(key),
            b"list": lambda client, key: client.lrange(key, 0, -1),
            b"set": lambda client, key: client.smembers(key),
            b"hash": lambda client, key: client.hgetall(key),
            b"zset": lambda client, key: client.zrange(key, 0, -1),
            b"none": lambda client, key: (),  # gone since it was listed
        }
        with closing(self.valkey()) as client:
            for key in client.scan_iter():
                yield key
                value = readers[client.type(key)](client, key)
                pairs = value.items() if isinstance(value, dict) else [(value,)] if isinstance(value, bytes) else [value or ()]
                for part in pairs:
                    yield from part

    def shell(self, code: str) -> str:
        """Run code in the service's own Python, its log beside the others."""
        with (self.folders.logs / "shell.log").open("ab") as log:
            command = [sys.executable, "manage.py", "shell", "--no-imports", "--command", code]
            done = subprocess.run(command, cwd=self.stack.checkout, env={}, stdout=subprocess.PIPE, stderr=log, check=True)
        return done.stdout.decode()


def _tables(connection: psycopg.Connection[Any]) -> list[str]:
    rows = connection.execute("SELECT schemaname || '.' || tablename FROM pg_tables WHERE schemaname <> 'information_schema'")
    return [name for (name,) in rows if not name.startswith("pg_catalog.")] + ["pg_catalog.pg_stat_activity"]


def _copied(connection: psycopg.Connection[Any], name: str) -> Iterator[bytes]:
    """Copy a table out, as text and as it is stored."""
    rows = sql.SQL("SELECT * FROM {}").format(sql.Identifier(*name.split(".")))
    for form in ("text", "binary"):
        statement = sql.SQL("COPY ({}) TO STDOUT (FORMAT {})").format(rows, sql.SQL(form))
        if form == "binary" and name.startswith("pg_catalog."):
            continue
        with connection.cursor() as cursor, cursor.copy(statement) as copy:
            yield b"".join(bytes(block) for block in copy)

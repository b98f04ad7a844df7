"""The server keeps streams open, shows signs of life, drops who does not read, and has only so many places."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from casino.errors import Busy, RateLimited
from casino.streams.hub import QUEUED_MAX, Hub
from casino.streams.limits import Places
from casino.streams.server import StreamServer
from tests.unit.casino.stream_log import ID, Log, opened

SECONDS_MAX = 120


class Client:
    """The other side of one request: what it was sent, and whether it reads and stays."""

    def __init__(self) -> None:
        self.bodies: list[dict[str, Any]] = []
        self.reads = asyncio.Event()
        self.reads.set()
        self.left = asyncio.Event()

    async def send(self, message: dict[str, Any]) -> None:
        await self.reads.wait()
        self.bodies.append(message)

    async def receive(self) -> dict[str, Any]:
        await self.left.wait()
        return {"type": "http.disconnect"}

    @property
    def text(self) -> str:
        return b"".join(message["body"] for message in self.bodies).decode()


@pytest.fixture
def server() -> Iterator[StreamServer]:
    made = StreamServer()
    yield made
    made.threads.shutdown()


def run(scenario: Any) -> None:
    asyncio.run(asyncio.wait_for(scenario, SECONDS_MAX))


async def until(client: Client, words: str) -> None:
    while words not in client.text:
        await asyncio.sleep(0)


def test_a_stream_is_ended_as_http_wants_it_when_its_topic_is_over(server: StreamServer) -> None:
    async def scenario() -> None:
        server.hub, log, client = Hub(), Log(), Client()
        log.written, log.closed = 2, True
        await server._keep_open(opened(log, 0), client.receive, client.send)
        assert client.text.startswith("retry: 1000\n\nevent: step\nid: 1\ndata: {}\n\nevent: step\nid: 2\n")
        assert client.text.endswith("event: end\ndata: {}\n\n")
        assert [message.get("more_body", False) for message in client.bodies][-2:] == [True, False]
        assert server.hub.feeds == {}

    run(scenario())


def test_silence_is_broken_by_signs_of_life(server: StreamServer, settings: Any) -> None:
    settings.STREAM_HEARTBEAT_SECONDS = 0.01

    async def scenario() -> None:
        server.hub, log, client = Hub(), Log(), Client()
        keeping = asyncio.create_task(server._keep_open(opened(log, 0), client.receive, client.send))
        await until(client, ":\n\n:\n\n:\n\n")
        client.left.set()
        await keeping
        assert server.hub.feeds == {}

    run(scenario())


def test_a_client_that_does_not_read_is_left_and_leaves_nothing_behind(server: StreamServer) -> None:
    async def scenario() -> None:
        server.hub, log, client = Hub(), Log(), Client()
        keeping = asyncio.create_task(server._keep_open(opened(log, 0), client.receive, client.send))
        await until(client, "retry")
        client.reads.clear()
        (subscriber,) = server.hub.subscribers
        while not keeping.done():
            log.written += 1
            server.hub.stir("log", ID, log.written)
            while subscriber.after < log.written and not keeping.done():
                await asyncio.sleep(0)
        assert log.written > QUEUED_MAX
        assert server.hub.feeds == {}
        assert "event" not in client.text

    run(scenario())


def test_places_are_bounded_for_a_user_and_in_all_and_come_back(settings: Any) -> None:
    settings.STREAMS_PER_USER, settings.STREAMS_PER_PROCESS = 2, 3
    places = Places()
    for user in (1, 1, 2):
        places.take(user)
    with pytest.raises(RateLimited, match="too many"):
        places.take(1)
    with pytest.raises(Busy, match="No more"):
        places.take(2)
    places.give_back(1)
    places.take(2)
    for user in (1, 2, 2):
        places.give_back(user)
    assert not places.taken

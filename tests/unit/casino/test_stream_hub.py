"""The hub hands every stream each message once and in order, whenever it joins, however slowly others read, whatever fails."""

import asyncio
import random
from typing import Any

import pytest
from django.db import OperationalError

from casino.streams import hub as hubs
from casino.streams.hub import QUEUED_MAX, Hub, Subscriber
from casino.streams.responses import Opened
from casino.streams.topics import Message
from casino.users.models import User
from tests.unit.casino.stream_log import ID, Log, opened

SECONDS_MAX = 120


def joined(hub: Hub, log: Log, after: int, viewer: Any = "anybody", epoch: int = 0) -> Subscriber:
    return hub.join(opened(log, after, viewer, epoch))


async def heard(subscriber: Subscriber) -> list[int]:
    """Read a stream to its end."""
    numbers: list[int] = []
    while (batch := await subscriber.queue.get()) is not None:
        numbers += [message.seq for message in batch]
    return numbers


async def numbered(subscriber: Subscriber, seq: int) -> None:
    """Read a stream up to a number."""
    while subscriber.after < seq or not subscriber.queue.empty():
        await subscriber.queue.get()


def run(scenario: Any) -> None:
    asyncio.run(asyncio.wait_for(scenario, SECONDS_MAX))


@pytest.mark.parametrize("seed", range(20))
def test_everybody_hears_everything_after_what_they_have_once_and_in_order(seed: int) -> None:
    async def scenario() -> None:
        chance, log, hub = random.Random(seed), Log(), Hub()
        joining: list[tuple[int, asyncio.Task[list[int]]]] = []
        for _ in range(60):
            log.written += chance.randint(0, 3)
            if chance.random() < 0.5:
                hub.stir("log", ID, log.written)
            if chance.random() < 0.3:
                after = chance.randint(0, log.written)
                joining.append((after, asyncio.create_task(heard(joined(hub, log, after, chance.choice("abc"))))))
            await asyncio.sleep(0)
        joining.append((0, asyncio.create_task(heard(joined(hub, log, 0)))))
        log.closed, log.written = True, log.written + 1
        hub.stir("log", ID, log.written)
        for after, task in joining:
            assert await task == list(range(after + 1, log.written + 1))

    run(scenario())


def test_what_is_new_is_read_once_and_made_once_for_each_kind_of_viewer() -> None:
    async def scenario() -> None:
        log, hub = Log(), Hub()
        streams = [joined(hub, log, 0, viewer) for viewer in "aaaabbbb"]
        while log.reads == 0:
            await asyncio.sleep(0)
        log.written, log.reads = 1, 0
        hub.stir("log", ID, 1)
        for stream in streams:
            await numbered(stream, 1)
        assert (log.reads, sorted(log.made)) == (1, [(1, "a"), (1, "b")])

    run(scenario())


def test_a_slow_reader_is_ended_and_holds_up_nobody() -> None:
    async def scenario() -> None:
        log, hub = Log(), Hub()
        slow, quick = joined(hub, log, 0), joined(hub, log, 0)
        for seq in range(1, QUEUED_MAX + 2):
            assert not slow.ended.done()
            log.written = seq
            hub.stir("log", ID, seq)
            await numbered(quick, seq)
        assert slow.ended.result() == "slow"
        assert slow.queue.qsize() == QUEUED_MAX
        assert not quick.ended.done()
        hub.leave(slow)
        hub.leave(quick)
        assert hub.feeds == {}

    run(scenario())


def test_a_lost_word_is_made_up_for_by_the_poll_and_by_nothing_else() -> None:
    async def scenario() -> None:
        log, hub = Log(), Hub()
        stream = joined(hub, log, 0)
        while log.reads == 0:
            await asyncio.sleep(0)
        log.written = 1
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.2):
                await stream.queue.get()
        await hub.poll()
        await numbered(stream, 1)
        reads = log.reads
        await hub.poll()
        assert (log.reads, stream.queue.empty()) == (reads, True)

    run(scenario())


def test_what_changes_without_a_message_is_told_again_under_the_last_number() -> None:
    async def scenario() -> None:
        log, hub = Log(), Hub()
        log.written = 3
        stream, behind = joined(hub, log, 3), joined(hub, log, 0, viewer="somebody else")
        await hub.poll()
        await numbered(behind, 3)
        log.changes = 1
        await hub.poll()
        for each in (stream, behind):
            assert [(message.event, message.seq) for message in await each.queue.get() or []] == [("position", 3)]
        await hub.poll()
        await asyncio.sleep(0.05)
        assert stream.queue.empty()

    run(scenario())


async def everything(subscriber: Subscriber) -> list[Message]:
    """Read a stream to its end."""
    messages: list[Message] = []
    while (batch := await subscriber.queue.get()) is not None:
        messages += batch
    return messages


@pytest.mark.parametrize(("after", "epoch"), [(9, 5), (9, 0), (0, 0)], ids=["opened just before", "resumes", "resumes late"])
def test_a_change_before_the_first_poll_is_told_once(after: int, epoch: int) -> None:
    async def scenario() -> None:
        log, hub = Log(), Hub()
        log.written, log.changes = 9, 6
        stream = joined(hub, log, after, epoch=epoch)
        told = asyncio.create_task(everything(stream))
        for _ in range(2):
            await hub.poll()
            while (stream.after, stream.epoch) != (9, 6):
                await asyncio.sleep(0)
        log.closed, log.written = True, 10
        hub.stir("log", ID, 10)
        steps = [("step", seq) for seq in range(after + 1, 10)]
        assert [(message.event, message.seq) for message in await told] == [*steps, ("position", 9), ("step", 10)]

    run(scenario())


@pytest.mark.parametrize("seed", range(20))
def test_whatever_changes_between_messages_everybody_is_told_under_the_number_that_they_have(seed: int) -> None:
    async def scenario() -> None:
        chance, log, hub = random.Random(seed), Log(), Hub()
        joining: list[tuple[Opened, asyncio.Task[list[Message]]]] = []
        for turn in range(80):
            log.written += chance.randint(0, 2)
            log.changes += chance.random() < 0.2
            if chance.random() < 0.4:
                is_new = chance.random() < 0.5
                after, epoch = (log.written, log.changes) if is_new else (chance.randint(0, log.written), 0)
                opening = opened(log, after, chance.choice("abc"), epoch)
                joining.append((opening, asyncio.create_task(everything(hub.join(opening)))))
            if turn % 5 == 0:
                await hub.poll()
            await asyncio.sleep(0)
        await hub.poll()
        while any(each.epoch < log.changes or each.after < log.written for each in hub.subscribers):
            await asyncio.sleep(0)
        log.closed, log.written = True, log.written + 1
        hub.stir("log", ID, log.written)
        for opening, task in joining:
            told, after, known = await task, opening.after, opening.epoch
            for message in told:
                is_again = message.event == "position"
                assert message.seq == (after if is_again else after + 1)
                after, known = message.seq, int(message.data) if is_again else known
            assert (after, known) == (log.written, log.changes)

    run(scenario())


def test_a_stream_ends_when_its_source_admits_its_user_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hubs, "callers_find", lambda digests: {digest: (User(), None) for digest in digests})

    async def scenario() -> None:
        log, hub = Log(), Hub()
        log.admitted = {"seat", "spectator"}
        seat, spectator = joined(hub, log, 0, "seat"), joined(hub, log, 0, "spectator")
        await hub.callers_check()
        assert not (seat.ended.done() or spectator.ended.done())
        log.admitted = {"seat"}
        await hub.callers_check()
        assert (seat.ended.done(), spectator.ended.result()) == (False, "revoked")

    run(scenario())


def test_a_lost_database_only_delays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hubs, "RETRY_SECONDS", 0)

    async def scenario() -> None:
        log, hub = Log(), Hub()
        log.failures, log.written = [OperationalError(), OperationalError()], 3
        stream = joined(hub, log, 1)
        await numbered(stream, 3)
        assert log.made == [(2, "anybody"), (3, "anybody")]

    run(scenario())


def test_a_fault_ends_the_streams_of_its_topic_and_the_next_ones_begin_anew() -> None:
    async def scenario() -> None:
        log, hub = Log(), Hub()
        log.failures, log.written = [KeyError("a fault of ours")], 1
        broken = joined(hub, log, 0)
        assert await broken.ended == "failed"
        again = joined(hub, log, 0)
        await numbered(again, 1)
        hub.leave(broken)
        hub.leave(again)
        assert hub.feeds == {}

    run(scenario())

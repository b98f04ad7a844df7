"""Feeding the open streams of one process: what is new is read once per topic, made once per kind of viewer, and handed to all.

All of this runs in one event loop; the database is asked in a few threads, and no connection is held between two questions.
"""

import asyncio
from collections.abc import Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar
from uuid import UUID

import structlog
from django.db import DatabaseError, InterfaceError, connections

from casino.streams.responses import Opened
from casino.streams.topics import Message, Source, Topic
from casino.users.authentication import callers_find

THREADS = 4
QUEUED_MAX = 64
"""So many batches may wait for a client that reads slowly; then its stream ends, and it resumes when it has caught up."""
RETRY_SECONDS = 1.0
logger = structlog.get_logger(__name__)
Answer = TypeVar("Answer")
Batch = list[Message] | None
"""Messages to send; None for the end."""
_UNREACHABLE = (DatabaseError, InterfaceError)


class Subscriber:
    """One open stream: what was put into its queue last, by number and by epoch, and why it is to end, once it is."""

    def __init__(self, opened: Opened) -> None:
        self.opened = opened
        self.after = opened.after
        self.epoch = opened.epoch
        self.queue: asyncio.Queue[Batch] = asyncio.Queue(QUEUED_MAX)
        self.ended: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self.is_complete = False

    @property
    def wants(self) -> tuple[Any, int]:
        return self.opened.snapshot.viewer, self.after

    def put(self, batch: Batch) -> None:
        try:
            self.queue.put_nowait(batch)
        except asyncio.QueueFull:
            self.end("slow")

    def end(self, why: str) -> None:
        if not self.ended.done():
            self.ended.set_result(why)


class Feed:
    """The streams of one topic."""

    def __init__(self, hub: "Hub", source: Source, topic_id: UUID, after: int) -> None:
        self.hub, self.source, self.topic_id = hub, source, topic_id
        self.topic: Topic = source.topic(topic_id, after)
        self.subscribers: set[Subscriber] = set()
        self.stirred = asyncio.Event()
        self.task = asyncio.create_task(self._run())

    async def _run(self) -> None:
        while True:
            await self.stirred.wait()
            self.stirred.clear()
            wants = {each.wants for each in self.subscribers if not each.is_complete}
            self._reach_back(min((after for _, after in wants), default=self.topic.begins_after))
            try:
                self._hand_out(await self.hub.ask(partial(self._read, wants)))
                if viewers := {each.opened.snapshot.viewer for each in self.subscribers if self._is_outdated(each)}:
                    self._restate(*await self.hub.ask(partial(self._positions, viewers)))
            except _UNREACHABLE:
                await asyncio.sleep(RETRY_SECONDS)
                self.stirred.set()
            except Exception:
                logger.exception("stream_feed_failed", source=self.source.name, topic_id=str(self.topic_id))
                for each in self.subscribers:
                    each.end("failed")
                return

    def _reach_back(self, after: int) -> None:
        """Begin the topic anew where somebody has joined who lacks what was before its beginning."""
        if after < self.topic.begins_after:
            self.topic = self.source.topic(self.topic_id, after)

    def _read(self, wants: Collection[tuple[Any, int]]) -> dict[tuple[Any, int], list[Message]]:
        self.topic.read()
        return {(viewer, after): list(self.topic.messages(after=after, viewer=viewer)) for viewer, after in wants}

    def _is_outdated(self, each: Subscriber) -> bool:
        """Whether a stream has all messages, but may lack a change that came without one."""
        is_behind = each.epoch < self.hub.epochs.get(self.source.name, 0)
        return is_behind and self._has_all(each) and not each.is_complete

    def _has_all(self, each: Subscriber) -> bool:
        return each.after >= self.topic.reached(each.opened.snapshot.viewer)

    def _positions(self, viewers: Collection[Any]) -> tuple[int, dict[Any, Message]]:
        epoch = self.source.epoch()
        return epoch, {viewer: self.source.position(topic_id=self.topic_id, viewer=viewer) for viewer in viewers}

    def _restate(self, epoch: int, positions: dict[Any, Message]) -> None:
        """Tell streams how things stand now, each under the number that it has. One that lacks a message is told that first."""
        for each in self.subscribers:
            position = positions.get(each.opened.snapshot.viewer)
            if position is None or not self._is_outdated(each):
                continue
            if position.seq == each.after:
                each.put([position])
                each.epoch = epoch
            else:
                self.stirred.set()

    def _hand_out(self, batches: dict[tuple[Any, int], list[Message]]) -> None:
        """Give each stream what it lacks. One that has joined since the reading is given it by the next."""
        for each in self.subscribers:
            if batch := batches.get(each.wants):
                each.put(batch)
                each.after = batch[-1].seq
                if not self._has_all(each):
                    self.stirred.set()
            if self.topic.is_over and self._has_all(each) and not each.is_complete:
                each.is_complete = True
                each.put(None)


class Hub:
    """All open streams of a process."""

    def __init__(self) -> None:
        self.feeds: dict[tuple[str, UUID], Feed] = {}
        self.epochs: dict[str, int] = {}
        """How far the sources have come, as of the last poll."""
        self.threads = ThreadPoolExecutor(THREADS, "streams")

    async def ask(self, question: Callable[[], Answer]) -> Answer:
        """Ask the database in a thread, which gives its connection back."""

        def asked() -> Answer:
            try:
                return question()
            finally:
                connections.close_all()

        return await asyncio.get_running_loop().run_in_executor(self.threads, asked)

    @property
    def subscribers(self) -> list[Subscriber]:
        return [each for feed in self.feeds.values() for each in feed.subscribers]

    def join(self, opened: Opened) -> Subscriber:
        key = (opened.source.name, opened.topic_id)
        feed = self.feeds.get(key)
        if feed is None or feed.task.done():
            feed = self.feeds[key] = Feed(self, opened.source, opened.topic_id, opened.after)
        subscriber = Subscriber(opened)
        feed.subscribers.add(subscriber)
        feed.stirred.set()
        return subscriber

    def leave(self, subscriber: Subscriber) -> None:
        key = (subscriber.opened.source.name, subscriber.opened.topic_id)
        feed = self.feeds.get(key)
        if feed is None or subscriber not in feed.subscribers:
            return
        feed.subscribers.remove(subscriber)
        if not feed.subscribers:
            feed.task.cancel()
            del self.feeds[key]

    def stir(self, source: str, topic_id: UUID, seq: int) -> None:
        """Hear that a topic goes up to a number."""
        feed = self.feeds.get((source, topic_id))
        if feed is not None and seq > feed.topic.last_seq:
            feed.stirred.set()

    async def poll(self) -> None:
        """Ask how far all watched topics go: one query for each kind of them."""
        for source in {feed.source.name: feed.source for feed in self.feeds.values()}.values():
            self.epochs[source.name] = await self.ask(source.epoch)
            self._outdated_stir(source.name)
            watched = [topic_id for name, topic_id in self.feeds if name == source.name]
            for topic_id, seq in (await self.ask(partial(source.last_seqs, watched))).items():
                self.stir(source.name, topic_id, seq)

    def _outdated_stir(self, source: str) -> None:
        for (name, _), feed in self.feeds.items():
            if name == source and any(each.epoch < self.epochs[source] for each in feed.subscribers):
                feed.stirred.set()

    async def callers_check(self) -> None:
        """End every stream whose token is no longer good, or whose user may no longer see: one query for all of them."""
        watching = self.subscribers
        if not watching:
            return
        callers = await self.ask(partial(callers_find, list({each.opened.digest for each in watching})))
        for each in watching:
            caller = callers.get(each.opened.digest)
            if caller is None or not each.opened.admits(caller[0]):
                each.end("revoked")

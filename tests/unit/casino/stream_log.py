"""A source of streams that tests write to."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any
from uuid import UUID, uuid4

from casino.permissions import ANY_USER
from casino.streams.responses import Opened
from casino.streams.topics import Message, Snapshot


class Log:
    """A source of one topic that tests write to; it counts what it is asked for, and fails when told to."""

    name = "log"

    def __init__(self) -> None:
        self.written = 0
        self.closed = False
        self.made: list[tuple[int, Any]] = []
        self.reads = 0
        self.changes = 0
        self.failures: list[Exception] = []
        self.admitted: set[Any] = set()

    def topic(self, topic_id: UUID, after: int) -> "LogTopic":
        return LogTopic(self, after)

    def last_seqs(self, topic_ids: Collection[UUID]) -> Mapping[UUID, int]:
        return dict.fromkeys(topic_ids, self.written)

    def position(self, *, topic_id: UUID, viewer: Any) -> Message:
        return Message("position", self.written, b"%d" % self.changes)

    def epoch(self) -> int:
        return self.changes

    def look(self, *, user: Any, topic_id: UUID) -> Snapshot:
        raise NotImplementedError

    def admits(self, user: Any, snapshot: Snapshot) -> bool:
        return snapshot.viewer in self.admitted


class LogTopic:
    def __init__(self, log: Log, after: int) -> None:
        self.log = log
        self.begins_after = self.last_seq = after
        self.is_over = False

    def read(self) -> None:
        self.log.reads += 1
        if self.log.failures:
            raise self.log.failures.pop()
        self.is_over = self.log.closed
        self.last_seq = self.log.written

    def reached(self, viewer: Any) -> int:
        return self.last_seq

    def messages(self, *, after: int, viewer: Any) -> Sequence[Message]:
        assert after >= self.begins_after
        some = range(after + 1, min(after + 5, self.last_seq) + 1)
        self.log.made += [(seq, viewer) for seq in some]
        return [Message("step", seq, b"{}") for seq in some]


ID = uuid4()


def opened(log: Log, after: int, viewer: Any = "anybody", epoch: int = 0) -> Opened:
    """Open a stream of the log after a number, by default as one who resumes."""
    snapshot = Snapshot(viewer, log.written, log.closed, lambda: Message("position", log.written, b"{}"))
    return Opened(log, ID, snapshot, None, after, epoch, "digest", ANY_USER)

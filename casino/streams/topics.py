"""What can be watched: a source of topics, each with an id and messages numbered from 0 or 1 without gaps, for each viewer.

**Rule** A message with a number is committed after the one before it: numbers are given under a lock.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol
from uuid import UUID

if TYPE_CHECKING:
    from casino.users.models import User

END = b"event: end\ndata: {}\n\n"
"""Nothing will ever come after this. A stream that stops without it is to be resumed."""


@dataclass(frozen=True, slots=True)
class Message:
    """One event of a stream: JSON in one line, and when it happened, for the metrics."""

    event: str
    seq: int
    data: bytes
    at: datetime | None = None

    def encoded(self) -> bytes:
        return b"event: %s\nid: %d\ndata: %s\n\n" % (self.event.encode(), self.seq, self.data)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """How a topic stands for somebody who may see it: as whom, up to which number, whether it is over.

    **Rule** The number is what is read first. What is shown with it may be newer, never older: whoever goes on from the number
    misses nothing.
    """

    viewer: Any
    seq: int
    is_over: bool
    position: Callable[[], Message]
    """Make the message with which a new stream begins; its number is ``seq``."""
    ground: Any = None
    """By what of the object its source says who may watch."""


class Topic(Protocol):
    """One watched object. It is used by one thread at a time and holds no database connection between two calls."""

    begins_after: int
    """Up to which number it has no messages."""
    last_seq: int
    """How far it was read, by the count of the source's ``last_seqs``."""
    is_over: bool
    """Whether no message can follow."""

    def read(self) -> None:
        """Read the messages that have been added since the last time, in one query."""

    def reached(self, viewer: Any) -> int:
        """Return the number of the last message that was read for a viewer: each counts what it is shown."""

    def messages(self, *, after: int, viewer: Any) -> Sequence[Message]:
        """Return the messages after a number as a viewer may see them; the first of them, when there are very many."""


class Source(Protocol):
    """All objects of a kind."""

    name: str

    def look(self, *, user: "User", topic_id: UUID) -> Snapshot:
        """Say how an object stands for a user. **Errors** NotFound, also for what the user may not know of."""

    def admits(self, user: "User", snapshot: Snapshot) -> bool:
        """Say whether a user, with the roles of this moment, may still watch as what they began as; nothing is asked for it."""

    def topic(self, topic_id: UUID, after: int) -> Topic:
        """Begin to watch an object of which nothing has been read, and of which nobody wants messages up to a number."""

    def position(self, *, topic_id: UUID, viewer: Any) -> Message:
        """Tell a viewer again how an object stands, under the number of its last message, by the rule of a snapshot."""

    def epoch(self) -> int:
        """Return a number that grows when objects of this kind change without a message, as by an outage; 0 if none ever has."""

    def last_seqs(self, topic_ids: Collection[UUID]) -> Mapping[UUID, int]:
        """Return the number of the last message of each object, in one query."""

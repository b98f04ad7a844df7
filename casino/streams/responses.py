"""The answer that opens a stream."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING
from uuid import UUID

from django.conf import settings
from django.http import StreamingHttpResponse

from casino.permissions import Roles
from casino.streams.topics import END, Message, Snapshot, Source

if TYPE_CHECKING:
    from casino.users.models import User

HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


@dataclass(frozen=True)
class Opened:
    """Who watches what from where on, by which token, and in which roles."""

    source: Source
    topic_id: UUID
    snapshot: Snapshot
    first: Message | None
    after: int
    epoch: int
    """The source's, from before the snapshot; 0 for one that resumes, who may have missed any change without a message."""
    digest: str
    roles: Roles

    def admits(self, user: "User") -> bool:
        """Say whether the token's user, as they are now, may go on watching."""
        return self.roles.admit(user) and self.source.admits(user, self.snapshot)

    def head(self) -> bytes:
        """Return what every stream begins with: after how long to come again, and where things stand."""
        return b"retry: %d\n\n" % settings.STREAM_RETRY_MILLISECONDS + (self.first.encoded() if self.first else b"")

    def so_far(self) -> Iterator[bytes]:
        """Return all that there is now."""
        yield self.head()
        is_over = self.snapshot.is_over
        if self.first is None:
            topic = self.source.topic(self.topic_id, self.after)
            topic.read()
            is_over, after = topic.is_over, self.after
            while portion := topic.messages(after=after, viewer=self.snapshot.viewer):
                yield from (message.encoded() for message in portion)
                after = portion[-1].seq
            if not is_over and self.source.epoch() > self.epoch:
                position = self.source.position(topic_id=self.topic_id, viewer=self.snapshot.viewer)
                yield from [position.encoded()] if position.seq == after else []
        if is_over:
            yield END


class StreamResponse(StreamingHttpResponse):
    """An opened stream.

    **Rule** A server that can keep it open goes on with ``opened``. Any other one sends what there is and ends; the client comes
    again as after any interruption.
    """

    def __init__(self, opened: Opened) -> None:
        super().__init__(opened.so_far(), content_type="text/event-stream", headers=HEADERS)
        self.opened = opened

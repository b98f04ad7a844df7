"""Telling the processes that serve streams what has just been committed: ids and numbers, nothing else.

**Rule** Play never waits for this: time-outs are short, and who has failed is not asked again for a while. What is lost on the
way is found in the database by whoever waits for it, a little later.
"""

import os
import time
from functools import cache, partial
from threading import Lock
from uuid import UUID

import structlog
from django.conf import settings
from django.db import transaction
from redis import ConnectionPool, RedisError
from redis.backoff import NoBackoff
from redis.retry import Retry

CHANNEL = "casino.streams"
TIMEOUT_SECONDS = 0.1
PAUSE_SECONDS = 2.0
logger = structlog.get_logger(__name__)


def stream_publish(source: str, topic_id: UUID, seq: int) -> None:
    """Say, if and when this transaction is committed, up to which number a topic goes."""
    if settings.VALKEY_URL:
        transaction.on_commit(partial(_publisher(os.getpid()).publish, f"{source} {topic_id} {seq}"), robust=True)


def published(message: bytes) -> tuple[str, UUID, int]:
    """Read what ``stream_publish`` said. **Errors** ValueError."""
    source, topic_id, seq = message.decode().split(" ")
    return source, UUID(topic_id), int(seq)


class Publisher:
    """A connection to Valkey that is left alone for a while after it has failed.

    **Rule** Nobody waits for Valkey's answers: they are thrown away before the next message goes out. On a busy machine waiting
    for them took long enough to look like a failure.
    """

    def __init__(self, url: str) -> None:
        pool = ConnectionPool.from_url(
            url, socket_timeout=TIMEOUT_SECONDS, socket_connect_timeout=TIMEOUT_SECONDS, retry=Retry(NoBackoff(), 0)
        )
        self.connection = pool.make_connection()
        self.lock = Lock()
        self.silent_until = 0.0

    def publish(self, message: str) -> None:
        if time.monotonic() < self.silent_until or not self.lock.acquire(timeout=TIMEOUT_SECONDS):
            return
        try:
            self._answers_drop()
            self.connection.send_command("PUBLISH", CHANNEL, message)
        except (RedisError, OSError) as error:
            self.connection.disconnect()
            self.silent_until = time.monotonic() + PAUSE_SECONDS
            logger.warning("stream_publish_failed", error=type(error).__name__)
        finally:
            self.lock.release()

    def _answers_drop(self) -> None:
        """Read what has been answered; a connection that Valkey has closed meanwhile is made anew by the next message."""
        try:
            while self.connection.is_connected and self.connection.can_read(0):
                self.connection.read_response()
        except (RedisError, OSError):
            self.connection.disconnect()


@cache
def _publisher(process_id: int) -> Publisher:
    """Make the connection of a process; one that was forked must not share its parent's."""
    return Publisher(settings.VALKEY_URL)

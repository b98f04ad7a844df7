"""Telling the processes that serve streams what has just been committed: ids and numbers, nothing else.

**Rule** Play never waits for this: time-outs are short, and who has failed is not asked again for a while. What is lost on the
way is found in the database by whoever waits for it, a little later.
"""

import time
from functools import cache, partial
from uuid import UUID

import structlog
from django.conf import settings
from django.db import transaction
from redis import Redis, RedisError
from redis.backoff import NoBackoff
from redis.retry import Retry

CHANNEL = "casino.streams"
TIMEOUT_SECONDS = 0.05
PAUSE_SECONDS = 2.0
logger = structlog.get_logger(__name__)


def stream_publish(source: str, topic_id: UUID, seq: int) -> None:
    """Say, if and when this transaction is committed, up to which number a topic goes."""
    if settings.VALKEY_URL:
        transaction.on_commit(partial(_publisher().publish, f"{source} {topic_id} {seq}"), robust=True)


def published(message: bytes) -> tuple[str, UUID, int]:
    """Read what ``stream_publish`` said. **Errors** ValueError."""
    source, topic_id, seq = message.decode().split(" ")
    return source, UUID(topic_id), int(seq)


class Publisher:
    """A connection to Valkey that is left alone for a while after it has failed."""

    def __init__(self, url: str) -> None:
        self.client = Redis.from_url(
            url, socket_timeout=TIMEOUT_SECONDS, socket_connect_timeout=TIMEOUT_SECONDS, retry=Retry(NoBackoff(), 0)
        )
        self.silent_until = 0.0

    def publish(self, message: str) -> None:
        if time.monotonic() < self.silent_until:
            return
        try:
            self.client.publish(CHANNEL, message)
        except (RedisError, OSError) as error:
            self.silent_until = time.monotonic() + PAUSE_SECONDS
            logger.warning("stream_publish_failed", error=type(error).__name__)


@cache
def _publisher() -> Publisher:
    return Publisher(settings.VALKEY_URL)

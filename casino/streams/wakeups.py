"""What wakes the hub: messages of what was committed, and the database itself, where nothing is ever lost."""

import asyncio
from collections.abc import Awaitable, Callable

import structlog
from django.conf import settings
from django.db import DatabaseError, InterfaceError
from redis import RedisError
from redis.asyncio import Redis

from casino.streams.hub import Hub
from casino.streams.publishing import CHANNEL, published

POLL_SECONDS, POLL_UNHEARD_SECONDS = 1.0, 0.25
"""How often the database is asked: beside Valkey's messages, and without them."""
CALLERS_SECONDS = 0.5
RECONNECT_SECONDS = 0.5
CONNECT_TIMEOUT_SECONDS = 2
logger = structlog.get_logger(__name__)


class Wakeups:
    """The tasks that keep a hub awake."""

    def __init__(self, hub: Hub) -> None:
        self.hub = hub
        self.is_heard = False
        works = [self._poll(), self._callers(), *([self._listen()] if settings.VALKEY_URL else [])]
        self.tasks = [asyncio.create_task(work) for work in works]

    def stop(self) -> None:
        for task in self.tasks:
            task.cancel()

    async def _poll(self) -> None:
        while True:
            await asyncio.sleep(POLL_SECONDS if self.is_heard else POLL_UNHEARD_SECONDS)
            await _survived(self.hub.poll)

    async def _callers(self) -> None:
        while True:
            await asyncio.sleep(CALLERS_SECONDS)
            await _survived(self.hub.callers_check)

    async def _listen(self) -> None:
        """Hear messages; after every interruption the database is asked soon, so that none is missed for long."""
        client = Redis.from_url(settings.VALKEY_URL, socket_connect_timeout=CONNECT_TIMEOUT_SECONDS)
        while True:
            try:
                async with client.pubsub(ignore_subscribe_messages=True) as channel:
                    await channel.subscribe(CHANNEL)
                    self.is_heard = True
                    async for message in channel.listen():
                        self._hear(message["data"])
            except (RedisError, OSError) as error:
                if self.is_heard:
                    logger.warning("stream_messages_lost", error=type(error).__name__)
            self.is_heard = False
            await asyncio.sleep(RECONNECT_SECONDS)

    def _hear(self, message: bytes) -> None:
        try:
            self.hub.stir(*published(message))
        except ValueError:
            logger.warning("stream_message_not_understood")


async def _survived(work: Callable[[], Awaitable[None]]) -> None:
    """Do what is done again soon, whatever becomes of it; without its database nothing new is shown to anybody either."""
    try:
        await work()
    except (DatabaseError, InterfaceError) as error:
        logger.warning("stream_database_unavailable", error=type(error).__name__)
    except Exception:
        logger.exception("stream_wakeup_failed")

"""The ASGI server of streams: Django answers each request in a thread; a stream that it opened is then kept open and fed."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import structlog
from django.conf import settings
from django.core import signals
from django.core.handlers.base import BaseHandler
from django.http.response import HttpResponse, HttpResponseBase
from django.urls import set_script_prefix
from django.utils import timezone

from casino import metrics
from casino.streams.hub import Batch, Hub, Subscriber
from casino.streams.limits import Places
from casino.streams.responses import Opened, StreamResponse
from casino.streams.topics import END
from casino.streams.views import StreamRequest
from casino.streams.wakeups import Wakeups

THREADS = 4
HEARTBEAT = b":\n\n"
LAST_WORD_SECONDS = 1.0
Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]
logger = structlog.get_logger(__name__)


class StreamServer(BaseHandler):
    """The ASGI application."""

    def __init__(self) -> None:
        super().__init__()
        self.load_middleware()
        self.places = Places()
        self.threads = ThreadPoolExecutor(THREADS, "requests")
        self.hub: Hub | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["type"] == "http":
            request = StreamRequest(scope, self.places)
            try:
                await self._serve(request, receive, send)
            finally:
                request.place_give_back()

    async def _live(self, receive: Receive, send: Send) -> None:
        wakeups: Wakeups | None = None
        while (message := await receive())["type"] == "lifespan.startup":
            self.hub = Hub()
            wakeups = Wakeups(self.hub)
            await send({"type": "lifespan.startup.complete"})
        if wakeups is not None:
            wakeups.stop()
        await send({"type": f"{message['type']}.complete"})

    async def _serve(self, request: StreamRequest, receive: Receive, send: Send) -> None:
        response = await asyncio.get_running_loop().run_in_executor(self.threads, self._answer, request)
        headers = [(name.lower().encode("ascii"), value.encode("latin-1")) for name, value in response.items()]
        await send({"type": "http.response.start", "status": response.status_code, "headers": headers})
        if isinstance(response, StreamResponse) and request.method != "HEAD":
            await self._keep_open(response.opened, receive, send)
        else:
            body = response.content if isinstance(response, HttpResponse) else b""
            await send({"type": "http.response.body", "body": body})

    def _answer(self, request: StreamRequest) -> HttpResponseBase:
        """Answer as Django's own handlers do, which also gives the thread's database connection back."""
        signals.request_started.send(sender=type(self), scope=request.scope)
        set_script_prefix("")
        response = self.get_response(request)
        response.close()
        return response

    async def _keep_open(self, opened: Opened, receive: Receive, send: Send) -> None:
        assert self.hub is not None
        subscriber = self.hub.join(opened)
        metrics.STREAMS_OPEN.inc()
        started = time.monotonic()
        writing = asyncio.create_task(_write(subscriber, send))
        leaving = asyncio.create_task(_left(receive))
        try:
            ends: set[asyncio.Future[Any]] = {writing, leaving, subscriber.ended}
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
            why = subscriber.ended.result() if subscriber.ended.done() else "left" if leaving.done() else "over"
            if why not in ("left", "slow"):
                await _last_word(writing, send)
        finally:
            writing.cancel()
            leaving.cancel()
            self.hub.leave(subscriber)
            metrics.STREAMS_OPEN.dec()
        logger.info(
            "stream_ended",
            source=opened.source.name,
            topic_id=str(opened.topic_id),
            why=why,
            seconds=round(time.monotonic() - started, 3),
        )


async def _write(subscriber: Subscriber, send: Send) -> None:
    """Send what the hub hands out, and a sign of life while there is nothing, until the end."""
    await _body(send, subscriber.opened.head())
    while True:
        try:
            async with asyncio.timeout(settings.STREAM_HEARTBEAT_SECONDS):
                batch = await subscriber.queue.get()
        except TimeoutError:
            await _body(send, HEARTBEAT)
            continue
        if batch is None:
            await _body(send, END)
            return
        await _body(send, b"".join(message.encoded() for message in batch))
        _measure(batch)


def _measure(batch: Batch) -> None:
    now = timezone.now()
    for message in batch or ():
        metrics.STREAM_EVENTS.inc()
        if message.at is not None:
            metrics.STREAM_LAG.observe(max(0.0, (now - message.at).total_seconds()))


async def _left(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _last_word(writing: asyncio.Task[None], send: Send) -> None:
    """End the answer as HTTP wants it, unless the client does not read even that."""
    writing.cancel()
    await asyncio.wait({asyncio.ensure_future(send({"type": "http.response.body", "body": b""}))}, timeout=LAST_WORD_SECONDS)


async def _body(send: Send, body: bytes) -> None:
    await send({"type": "http.response.body", "body": body, "more_body": True})

"""The base of views that open a stream: an ordinary request, refused like any other."""

import re
from collections.abc import Iterable
from io import BytesIO
from typing import Any, ClassVar
from uuid import UUID

from django.core.handlers.asgi import ASGIRequest
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request

from casino.api.fields import StrictSerializer
from casino.api.schema import codes
from casino.api.views import ApiView
from casino.errors import InvalidInput
from casino.permissions import Roles
from casino.streams.limits import Places
from casino.streams.responses import Opened, StreamResponse
from casino.streams.topics import Source

_NUMBER = re.compile(r"[0-9]{1,9}", re.ASCII)
_FIELD = "last_event_id"
LAST_EVENT_ID = OpenApiParameter(
    "Last-Event-ID",
    {"type": "string", "pattern": "^[0-9]{1,9}$"},
    OpenApiParameter.HEADER,
    description="The `id` of the last event that you have: what follows it is sent. Without one you are told how things stand.",
)
_EVENT = {
    "type": "object",
    "description": "One event of the stream.",
    "properties": {
        "event": {"type": "string", "enum": ["position", "step", "event", "end"]},
        "id": {"type": "string", "pattern": "^[0-9]+$", "description": "Its number by your own count; `end` has none."},
        "data": {"type": "string", "contentMediaType": "application/json"},
        "retry": {"type": "integer", "description": "How many milliseconds to wait before opening a stream again."},
    },
    "required": ["event", "data"],
    "additionalProperties": False,
}
STREAM_ANSWERS: dict[Any, Any] = {
    (200, "text/event-stream"): _EVENT,
    429: codes("too_many_streams"),
    503: codes("streams_full"),
}


class StreamRequest(ASGIRequest):
    """A request to a server that keeps streams open, and that has only so many places for them."""

    def __init__(self, scope: dict[str, Any], places: Places) -> None:
        super().__init__(scope, BytesIO())
        self.places = places
        self.user_id: int | None = None

    def place_take(self, user_id: int) -> None:
        self.places.take(user_id)
        self.user_id = user_id

    def place_give_back(self) -> None:
        if self.user_id is not None:
            self.places.give_back(self.user_id)


class StreamQuery(StrictSerializer):
    """Where to go on, for clients that cannot set the header, which counts more."""

    last_event_id = serializers.RegexField("^[0-9]{1,9}$", required=False)


class StreamNegotiation(DefaultContentNegotiation):
    """Let clients ask for ``text/event-stream``, as they do; refusals are JSON all the same."""

    def select_renderer(
        self, request: Request, renderers: Iterable[BaseRenderer], format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        (only,) = renderers
        return only, only.media_type or ""


class StreamView(ApiView):
    """A view that opens the stream of one object."""

    content_negotiation_class = StreamNegotiation
    source: ClassVar[Source]
    roles: ClassVar[Roles]

    def stream(self, request: Request, topic_id: UUID) -> StreamResponse:
        """Open a stream, from how things stand or after the last event that the client has.

        **Errors** InvalidInput for a number that is none or that has not been reached; RateLimited, Busy; NotFound.
        """
        resumed = self._resumed(request)
        http = request._request
        if isinstance(http, StreamRequest) and request.method != "HEAD":
            http.place_take(self.actor.pk)
        epoch = self.source.epoch() if resumed is None else 0
        snapshot = self.source.look(user=self.actor, topic_id=topic_id)
        if resumed is not None and resumed > snapshot.seq:
            raise InvalidInput("invalid_input", "This event has not happened.", field=_FIELD)
        first = snapshot.position() if resumed is None else None
        after = snapshot.seq if resumed is None else resumed
        return StreamResponse(Opened(self.source, topic_id, snapshot, first, after, epoch, self.token.digest, self.roles))

    def _resumed(self, request: Request) -> int | None:
        """Read which event the client has. A reconnecting client repeats its URL, so its header is the newer word."""
        given = request.headers.get("Last-Event-ID", self.query(StreamQuery).get(_FIELD))
        if given is None:
            return None
        if not _NUMBER.fullmatch(given):
            raise InvalidInput("invalid_input", "This is no event's id.", field=_FIELD)
        return int(given)

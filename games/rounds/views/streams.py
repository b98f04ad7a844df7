"""Watching a round."""

from typing import ClassVar
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from casino.permissions import Roles
from casino.streams.responses import StreamResponse
from casino.streams.views import LAST_EVENT_ID, STREAM_ANSWERS, StreamQuery, StreamView
from games.rounds.streams import RoundSource
from games.rounds.views.rounds import ONE_ROUND, READERS


class RoundStreamView(StreamView):
    """The steps of a round as they happen."""

    source = RoundSource()
    roles: ClassVar[Roles] = READERS
    sees = ONE_ROUND

    @extend_schema(operation_id="round_stream", parameters=[LAST_EVENT_ID, StreamQuery], responses=STREAM_ANSWERS)
    def get(self, request: Request, round_id: UUID) -> StreamResponse:
        """Watch a round by server-sent events. Each `step` is the document that answers an action, as the viewer may see it."""
        return self.stream(request, round_id)

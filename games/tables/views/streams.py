"""Watching a table."""

from typing import ClassVar
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from casino.permissions import Roles
from casino.streams.responses import StreamResponse
from casino.streams.views import LAST_EVENT_ID, STREAM_ANSWERS, StreamQuery, StreamView
from games.tables.streams import TableSource
from games.tables.views.tables import ONE_TABLE, READERS


class TableStreamView(StreamView):
    """What happens at a table."""

    source = TableSource()
    roles: ClassVar[Roles] = READERS
    sees = ONE_TABLE

    @extend_schema(operation_id="table_stream", parameters=[LAST_EVENT_ID, StreamQuery], responses=STREAM_ANSWERS)
    def get(self, request: Request, table_id: UUID) -> StreamResponse:
        """Watch a table by server-sent events: first the table, then each `event` of its history. The last one closes it."""
        return self.stream(request, table_id)

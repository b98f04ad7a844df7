"""The API of returns: what bets gave back beside what they should."""

from typing import Any, ClassVar

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from audit.returns.checking import returns_list
from audit.returns.days import last_day
from audit.returns.serializers import ReturnsFilters, ReturnsListSerializer, ReturnsSerializer
from casino.api.views import ApiView
from casino.db import now
from casino.permissions import Role, Roles, only


class ReturnsView(ApiView):
    roles: ClassVar[Roles] = only(Role.AUDITOR, Role.ADMIN)
    sees = None

    @extend_schema(operation_id="returns_list", parameters=[ReturnsFilters], responses=ReturnsListSerializer)
    def get(self, request: Request) -> Response:
        """List what bets gave back: by hall, game, pay table, kind of bet and stake level, with the verdict on each."""
        asked = self.query(ReturnsFilters)
        found = returns_list(now=now(), with_today=asked.pop("with_today", False))
        rows: list[Any] = [ReturnsSerializer(series).data for series in found]
        rows = [row for row in rows if all(row[name] == str(value) for name, value in asked.items())]
        return Response({"through": last_day(), "results": rows})

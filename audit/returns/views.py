"""The API of returns: what bets gave back beside what they should."""

from typing import ClassVar

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from audit.access import AUDITORS
from audit.returns.checking import LATELY, WHOLE, returns_list
from audit.returns.days import Of, last_day
from audit.returns.serializers import ReturnsFilters, ReturnsListSerializer, ReturnsSerializer
from casino.api.schema import codes
from casino.api.views import ApiView
from casino.db import now
from casino.permissions import Roles


class ReturnsView(ApiView):
    roles: ClassVar[Roles] = AUDITORS
    sees = None

    @extend_schema(
        operation_id="returns_list",
        parameters=[ReturnsFilters],
        responses={200: ReturnsListSerializer, 409: codes("returns_not_summed")},
    )
    def get(self, request: Request) -> Response:
        """List what bets gave back: by hall, game, pay table, kind of bet and stake level, with the verdict on each."""
        asked = self.query(ReturnsFilters)
        found = returns_list(
            now=now(),
            of=Of(asked.get("hall_id"), asked.get("game")),
            windows=[asked["window"]] if "window" in asked else [LATELY, WHOLE],
            with_today=asked.get("with_today", False),
        )
        shown = [series for series in found if asked.get("verdict") in (None, series.verdict.colour)]
        return Response({"through": last_day(), "results": ReturnsSerializer(shown, many=True).data})

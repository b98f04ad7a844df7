"""Rounds for people who look into them: steps as every seat saw them, what would have been otherwise, exports."""

from dataclasses import replace
from typing import ClassVar
from uuid import UUID

from django.http import HttpResponse, HttpResponseBase, StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from audit.access import AUDITORS
from audit.cells import CSV_CONTENT_TYPE
from audit.history.exporting import export_begin, export_lines
from audit.history.models import Export
from audit.history.selectors import round_look, steps_as_seen, steps_described
from audit.history.serializers import (
    ExportQuery,
    ExportSerializer,
    RoundLookSerializer,
    StepAsSeenSerializer,
    WhatIfBody,
    WhatIfSerializer,
)
from audit.history.what_if import round_what_if
from audit.sightings.recording import Sight
from casino.api.pagination import NumberPagination
from casino.api.rendering import CONTENT_TYPE, render_json
from casino.api.schema import codes, paged
from casino.api.views import ApiView
from casino.errors import NotFound
from casino.permissions import Roles
from casino.streams.views import StreamNegotiation
from games.rounds.views.rounds import WHOLE_ROUND
from games.rounds.views.sandbox import MAX_ANSWER_BYTES

MEDIA_TYPES = {"jsonl": "application/x-ndjson", "csv": CSV_CONTENT_TYPE}
EXPORT_ID = OpenApiParameter(
    "Export-Id", OpenApiTypes.UUID, OpenApiParameter.HEADER, response=[200], description="Ask for its progress by this id."
)
EXPORT_ROUNDS = OpenApiParameter(
    "Export-Rounds", int, OpenApiParameter.HEADER, response=[200], description="How many rounds are to come."
)


class StepPagination(NumberPagination):
    """Fewer at once: a step has a view for every seat, before and after."""

    page_size = 20
    max_page_size = 50


class RoundLookView(ApiView):
    """One round with its figures and findings."""

    roles: ClassVar[Roles] = AUDITORS
    sees = WHOLE_ROUND

    @extend_schema(operation_id="audit_round", responses={200: RoundLookSerializer})
    def get(self, request: Request, round_id: UUID) -> Response:
        """Show a round with its money and findings. Staked, returned, net, rake, automatic moves, and what the audit found."""
        self.query()
        row, findings = round_look(user=self.actor, round_id=round_id)
        shown = RoundLookSerializer({"round": row, "findings": findings}, context={"request": request})
        return Response(shown.data)


class StepsAsSeenView(ApiView):
    """A round step by step."""

    roles: ClassVar[Roles] = AUDITORS
    sees = WHOLE_ROUND

    @paged(
        StepAsSeenSerializer,
        operation_id="audit_round_steps",
        responses={409: codes("record_unreadable")},
        parameters=[OpenApiParameter("page_size", {"type": "integer", "minimum": 1, "maximum": 50, "default": 20})],
    )
    def get(self, request: Request, round_id: UUID) -> Response:
        """List a round's steps from the first on, as every seat saw them. Replayed from seeds and actions, money beside cards."""
        self.query()
        pages = StepPagination()
        steps = pages.page_of(steps_as_seen(round_id=round_id), request, number=lambda step: step.seq)
        return pages.get_paginated_response(steps_described(steps, round_id=round_id))


class WhatIfView(ApiView):
    """A closed round played otherwise: asked with a body, but a look at that round all the same."""

    roles: ClassVar[Roles] = AUDITORS
    sees = replace(WHOLE_ROUND, posts=True)

    @extend_schema(
        operation_id="round_what_if",
        request=WhatIfBody,
        responses={200: WhatIfSerializer, 409: codes("round_open", "record_unreadable")},
    )
    def post(self, request: Request, round_id: UUID) -> HttpResponse:
        """Play a closed round's cards with other actions from a step on. Nothing of it is kept and no money moves."""
        body = self.body(WhatIfBody)
        played = round_what_if(
            round_id=round_id,
            from_seq=body["from_seq"],
            actions=body["actions"],
            goes_on=body["continue"],
            finishes=body["finish"],
            most_bytes=MAX_ANSWER_BYTES,
        )
        return HttpResponse(render_json(played), content_type=CONTENT_TYPE)


class RoundsExportView(ApiView):
    """Many rounds at once."""

    roles: ClassVar[Roles] = AUDITORS
    sees = Sight("rounds.round")
    content_negotiation_class = StreamNegotiation

    @extend_schema(
        operation_id="rounds_export",
        parameters=[ExportQuery, EXPORT_ID, EXPORT_ROUNDS],
        responses={
            **{(200, media_type.partition(";")[0]): OpenApiTypes.STR for media_type in MEDIA_TYPES.values()},
            429: codes("too_many_exports"),
        },
    )
    def get(self, request: Request) -> HttpResponseBase:
        """Export closed rounds: their records as JSON Lines, or a CSV line for each seat. Who exports what is in the trail."""
        filters = self.query(ExportQuery)
        format = filters.pop("format")
        if request.method == "HEAD":
            return HttpResponse(content_type=MEDIA_TYPES[format])
        export = export_begin(author=self.actor, format=format, filters=filters)
        headers = {
            "Export-Id": str(export.public_id),
            "Export-Rounds": str(export.rounds_total),
            "Content-Disposition": f'attachment; filename="rounds-{export.public_id}.{format}"',
            "X-Accel-Buffering": "no",
        }
        lines = export_lines(export, filters=filters)
        return StreamingHttpResponse(lines, content_type=MEDIA_TYPES[format], headers=headers)


class ExportsView(ApiView):
    """Exports that were made or are being made."""

    roles: ClassVar[Roles] = AUDITORS
    sees = None

    @paged(ExportSerializer, operation_id="export_list")
    def get(self, request: Request) -> Response:
        """List exports, newest first: who took which rounds, or the seals, and how far each is."""
        self.query()
        return self.page(Export.objects.select_related("author"), ExportSerializer)


class ExportView(ApiView):
    """One export."""

    roles: ClassVar[Roles] = AUDITORS
    sees = None

    @extend_schema(operation_id="export_get", responses={200: ExportSerializer})
    def get(self, request: Request, export_id: UUID) -> Response:
        """Show how far an export is. When it is done, its SHA-256 tells whether you have all of it."""
        self.query()
        export = Export.objects.select_related("author").filter(public_id=export_id).first()
        if export is None:
            raise NotFound("not_found")
        return Response(ExportSerializer(export).data)

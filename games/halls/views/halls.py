"""Halls. The ETag is the hall's version; every change of the hall or of its terms answers the new one."""

from typing import ClassVar
from uuid import UUID

from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from casino.api.fields import ReasonBody
from casino.api.schema import ETAG_ANSWERED, IDEMPOTENCY_KEY, IF_NONE_MATCH, LOCATION_ANSWERED, codes, paged
from casino.idempotency import Answer, idempotent
from casino.permissions import ANY_USER, Role, only
from games.halls.models import Hall
from games.halls.selectors import hall_get, hall_list, hall_overseen
from games.halls.serializers import EdgeBandsSerializer, HallCreateBody, HallEditBody, HallEditedSerializer, HallSerializer
from games.halls.services import hall_close, hall_create, hall_edit, hall_open
from games.halls.views.base import CHANGE_HEADERS, MANAGERS, READERS, HallView, hall_etag


class HallsView(HallView):
    roles: ClassVar = {"GET": ANY_USER, "POST": only(Role.ADMIN)}
    sees = None

    @paged(HallSerializer, operation_id="hall_list")
    def get(self, request: Request) -> Response:
        """List the halls, newest first. Players see those that have opened at least once."""
        self.query()
        return self.page(hall_list(viewer=self.actor), HallSerializer)

    @extend_schema(
        operation_id="hall_create",
        request=HallCreateBody,
        responses={201: HallSerializer, 409: codes("hall_code_taken")},
        parameters=[IDEMPOTENCY_KEY, ETAG_ANSWERED, LOCATION_ANSWERED],
    )
    def post(self, request: Request) -> HttpResponse:
        """Create a hall, closed. Publish limits and a pay table for its games, then open it."""
        body = self.body(HallCreateBody)

        def create() -> Answer:
            hall = hall_create(actor=self.actor, **body)
            location = reverse("hall", args=[hall.public_id], request=request)
            return Answer(HallSerializer(hall).data, status=201, headers={"ETag": hall_etag(hall), "Location": location})

        return idempotent(request, create, required=False)


class HallDetailView(HallView):
    roles: ClassVar = {"GET": ANY_USER, "PATCH": MANAGERS}
    sees = None

    @extend_schema(operation_id="hall_get", responses=HallSerializer, parameters=[IF_NONE_MATCH])
    def get(self, request: Request, hall_id: UUID) -> HttpResponse:
        """Show a hall. Its ETag is what changes of it and of its terms name in If-Match."""
        self.query()
        hall = hall_get(viewer=self.actor, hall_id=hall_id)
        return self.conditional(HallSerializer(hall).data, etag=hall_etag(hall))

    @extend_schema(operation_id="hall_edit", request=HallEditBody, responses=HallEditedSerializer, parameters=CHANGE_HEADERS)
    def patch(self, request: Request, hall_id: UUID) -> HttpResponse:
        """Rename a hall, move it to another time zone, or change the house's edges that its pay tables may have."""
        return self.change(hall_id, HallEditBody, hall_edit, _hall_edited_answer)


class EdgeBandsView(HallView):
    roles: ClassVar = READERS
    sees = None

    @extend_schema(operation_id="hall_edge_bands", responses=EdgeBandsSerializer, parameters=[IF_NONE_MATCH])
    def get(self, request: Request, hall_id: UUID) -> HttpResponse:
        """Show the house's edges that a hall's pay tables may have; PATCH of the hall changes them."""
        self.query()
        hall = hall_overseen(viewer=self.actor, hall_id=hall_id)
        return self.conditional(EdgeBandsSerializer(hall).data, etag=hall_etag(hall))


class HallOpenView(HallView):
    roles: ClassVar = {"POST": MANAGERS}

    @extend_schema(
        operation_id="hall_open",
        request=ReasonBody,
        responses={200: HallSerializer, 409: codes("hall_open")},
        parameters=CHANGE_HEADERS,
    )
    def post(self, request: Request, hall_id: UUID) -> HttpResponse:
        """Let rounds open in a hall."""
        return self.change(hall_id, ReasonBody, hall_open, _hall_answer)


class HallCloseView(HallView):
    roles: ClassVar = {"POST": MANAGERS}

    @extend_schema(
        operation_id="hall_close",
        request=ReasonBody,
        responses={200: HallSerializer, 409: codes("hall_closed")},
        parameters=CHANGE_HEADERS,
    )
    def post(self, request: Request, hall_id: UUID) -> HttpResponse:
        """Let no more rounds open in a hall; open ones go on to their end."""
        return self.change(hall_id, ReasonBody, hall_close, _hall_answer)


def _hall_answer(hall: Hall) -> Answer:
    return Answer(HallSerializer(hall).data, headers={"ETag": hall_etag(hall)})


def _hall_edited_answer(hall: Hall) -> Answer:
    return Answer(HallEditedSerializer(hall).data, headers={"ETag": hall_etag(hall)})

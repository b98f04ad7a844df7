"""Tables: making, finding, sitting, leaving, being ready, closing."""

from collections.abc import Callable
from typing import Any, ClassVar
from uuid import UUID

from django.db.models import Prefetch
from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from audit.sightings.recording import Sight
from casino.api.fields import EmptyBody, ReasonBody, StrictSerializer, tag_of, tags
from casino.api.schema import IDEMPOTENCY_KEY, IDEMPOTENCY_KEY_REQUIRED, IF_NONE_MATCH, LOCATION_ANSWERED, codes, paged
from casino.api.views import ApiView
from casino.db import now
from casino.idempotency import Answer, idempotent
from casino.permissions import OVERSEERS, Role, Roles, only
from games.tables import selectors, services
from games.tables.agreement import convention_check
from games.tables.documents import table_document
from games.tables.models import TableSeat
from games.tables.selectors import Standing
from games.tables.serializers import (
    QuickSeatBody,
    ReadyBody,
    SitBody,
    TableEventSerializer,
    TableFilters,
    TableSummarySerializer,
)
from games.tables.views.shapes import CREATION, CREATIONS, TABLE

_GAMES = tags(CREATIONS)
READERS = only(Role.PLAYER, Role.OPERATOR, *OVERSEERS)
ONE_TABLE = Sight("tables.table", key="table_id", players=selectors.table_players)


class TableView(ApiView):
    """Base of what answers a table as it stands."""

    def table_answer(self, standing: Standing, status: int = 200, **headers: str) -> Answer:
        return Answer(table_document(standing, server_time=now()), status=status, headers=headers)


class TablesView(TableView):
    """Tables in halls."""

    roles: ClassVar[dict[str, Roles]] = {"GET": READERS, "POST": only(Role.PLAYER, Role.OPERATOR, Role.ADMIN)}
    sees = Sight("tables.table", listed=lambda table: [stay.user.public_id for stay in table.stays.all()])

    @paged(TableSummarySerializer, filters=TableFilters, operation_id="table_list")
    def get(self, request: Request) -> Response:
        """List tables, newest first: by default the open ones."""
        tables = selectors.table_list(viewer=self.actor, **self.query(TableFilters))
        stays = TableSeat.objects.filter(left_at=None).select_related("user").order_by("index")
        return self.page(tables.prefetch_related(Prefetch("stays", stays)), TableSummarySerializer)

    @extend_schema(
        operation_id="table_create",
        request=CREATION,
        responses={
            201: TABLE,
            404: codes("not_found"),
            409: codes("hall_closed", "game_not_offered", "too_many_tables"),
            422: codes("stake_not_accepted", "stake_below_minimum", "stake_above_maximum", "stake_not_in_steps"),
        },
        parameters=[IDEMPOTENCY_KEY_REQUIRED, LOCATION_ANSWERED],
    )
    def post(self, request: Request) -> HttpResponse:
        """Make a table. What it agrees on stays; its rake is the one that the hall's limit set names now."""
        body = self.body(CREATIONS[tag_of(request.data, "game", _GAMES)])
        convention_check(game=body["game"], convention=body["convention"], seats=body["seats"])

        def effect() -> Answer:
            standing = services.table_create(actor=self.actor, **body)
            location = reverse("table", args=[standing.table.public_id], request=request)
            return self.table_answer(standing, 201, Location=location)

        return idempotent(request, effect, required=True)


class TableDetailView(TableView):
    """One table."""

    roles: ClassVar[Roles] = READERS
    sees = ONE_TABLE

    @extend_schema(operation_id="table_get", responses={200: TABLE}, parameters=[IF_NONE_MATCH])
    def get(self, request: Request, table_id: UUID) -> HttpResponse:
        """Show a table: who sits there, who is ready, the last round, and the commitment of the next one."""
        self.query()
        table = selectors.table_get(viewer=self.actor, table_id=table_id)
        return self.conditional(table_document(selectors.standing_of(table), server_time=now()))


class TableEventsView(ApiView):
    """The history of a table."""

    roles: ClassVar[Roles] = READERS
    sees = ONE_TABLE

    @paged(TableEventSerializer, operation_id="table_events")
    def get(self, request: Request, table_id: UUID) -> Response:
        """List what happened at a table, newest first."""
        self.query()
        return self.page(selectors.event_list(viewer=self.actor, table_id=table_id), TableEventSerializer)


class SeatChangeView(TableView):
    """Base of what a player does about a seat."""

    roles: ClassVar[Roles] = only(Role.PLAYER)

    def change(self, body_class: type[StrictSerializer], service: Callable[..., Standing], **arguments: Any) -> HttpResponse:
        """Carry out one service for the caller and answer the table."""
        body = self.body(body_class)

        def effect() -> Answer:
            return self.table_answer(service(user=self.actor, **arguments, **body))

        return idempotent(self.request, effect, required=False)


class QuickSeatView(SeatChangeView):
    """Being led to a table."""

    @extend_schema(
        operation_id="table_quick_seat",
        request=QuickSeatBody,
        responses={200: TABLE, 404: codes("not_found"), 409: codes("no_free_seat", "hall_closed")},
        parameters=[IDEMPOTENCY_KEY],
    )
    def post(self, request: Request) -> HttpResponse:
        """Take a seat at a random open table that fits."""
        return self.change(QuickSeatBody, services.table_quick_seat)


class SitView(SeatChangeView):
    """Taking a seat."""

    @extend_schema(
        operation_id="table_sit",
        request=SitBody,
        responses={200: TABLE, 409: codes("table_closed", "hall_closed", "already_seated", "seat_taken", "table_full")},
        parameters=[IDEMPOTENCY_KEY],
    )
    def post(self, request: Request, table_id: UUID) -> HttpResponse:
        """Take a seat. Who sits there already is answered the table as it stands."""
        return self.change(SitBody, services.table_sit, table_id=table_id)


class LeaveView(SeatChangeView):
    """Leaving a seat."""

    @extend_schema(
        operation_id="table_leave",
        request=EmptyBody,
        responses={200: TABLE, 409: codes("not_seated")},
        parameters=[IDEMPOTENCY_KEY],
    )
    def post(self, request: Request, table_id: UUID) -> HttpResponse:
        """Leave a seat. In a running round your stake stays and time-outs play for you; you can still act in it."""
        return self.change(EmptyBody, services.table_leave, table_id=table_id)


class ReadyView(SeatChangeView):
    """Being ready for the next round; after a round this is how a rematch is agreed."""

    @extend_schema(
        operation_id="table_ready",
        request=ReadyBody,
        responses={
            200: TABLE,
            409: codes("not_seated", "round_open", "commitment_mismatch", "hall_closed", "game_not_offered", "engine_unverified"),
            422: codes(
                "insufficient_funds",
                "balance_too_large",
                "stake_not_accepted",
                "stake_below_minimum",
                "stake_above_maximum",
                "stake_not_in_steps",
            ),
        },
        parameters=[IDEMPOTENCY_KEY],
    )
    def post(self, request: Request, table_id: UUID) -> HttpResponse:
        """Be ready for the next round, or a rematch. When all seats are taken and ready it opens, and holds every stake."""
        return self.change(ReadyBody, services.table_ready, table_id=table_id)


class TableCloseView(TableView):
    """Closing a table between rounds."""

    roles: ClassVar[Roles] = only(Role.OPERATOR, Role.ADMIN)

    @extend_schema(
        operation_id="table_close",
        request=ReasonBody,
        responses={200: TABLE, 409: codes("table_closed", "round_open")},
        parameters=[IDEMPOTENCY_KEY],
    )
    def post(self, request: Request, table_id: UUID) -> HttpResponse:
        """Close a table where no round is open. Who sits there gets up; the unused commitment's seed is shown in the history."""
        reason = self.body(ReasonBody)["reason"]

        def effect() -> Answer:
            return self.table_answer(services.table_close(actor=self.actor, table_id=table_id, reason=reason))

        return idempotent(request, effect, required=False)

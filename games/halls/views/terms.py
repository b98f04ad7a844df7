"""What halls offer for each game, and how that is published. Changes name the hall's ETag in If-Match."""

from collections.abc import Callable
from typing import Any, ClassVar
from uuid import UUID

from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from casino.api.fields import ReasonBody
from casino.api.schema import IF_NONE_MATCH, Method, codes, paged
from casino.db import now
from casino.idempotency import Answer
from casino.permissions import ANY_USER
from games.halls.models import LimitSet, PayTable, Terms
from games.halls.selectors import game_offer_get, game_offer_list, hall_get, pay_table_figures_get, terms_history, terms_list
from games.halls.serializers import (
    HallGameSerializer,
    HallGamesSerializer,
    PayTableFiguresSerializer,
    PayTableHistorySerializer,
    TermsHistorySerializer,
    TermsPublishBody,
)
from games.halls.services import limit_set_publish, limit_set_withdraw, pay_table_publish, pay_table_withdraw
from games.halls.views.base import CHANGE_HEADERS, MANAGERS, READERS, HallView, hall_etag


class HallGamesView(HallView):
    roles: ClassVar = ANY_USER
    sees = None

    @extend_schema(operation_id="hall_game_list", responses=HallGamesSerializer, parameters=[IF_NONE_MATCH])
    def get(self, request: Request, hall_id: UUID) -> HttpResponse:
        """List the games that a hall offers with limits, timers, least stakes and pay tables, now and at the next change."""
        self.query()
        offers = game_offer_list(hall=hall_get(viewer=self.actor, hall_id=hall_id), at=now())
        return self.conditional({"results": HallGameSerializer(offers, many=True).data})


class HallGameView(HallView):
    roles: ClassVar = ANY_USER
    sees = None

    @extend_schema(operation_id="hall_game_get", responses=HallGameSerializer, parameters=[IF_NONE_MATCH])
    def get(self, request: Request, hall_id: UUID, game: str) -> HttpResponse:
        """Show a game's limits, timers, least stakes and pay table in a hall, now and at the next scheduled change."""
        self.query()
        offer = game_offer_get(hall=hall_get(viewer=self.actor, hall_id=hall_id), game=game, at=now())
        return self.conditional(HallGameSerializer(offer).data)


class TermsView(HallView):
    """Base of the two kinds of terms: limit sets and pay tables."""

    terms: ClassVar[type[Terms]]
    shown: ClassVar[type[TermsHistorySerializer]] = TermsHistorySerializer

    def history(self, hall_id: UUID, game: str) -> Response:
        """Answer one page of all rows, to those who oversee the hall."""
        self.query()
        rows = terms_list(self.terms, viewer=self.actor, hall_id=hall_id, game=game, at=now())
        return self.page(rows, self.shown)

    def added(self, row: Terms) -> Answer:
        """Answer a new row as the history shows it, with the hall's new ETag."""
        shown = terms_history(self.terms, hall=row.hall, game=row.game, at=row.created_at).get(pk=row.pk)
        return Answer(self.shown(shown).data, status=201, headers={"ETag": hall_etag(row.hall)})


def _publishing(operation_id: str, shown: type[TermsHistorySerializer], *refused: str) -> Callable[[Method], Method]:
    responses: dict[int, Any] = {201: shown, 409: codes("effective_time_taken")}
    return extend_schema(
        operation_id=operation_id,
        request=TermsPublishBody,
        responses=responses | ({422: codes(*refused)} if refused else {}),
        parameters=CHANGE_HEADERS,
    )


def _withdrawing(operation_id: str, shown: type[TermsHistorySerializer]) -> Callable[[Method], Method]:
    return extend_schema(
        operation_id=operation_id,
        request=ReasonBody,
        responses={201: shown, 409: codes("already_withdrawn", "already_in_effect")},
        parameters=CHANGE_HEADERS,
    )


class LimitSetsView(TermsView):
    terms = LimitSet
    roles: ClassVar = {"GET": READERS, "POST": MANAGERS}
    sees = None

    @paged(TermsHistorySerializer, operation_id="limit_set_list")
    def get(self, request: Request, hall_id: UUID, game: str) -> Response:
        """List every limit set that was ever published or withdrawn, with reason and author, newest first."""
        return self.history(hall_id, game)

    @_publishing("limit_set_publish", TermsHistorySerializer)
    def post(self, request: Request, hall_id: UUID, game: str) -> HttpResponse:
        """Publish limits from a moment on. Rounds that are open keep theirs."""
        return self.change(hall_id, TermsPublishBody, limit_set_publish, self.added, game=game)


class LimitSetWithdrawView(TermsView):
    terms = LimitSet
    roles: ClassVar = {"POST": MANAGERS}

    @_withdrawing("limit_set_withdraw", TermsHistorySerializer)
    def post(self, request: Request, hall_id: UUID, game: str, limit_set_id: UUID) -> HttpResponse:
        """Take back a limit set before it takes effect; answers the row that says so."""
        return self.change(hall_id, ReasonBody, limit_set_withdraw, self.added, game=game, limit_set_id=limit_set_id)


class PayTablesView(TermsView):
    terms = PayTable
    shown = PayTableHistorySerializer
    roles: ClassVar = {"GET": READERS, "POST": MANAGERS}
    sees = None

    @paged(PayTableHistorySerializer, operation_id="pay_table_list")
    def get(self, request: Request, hall_id: UUID, game: str) -> Response:
        """List every pay table that was ever published or withdrawn, with reason, author and edges, newest first."""
        return self.history(hall_id, game)

    @_publishing("pay_table_publish", PayTableHistorySerializer, "edge_not_allowed")
    def post(self, request: Request, hall_id: UUID, game: str) -> HttpResponse:
        """Publish a pay table with its exact figures from a moment on. Rounds that are open keep theirs."""
        return self.change(hall_id, TermsPublishBody, pay_table_publish, self.added, game=game)


class PayTableWithdrawView(TermsView):
    terms = PayTable
    shown = PayTableHistorySerializer
    roles: ClassVar = {"POST": MANAGERS}

    @_withdrawing("pay_table_withdraw", PayTableHistorySerializer)
    def post(self, request: Request, hall_id: UUID, game: str, pay_table_id: UUID) -> HttpResponse:
        """Take back a pay table before it takes effect; answers the row that says so."""
        return self.change(hall_id, ReasonBody, pay_table_withdraw, self.added, game=game, pay_table_id=pay_table_id)


class PayTableFiguresView(HallView):
    roles: ClassVar = READERS
    sees = None

    @extend_schema(operation_id="pay_table_figures_get", responses=PayTableFiguresSerializer, parameters=[IF_NONE_MATCH])
    def get(self, request: Request, hall_id: UUID, game: str, pay_table_id: UUID) -> HttpResponse:
        """Show the exact mathematics that a pay table was published with."""
        self.query()
        figures = pay_table_figures_get(viewer=self.actor, hall_id=hall_id, game=game, pay_table_id=pay_table_id)
        return self.conditional(PayTableFiguresSerializer(figures).data)

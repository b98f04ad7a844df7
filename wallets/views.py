"""Accounts, statements and the cashier's counter over HTTP."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from audit.sightings.recording import Sight
from casino.api.fields import ReasonBody
from casino.api.pagination import KeyPagination
from casino.api.schema import IDEMPOTENCY_KEY, IDEMPOTENCY_KEY_REQUIRED, codes, paged
from casino.api.views import ApiView
from casino.errors import Refused
from casino.idempotency import Answer, idempotent
from casino.permissions import ANY_USER, Role, only
from wallets import selectors, services
from wallets.models import StatementLine
from wallets.serializers import AccountSerializer, CounterBody, TransferSerializer

BALANCE = Sight("wallets.account", key="account_id", players=selectors.account_players)


class AccountsView(ApiView):
    """A player's own accounts."""

    roles = ANY_USER
    sees = None

    @paged(AccountSerializer, operation_id="account_list")
    def get(self, request: Request) -> Response:
        """List your accounts, one per currency, with what is free and what your open rounds hold."""
        self.query()
        return self.page(selectors.account_list(user_id=self.actor.pk), AccountSerializer)


class PlayerAccountsView(ApiView):
    """A player's accounts for staff."""

    roles = only(*selectors.READERS)
    sees = Sight("users.user", key="player_id")

    @paged(AccountSerializer, operation_id="player_account_list")
    def get(self, request: Request, player_id: UUID) -> Response:
        """List a player's accounts."""
        self.query()
        player = selectors.player_get(player_id=player_id)
        return self.page(selectors.account_list(user_id=player.pk), AccountSerializer)


class StatementPagination(KeyPagination):
    """Latest first, by the account's own count of its transfers."""

    ordering = "-sequence"


class StatementView(ApiView):
    """The transfers of an account."""

    roles = ANY_USER
    sees = BALANCE
    pagination = StatementPagination

    @paged(TransferSerializer, operation_id="account_transfer_list")
    def get(self, request: Request, account_id: UUID) -> Response:
        """List what came to an account and what went, with the balance before and after each."""
        self.query()
        account = selectors.account_get(viewer=self.actor, account_id=account_id)
        return self.page(selectors.statement(account_id=account.pk), TransferSerializer)


class _MoneyView(ApiView):
    """Money that staff moves."""

    def moved(self, request: Request, effect: Callable[[], Answer], *, required: bool) -> HttpResponse:
        """Move it once. A refusal that tells a player's balance is noted as a look at it, after its transaction."""
        told: list[UUID] = []

        def telling() -> Answer:
            try:
                return effect()
            except Refused as refusal:
                if "available_minor" in refusal.details:
                    told.append(UUID(str(refusal.details["account_id"])))
                raise

        try:
            return idempotent(request, telling, required=required)
        finally:
            for account_id in told:
                self.sight_record(BALANCE, {"account_id": account_id}, {"account_id": str(account_id)})


class _CounterView(_MoneyView):
    roles = only(Role.CASHIER)

    def serve(self, request: Request, service: Callable[..., StatementLine]) -> HttpResponse:
        body = self.body(CounterBody)

        def effect() -> Answer:
            line = service(actor=self.actor, **body)
            return Answer(TransferSerializer(line, context={"request": request}).data, status=201)

        return self.moved(request, effect, required=True)


class DepositsView(_CounterView):
    """Money paid in."""

    @extend_schema(
        request=CounterBody,
        responses={
            201: TransferSerializer,
            403: codes("own_account_forbidden"),
            404: codes("not_found"),
            422: codes("currency_not_of_hall", "user_disabled", "balance_too_large"),
        },
        parameters=[IDEMPOTENCY_KEY_REQUIRED],
        operation_id="deposit_create",
    )
    def post(self, request: Request) -> HttpResponse:
        """Credit a player with money that you, a cashier of the hall, have taken in."""
        return self.serve(request, services.deposit_create)


class WithdrawalsView(_CounterView):
    """Money paid out."""

    @extend_schema(
        request=CounterBody,
        responses={
            201: TransferSerializer,
            403: codes("own_account_forbidden"),
            404: codes("not_found"),
            422: codes("currency_not_of_hall", "insufficient_funds"),
        },
        parameters=[IDEMPOTENCY_KEY_REQUIRED],
        operation_id="withdrawal_create",
    )
    def post(self, request: Request) -> HttpResponse:
        """Debit a player with money that you, a cashier of the hall, pay out. What open rounds hold cannot be withdrawn."""
        return self.serve(request, services.withdrawal_create)


class TransferReversalView(_MoneyView):
    """A mistaken deposit put right."""

    roles = only(Role.CASHIER, Role.SUPERVISOR)

    @extend_schema(
        request=ReasonBody,
        responses={
            201: TransferSerializer,
            403: codes("own_account_forbidden"),
            409: codes("transfer_already_reversed"),
            422: codes("transfer_not_reversible", "insufficient_funds"),
        },
        parameters=[IDEMPOTENCY_KEY],
        operation_id="transfer_reversal_create",
    )
    def post(self, request: Request, transfer_id: UUID) -> HttpResponse:
        """Take a deposit back by a further transfer, once; for the hall's cashiers and supervisors."""
        body: dict[str, Any] = self.body(ReasonBody)

        def effect() -> Answer:
            line = services.deposit_reverse(actor=self.actor, transfer_id=transfer_id, **body)
            return Answer(TransferSerializer(line, context={"request": request}).data, status=201)

        return self.moved(request, effect, required=False)

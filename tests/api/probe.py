"""Views that do as little as possible, to test what every view stands on."""

import threading
from typing import Any

from django.db import connection
from django.http import HttpResponse
from django.urls import path
from rest_framework import serializers
from rest_framework.request import Request

from casino.api.fields import (
    CurrencyField,
    MinorAmountField,
    MomentField,
    StrictBooleanField,
    StrictChoiceField,
    StrictIntegerField,
    StrictJSONField,
    StrictSerializer,
    StrictUUIDField,
    TextField,
)
from casino.api.views import ApiView
from casino.db import unit_of_work
from casino.errors import Conflict, Refused
from casino.idempotency import Answer, idempotent
from casino.permissions import ANY_USER, PUBLIC, Role, only
from casino.urls import handler400, handler403, handler404, handler500
from casino.users.models import LoginCounter

__all__ = ["handler400", "handler403", "handler404", "handler500"]


class InnerBody(StrictSerializer):
    amount_minor = MinorAmountField()


class ProbeBody(StrictSerializer):
    amount_minor = MinorAmountField(required=False)
    offset = StrictIntegerField(required=False)
    currency = CurrencyField(required=False)
    flag = StrictBooleanField(required=False)
    text = TextField(max_length=10, required=False)
    moment = MomentField(required=False)
    uuid = StrictUUIDField(required=False)
    choice = StrictChoiceField(choices=[("1", "1"), ("a", "a")], required=False)
    data = StrictJSONField(required=False)  # type: ignore[assignment]
    items = serializers.ListField(child=InnerBody(), required=False)
    inner = InnerBody(required=False)


class EchoView(ApiView):
    roles = PUBLIC

    def post(self, request: Request) -> HttpResponse:
        return self.conditional(self.body(ProbeBody))


class ClosedView(ApiView):
    """States no roles."""

    def get(self, request: Request) -> HttpResponse:
        return HttpResponse(b"never")


class HalfClosedView(ApiView):
    roles = {"GET": only(Role.AUDITOR)}
    sees = None

    def get(self, request: Request) -> HttpResponse:
        return HttpResponse(b"{}", content_type="application/json")

    def post(self, request: Request) -> HttpResponse:
        return HttpResponse(b"never")


class BrokenView(ApiView):
    roles = PUBLIC

    def get(self, request: Request) -> HttpResponse:
        raise KeyError("hidden-card-Ah")


class DisconnectedView(ApiView):
    """Loses its database connection in the middle of a service."""

    roles = PUBLIC

    def post(self, request: Request) -> HttpResponse:
        with unit_of_work(), connection.cursor() as cursor:
            cursor.execute("SELECT pg_terminate_backend(pg_backend_pid())")
        return HttpResponse(b"never")


class ServerTimeView(ApiView):
    roles = PUBLIC
    sees = None

    def get(self, request: Request) -> HttpResponse:
        return self.conditional({"turn": 3, "server_time": request.query_params["at"]})


class EffectView(ApiView):
    """Adds to a counter, which shows how many effects there were, and ends as the body says."""

    roles = ANY_USER
    is_key_required = True

    def post(self, request: Request) -> HttpResponse:
        body = self.body(ProbeBody)
        return idempotent(request, lambda: self.effect(body), required=self.is_key_required, rebuild=self.rebuild)

    def effect(self, body: dict[str, Any]) -> Answer:
        with unit_of_work():
            counter = effect_count("effects")
        ending = body.get("text")
        if ending == "refused":
            raise Refused("insufficient_funds", available_minor=counter)
        if ending == "conflict":
            raise Conflict("user_already_disabled")
        if ending == "broken":
            raise KeyError("hidden")
        if ending == "secret":
            return Answer({"cards": ["Ah"], "count": counter}, status=201, reference={"count": counter})
        return Answer({"count": counter, "body": body}, status=201, headers={"Location": f"/effects/{counter}"})

    def rebuild(self, reference: dict[str, Any]) -> dict[str, Any]:
        return {"cards": ["Ah"], "count": reference["count"]}


class OptionalEffectView(EffectView):
    is_key_required = False


class GateView(EffectView):
    """Its effect waits in the middle of the transaction until the gate opens."""

    entered, opened = threading.Event(), threading.Event()

    def effect(self, body: dict[str, Any]) -> Answer:
        self.entered.set()
        assert self.opened.wait(timeout=120)
        return super().effect(body)


def effect_count(key: str, step: int = 1) -> int:
    """Add to the counter and return it; one row, so that effects at once would show as lost or double counts."""
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO users_logincounter AS c (key, attempts, started_at) VALUES (%s, %s, now())"
            " ON CONFLICT (key) DO UPDATE SET attempts = c.attempts + %s RETURNING attempts",
            [key, step, step],
        )
        count: int = cursor.fetchone()[0]
    return count


def effects() -> int:
    return sum(LoginCounter.objects.filter(key="effects").values_list("attempts", flat=True))


urlpatterns = [
    path("echo", EchoView.as_view()),
    path("closed", ClosedView.as_view()),
    path("half-closed", HalfClosedView.as_view()),
    path("broken", BrokenView.as_view()),
    path("disconnected", DisconnectedView.as_view()),
    path("server-time", ServerTimeView.as_view()),
    path("effects", EffectView.as_view()),
    path("other-effects", EffectView.as_view()),
    path("gate", GateView.as_view()),
    path("optional-effects", OptionalEffectView.as_view()),
]

"""Rounds: opening, acting, reading, voiding."""

from collections.abc import Collection
from typing import Any, ClassVar
from uuid import UUID

from django.http import HttpResponse, HttpResponseNotModified
from drf_spectacular.utils import PolymorphicProxySerializer, extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from casino.api.fields import StrictChoiceField, StrictIntegerField, StrictSerializer
from casino.api.preconditions import none_match
from casino.api.rendering import CONTENT_TYPE
from casino.api.schema import paged
from casino.api.views import ApiView
from casino.idempotency import Answer, idempotent
from casino.permissions import Role, Roles, only
from games.registry import GAMES
from games.rounds import selectors, services
from games.rounds.documents import step_document
from games.rounds.serializers import (
    ROUND_FIELDS,
    LastOpeningDocument,
    LastOpeningQuery,
    RecordDocument,
    RoundDocument,
    RoundQuery,
    RoundSummary,
    RoundVoid,
    StepDocument,
)
from games.rounds.steps import StepTaken

ACTIONS: dict[str, Any] = {tag: body for game in GAMES.values() for tag, body in game.actions.items()}
READERS = only(Role.PLAYER, *selectors.READERS)


def tag_of(data: Any, name: str, known: Collection[str]) -> str:
    """Return which of several bodies this is, by the text under one name. **Errors** 400 names it."""
    if not isinstance(data, dict):
        raise serializers.ValidationError("This must be an object.")
    try:
        tag: str = StrictChoiceField(choices=sorted(known)).run_validation(data.get(name, serializers.empty))
    except serializers.ValidationError as error:
        raise serializers.ValidationError({name: error.detail}) from error
    return tag


@extend_schema_field(PolymorphicProxySerializer(component_name="Action", serializers=ACTIONS, resource_type_field_name="type"))
class ActionField(serializers.Field[dict[str, Any], dict[str, Any], dict[str, Any], Any]):
    """An action of any game, told apart by its ``type``."""

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        body = ACTIONS[tag_of(data, "type", ACTIONS)](data=data)
        body.is_valid(raise_exception=True)
        return dict(body.validated_data)


class RoundAction(StrictSerializer):
    """A seat's action in its turn."""

    turn = StrictIntegerField(min_value=0, help_text="The seat's turn as the round shows it.")
    action = ActionField()


class StepView(ApiView):
    """A request that a round's step answers. The answer shows cards, so it is kept by reference and made again at a retry."""

    def step_answer(self, taken: StepTaken, status: int) -> Answer:
        viewer = next((seat.index for seat in taken.seats if seat.user_id == self.actor.pk), None)
        reference = {"round_id": str(taken.round_id), "seq": taken.step.seq}
        return Answer(step_document(taken, viewer=viewer), status=status, reference=reference)

    def step_rebuilt(self, reference: dict[str, Any]) -> dict[str, Any]:
        round_id, seq = UUID(reference["round_id"]), reference["seq"]
        return selectors.round_after_step(user=self.actor, round_id=round_id, seq=seq)


class RoundsView(StepView):
    """Rounds: a player's own, or for supervision and audit all of them."""

    roles: ClassVar[dict[str, Roles]] = {"GET": READERS, "POST": only(Role.PLAYER)}

    @paged(RoundSummary, filters=RoundQuery, operation_id="round_list")
    def get(self, request: Request) -> Response:
        return self.page(selectors.rounds_find(self.actor, **self.query(RoundQuery)), RoundSummary)

    @extend_schema(
        operation_id="round_open",
        request=PolymorphicProxySerializer(
            component_name="RoundOpening",
            serializers={code: game.opening for code, game in GAMES.items()},
            resource_type_field_name="game",
        ),
        responses={201: RoundDocument},
    )
    def post(self, request: Request) -> HttpResponse:
        body = self.body(GAMES[tag_of(request.data, "game", GAMES)].opening)
        opening = {name: value for name, value in body.items() if name not in ROUND_FIELDS}
        services.opening_check(game=body["game"], opening=opening)

        def effect() -> Answer:
            step = services.round_open(
                user=self.actor,
                hall_id=body["hall_id"],
                game=body["game"],
                round_id=body["round_id"],
                client_seed=body["client_seed"],
                opening=opening,
            )
            return self.step_answer(step, 201)

        return idempotent(request, effect, required=True, rebuild=self.step_rebuilt)


class RoundView(ApiView):
    """One round as the viewer may see it."""

    roles: ClassVar[Roles] = READERS

    @extend_schema(operation_id="round_get", responses=RoundDocument)
    def get(self, request: Request, round_id: UUID) -> HttpResponse:
        self.query()
        return self.conditional(selectors.round_now(user=self.actor, round_id=round_id))


class RoundActionsView(StepView):
    """Acting in a round."""

    roles: ClassVar[Roles] = only(Role.PLAYER)

    @extend_schema(operation_id="round_act", request=RoundAction, responses=RoundDocument)
    def post(self, request: Request, round_id: UUID) -> HttpResponse:
        body = self.body(RoundAction)

        def effect() -> Answer:
            step = services.round_act(user=self.actor, round_id=round_id, **body)
            return self.step_answer(step, 200)

        return idempotent(request, effect, required=False, rebuild=self.step_rebuilt)


class RoundStepsView(ApiView):
    """The history of a round as the viewer saw it."""

    roles: ClassVar[Roles] = READERS

    @extend_schema(operation_id="round_steps", responses=StepDocument(many=True))
    def get(self, request: Request, round_id: UUID) -> HttpResponse:
        self.query()
        return self.conditional(selectors.round_steps(user=self.actor, round_id=round_id))


class RoundRecordView(ApiView):
    """The record of a closed round, to be verified offline."""

    roles: ClassVar[Roles] = READERS

    @extend_schema(operation_id="round_record", responses=RecordDocument)
    def get(self, request: Request, round_id: UUID) -> HttpResponse:
        self.query()
        document, record_hash = selectors.record_get(user=self.actor, round_id=round_id)
        etag = f'"{record_hash}"'
        if not none_match(request, etag):
            return HttpResponseNotModified(headers={"ETag": etag})
        return HttpResponse(document, content_type=CONTENT_TYPE, headers={"ETag": etag})


class RoundVoidView(StepView):
    """Annulling an open round."""

    roles: ClassVar[Roles] = only(Role.SUPERVISOR)

    @extend_schema(operation_id="round_void", request=RoundVoid, responses=RoundDocument)
    def post(self, request: Request, round_id: UUID) -> HttpResponse:
        body = self.body(RoundVoid)

        def effect() -> Answer:
            step = services.round_void(actor=self.actor, round_id=round_id, reason=body["reason"])
            return self.step_answer(step, 200)

        return idempotent(request, effect, required=False, rebuild=self.step_rebuilt)


class LastOpeningView(ApiView):
    """The bets of a player's last round in a hall, to be repeated."""

    roles: ClassVar[Roles] = only(Role.PLAYER)

    @extend_schema(operation_id="round_last_opening", parameters=[LastOpeningQuery], responses=LastOpeningDocument)
    def get(self, request: Request) -> HttpResponse:
        opening = selectors.last_opening(user=self.actor, **self.query(LastOpeningQuery))
        return self.conditional({"opening": opening})

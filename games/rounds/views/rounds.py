"""Rounds: opening, acting, reading, voiding."""

from dataclasses import replace
from typing import Any, ClassVar
from uuid import UUID

from django.http import HttpResponse, HttpResponseNotModified
from django.urls import reverse
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from audit.sightings.recording import Sight
from casino.api.fields import ReasonBody, StrictIntegerField, StrictSerializer, tag_of, tags
from casino.api.parsing import validated
from casino.api.preconditions import none_match
from casino.api.rendering import CONTENT_TYPE
from casino.api.schema import IDEMPOTENCY_KEY, IDEMPOTENCY_KEY_REQUIRED, IF_NONE_MATCH, codes, paged
from casino.api.views import ApiView
from casino.errors import Conflict
from casino.idempotency import Answer, idempotent
from casino.permissions import OVERSEERS, Role, Roles, only
from games.engines import ENGINES
from games.rounds import selectors, services
from games.rounds.documents import step_document
from games.rounds.serializers import (
    ROUND_FIELDS,
    LastOpeningFilters,
    LastOpeningSerializer,
    RoundFilters,
    RoundSummarySerializer,
)
from games.rounds.steps import StepTaken
from games.rounds.views.record_shapes import RoundRecordSerializer
from games.rounds.views.shapes import ACTION, ACTIONS, GAME_OF_ACTION, OPENING, OPENINGS, ROUND, STEPS

READERS = only(Role.PLAYER, *OVERSEERS)
ONE_ROUND = Sight("rounds.round", key="round_id", players=selectors.round_players)
WHOLE_ROUND = replace(ONE_ROUND, also_own=True)


_ACTION_TYPES, _OPENING_GAMES = tags(ACTIONS), tags(OPENINGS)


@extend_schema_field(ACTION)
class ActionField(serializers.Field[dict[str, Any], dict[str, Any], dict[str, Any], Any]):
    """An action of any game, told apart by its ``type``."""

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        tag = tag_of(data, "type", _ACTION_TYPES)
        action = validated(ACTIONS[tag], data)
        services.action_check(game=GAME_OF_ACTION[tag], action=action)
        return action


class RoundActionBody(StrictSerializer):
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
    sees = Sight("rounds.round", listed=lambda row: [seat.user.public_id for seat in row.seats.all()])

    @paged(RoundSummarySerializer, filters=RoundFilters, operation_id="round_list")
    def get(self, request: Request) -> Response:
        """List rounds, newest first. A player's are their own; supervision and audit see all."""
        return self.page(selectors.round_list(user=self.actor, **self.query(RoundFilters)), RoundSummarySerializer)

    @extend_schema(
        operation_id="round_open",
        request=OPENING,
        responses={
            201: ROUND,
            404: codes("not_found"),
            409: codes("hall_closed", "game_not_offered", "round_already_open", "commitment_mismatch", "engine_unverified"),
            422: codes(
                "stake_not_accepted",
                "stake_below_minimum",
                "stake_above_maximum",
                "stake_not_in_steps",
                "balance_too_large",
                "insufficient_funds",
            ),
        },
        parameters=[IDEMPOTENCY_KEY_REQUIRED],
    )
    def post(self, request: Request) -> HttpResponse:
        """Bet and have the cards dealt. Names your unused commitment; the limits and pay table in force now hold to the end."""
        body = self.body(OPENINGS[tag_of(request.data, "game", _OPENING_GAMES)])
        opening = {name: value for name, value in body.items() if name not in ROUND_FIELDS}
        services.opening_check(game=body["game"], opening=opening)

        def effect() -> Answer:
            try:
                step = services.round_open(
                    user=self.actor,
                    hall_id=body["hall_id"],
                    game=body["game"],
                    round_id=body["round_id"],
                    client_seed=body["client_seed"],
                    opening=opening,
                )
            except Conflict as conflict:
                if standing := conflict.details.get("round_id"):
                    conflict.details["url"] = request.build_absolute_uri(reverse("round", args=[standing]))
                raise
            return self.step_answer(step, 201)

        return idempotent(request, effect, required=True, rebuild=self.step_rebuilt)


class RoundView(ApiView):
    """One round as the viewer may see it."""

    roles: ClassVar[Roles] = READERS
    sees = ONE_ROUND

    @extend_schema(operation_id="round_get", responses={200: ROUND}, parameters=[IF_NONE_MATCH])
    def get(self, request: Request, round_id: UUID) -> HttpResponse:
        """Show a round as it stands. Its player also gets the legal actions, with cost, bounds and affordability."""
        self.query()
        return self.conditional(selectors.round_now(user=self.actor, round_id=round_id))


class RoundActionsView(StepView):
    """Acting in a round."""

    roles: ClassVar[Roles] = only(Role.PLAYER)

    @extend_schema(
        operation_id="round_act",
        request=RoundActionBody,
        responses={
            200: ROUND,
            409: codes("turn_already_played", "turn_not_reached", "round_closed", "not_your_turn", "deadline_passed"),
            422: codes("insufficient_funds", *(code for engine in ENGINES for code in engine.error_codes)),
        },
        parameters=[IDEMPOTENCY_KEY],
    )
    def post(self, request: Request, round_id: UUID) -> HttpResponse:
        """Act in a round. The same action for a turn that was played with it is answered again, another one is a conflict."""
        body = self.body(RoundActionBody)

        def effect() -> Answer:
            step = services.round_act(user=self.actor, round_id=round_id, **body)
            return self.step_answer(step, 200)

        return idempotent(request, effect, required=False, rebuild=self.step_rebuilt)


class RoundStepsView(ApiView):
    """The history of a round as the viewer saw it."""

    roles: ClassVar[Roles] = READERS
    sees = ONE_ROUND

    @extend_schema(operation_id="round_steps", responses={200: STEPS}, parameters=[IF_NONE_MATCH])
    def get(self, request: Request, round_id: UUID) -> HttpResponse:
        """List a round's steps from the first on, as the viewer saw them."""
        self.query()
        return self.conditional({"results": selectors.round_steps(user=self.actor, round_id=round_id)})


class RoundRecordView(ApiView):
    """The record of a closed round, to be verified offline."""

    roles: ClassVar[Roles] = READERS
    sees = ONE_ROUND

    @extend_schema(
        operation_id="round_record",
        responses={200: RoundRecordSerializer, 409: codes("round_open", "record_unreadable")},
        parameters=[IF_NONE_MATCH],
    )
    def get(self, request: Request, round_id: UUID) -> HttpResponse:
        """Export the record of a closed round. Verify it offline with ``python3 -S -m games.verify FILE``."""
        self.query()
        document, record_hash = selectors.record_get(user=self.actor, round_id=round_id)
        etag = f'"{record_hash}"'
        if not none_match(request, etag):
            return HttpResponseNotModified(headers={"ETag": etag})
        return HttpResponse(document, content_type=CONTENT_TYPE, headers={"ETag": etag})


class RoundVoidView(StepView):
    """Annulling an open round."""

    roles: ClassVar[Roles] = only(Role.SUPERVISOR)

    @extend_schema(
        operation_id="round_void",
        request=ReasonBody,
        responses={200: ROUND, 403: codes("own_round_forbidden"), 409: codes("round_closed")},
        parameters=[IDEMPOTENCY_KEY],
    )
    def post(self, request: Request, round_id: UUID) -> HttpResponse:
        """Annul an open round. Every stake goes back once, the seed is revealed, the round stays readable."""
        body = self.body(ReasonBody)

        def effect() -> Answer:
            step = services.round_void(actor=self.actor, round_id=round_id, reason=body["reason"])
            return self.step_answer(step, 200)

        return idempotent(request, effect, required=False, rebuild=self.step_rebuilt)


class LastOpeningView(ApiView):
    """The bets of a player's last round in a hall, to be repeated."""

    roles: ClassVar[Roles] = only(Role.PLAYER)
    sees = None

    @extend_schema(
        operation_id="round_last_opening", parameters=[LastOpeningFilters, IF_NONE_MATCH], responses={200: LastOpeningSerializer}
    )
    def get(self, request: Request) -> HttpResponse:
        """Show what you opened your last round of a game in a hall with, to repeat the bets."""
        opening = selectors.last_opening(user=self.actor, **self.query(LastOpeningFilters))
        return self.conditional({"opening": opening})

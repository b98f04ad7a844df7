"""Commitments: what a player reads before choosing anything."""

from typing import ClassVar
from uuid import UUID

from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from casino.api.fields import ReasonBody
from casino.api.schema import IDEMPOTENCY_KEY, IF_NONE_MATCH, codes
from casino.api.views import ApiView
from casino.idempotency import Answer, idempotent
from casino.permissions import Role, Roles, only
from games.rounds import commitments, selectors
from games.rounds.serializers import CommitmentBody, CommitmentSerializer, CommitmentsSerializer, DiscardedCommitmentSerializer


class CommitmentsView(ApiView):
    """The commitments of a player's next rounds."""

    roles: ClassVar[Roles] = only(Role.PLAYER)
    sees = None

    @extend_schema(operation_id="commitment_list", responses={200: CommitmentsSerializer}, parameters=[IF_NONE_MATCH])
    def get(self, request: Request) -> HttpResponse:
        """List your unused commitments, one for each hall and game you have asked for."""
        self.query()
        return self.conditional({"results": CommitmentSerializer(selectors.commitment_list(user=self.actor), many=True).data})

    @extend_schema(
        operation_id="commitment_ensure",
        request=CommitmentBody,
        responses={200: CommitmentSerializer, 201: CommitmentSerializer, 404: codes("not_found")},
        parameters=[IDEMPOTENCY_KEY],
    )
    def post(self, request: Request) -> HttpResponse:
        """Read the commitment of your next round. It is made at the first call (201) and stays until it is used (200)."""
        body = self.body(CommitmentBody)

        def effect() -> Answer:
            commitment, is_new = commitments.commitment_ensure(user=self.actor, **body)
            return Answer(CommitmentSerializer(commitment).data, status=201 if is_new else 200)

        return idempotent(request, effect, required=False)


class CommitmentDiscardView(ApiView):
    """Giving up an unused commitment."""

    roles: ClassVar[Roles] = only(Role.PLAYER)

    @extend_schema(
        operation_id="commitment_discard",
        request=ReasonBody,
        responses={200: DiscardedCommitmentSerializer, 409: codes("commitment_used")},
        parameters=[IDEMPOTENCY_KEY],
    )
    def post(self, request: Request, round_id: UUID) -> HttpResponse:
        """Give up an unused commitment. Its seed is revealed, and the next one is made."""
        body = self.body(ReasonBody)

        def effect() -> Answer:
            old, seed, new = commitments.commitment_discard(user=self.actor, round_id=round_id, reason=body["reason"])
            return Answer(
                {
                    "discarded": CommitmentSerializer(old).data,
                    "server_seed": seed.hex(),
                    "next_commitment": CommitmentSerializer(new).data,
                }
            )

        return idempotent(request, effect, required=False)

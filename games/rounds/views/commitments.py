"""Commitments: what a player reads before choosing anything."""

from typing import ClassVar
from uuid import UUID

from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from casino.api.views import ApiView
from casino.errors import NotFound
from casino.idempotency import Answer, idempotent
from casino.permissions import Role, Roles, only
from games.registry import GAMES
from games.rounds import commitments, selectors
from games.rounds.serializers import CommitmentDiscard, CommitmentDocument, CommitmentRequest, DiscardedDocument


class CommitmentsView(ApiView):
    """The commitments of a player's next rounds."""

    roles: ClassVar[Roles] = only(Role.PLAYER)

    @extend_schema(operation_id="commitment_list", responses=CommitmentDocument(many=True))
    def get(self, request: Request) -> HttpResponse:
        self.query()
        return self.conditional(CommitmentDocument(selectors.commitments_unused(self.actor), many=True).data)

    @extend_schema(
        operation_id="commitment_ensure",
        request=CommitmentRequest,
        responses={200: CommitmentDocument, 201: CommitmentDocument},
    )
    def post(self, request: Request) -> HttpResponse:
        body = self.body(CommitmentRequest)
        if body["game"] not in GAMES:
            raise NotFound("not_found")

        def effect() -> Answer:
            commitment, is_new = commitments.commitment_ensure(user=self.actor, **body)
            return Answer(CommitmentDocument(commitment).data, status=201 if is_new else 200)

        return idempotent(request, effect, required=False)


class CommitmentDiscardView(ApiView):
    """Giving up an unused commitment."""

    roles: ClassVar[Roles] = only(Role.PLAYER)

    @extend_schema(operation_id="commitment_discard", request=CommitmentDiscard, responses=DiscardedDocument)
    def post(self, request: Request, round_id: UUID) -> HttpResponse:
        body = self.body(CommitmentDiscard)

        def effect() -> Answer:
            old, seed, new = commitments.commitment_discard(user=self.actor, round_id=round_id, reason=body["reason"])
            return Answer(
                {
                    "discarded": CommitmentDocument(old).data,
                    "server_seed": seed.hex(),
                    "next_commitment": CommitmentDocument(new).data,
                }
            )

        return idempotent(request, effect, required=False)

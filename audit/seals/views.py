"""The API of the seals: heads, proofs, and all that is sealed for a check elsewhere. It reads and changes nothing."""

from typing import ClassVar
from uuid import UUID

from django.http import HttpResponse, HttpResponseBase, StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from audit.access import AUDITORS
from audit.history.exporting import export_begin, export_kept
from audit.history.models import Export
from audit.history.views import EXPORT_ID
from audit.seals.export import export_text
from audit.seals.selectors import seal_consistency, seal_list, step_inclusion, transfer_inclusion
from audit.seals.serializers import (
    ConsistencyQuery,
    ConsistencySerializer,
    InclusionSerializer,
    SealFilters,
    SealSerializer,
    StepProofQuery,
    TransferProofQuery,
)
from audit.sightings.recording import Sight
from casino.api.schema import codes, paged
from casino.api.views import ApiView
from casino.permissions import Role, Roles, only
from casino.streams.views import StreamNegotiation
from games.rounds.views.rounds import WHOLE_ROUND
from wallets.selectors import transfer_players

AUDITORS_AND_PLAYERS = only(Role.AUDITOR, Role.ADMIN, Role.PLAYER)
MEDIA_TYPE = "application/jsonl"
_UNPROVEN = codes("not_sealed", "round_open")


class SealsView(ApiView):
    """The seals' heads, newest first."""

    roles: ClassVar[Roles] = AUDITORS
    sees = None

    @paged(SealSerializer, filters=SealFilters, operation_id="seal_list")
    def get(self, request: Request) -> Response:
        """List seals, newest first. Each is the head of all that was sealed by then, chained to the one before."""
        return self.page(seal_list(**self.query(SealFilters)), SealSerializer)


class StepInclusionView(ApiView):
    """Whether a step is sealed."""

    roles: ClassVar[Roles] = AUDITORS_AND_PLAYERS
    sees = WHOLE_ROUND

    @extend_schema(
        operation_id="step_inclusion", parameters=[StepProofQuery], responses={200: InclusionSerializer, 409: _UNPROVEN}
    )
    def get(self, request: Request, round_id: UUID) -> Response:
        """Prove that a step is sealed, by its hash; at a table once its round is closed. For players in their own rounds."""
        return Response(step_inclusion(user=self.actor, round_id=round_id, **self.query(StepProofQuery)))


class TransferInclusionView(ApiView):
    """Whether a transfer is sealed."""

    roles: ClassVar[Roles] = AUDITORS_AND_PLAYERS
    sees = Sight("wallets.transfer", key="transfer_id", players=transfer_players, also_own=True)

    @extend_schema(
        operation_id="transfer_inclusion", parameters=[TransferProofQuery], responses={200: InclusionSerializer, 409: _UNPROVEN}
    )
    def get(self, request: Request, transfer_id: UUID) -> Response:
        """Prove that a transfer is sealed. For players from and to their own accounts, once the round it belongs to is closed."""
        return Response(transfer_inclusion(user=self.actor, transfer_id=transfer_id, **self.query(TransferProofQuery)))


class ConsistencyView(ApiView):
    """Whether nothing was taken from what was sealed, or changed in it."""

    roles: ClassVar[Roles] = AUDITORS
    sees = None

    @extend_schema(
        operation_id="seal_consistency",
        parameters=[ConsistencyQuery],
        responses={200: ConsistencySerializer, 404: codes("not_found")},
    )
    def get(self, request: Request) -> Response:
        """Prove that a seal's tree goes on from an earlier one's. By default from the first seal to the newest."""
        return Response(seal_consistency(**self.query(ConsistencyQuery)))


class SealExportView(ApiView):
    """Everything for a check elsewhere."""

    roles: ClassVar[Roles] = AUDITORS
    sees = Sight("seals.seal")

    content_negotiation_class = StreamNegotiation

    @extend_schema(
        operation_id="seal_export",
        parameters=[EXPORT_ID],
        responses={(200, "application/jsonl"): OpenApiTypes.STR, 429: codes("too_many_exports")},
    )
    def get(self, request: Request) -> HttpResponseBase:
        """Export seals and all that they seal. JSON Lines for `python -m audit.check_seals`; closed rounds' steps are in full."""
        self.query()
        if request.method == "HEAD":
            return HttpResponse(content_type=MEDIA_TYPE)
        chunks = export_text()  # first: where it cannot have its moment, no export has begun
        export = export_begin(author=self.actor, format=Export.Format.SEALS, filters={})
        lines = export_kept(export, ((chunk, 0) for chunk in chunks))
        headers = {
            "Export-Id": str(export.public_id),
            "Content-Disposition": f'attachment; filename="seals-{export.public_id}.jsonl"',
            "X-Accel-Buffering": "no",
        }
        return StreamingHttpResponse(lines, content_type=MEDIA_TYPE, headers=headers)

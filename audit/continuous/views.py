"""The API of findings, and of how far the audit has looked."""

from typing import ClassVar
from uuid import UUID

from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from audit.access import AUDITORS
from audit.continuous.selectors import audit_standing, finding_get, finding_list
from audit.continuous.serializers import FindingFilters, FindingResolveBody, FindingSerializer, ReconciliationSerializer
from audit.continuous.services import finding_own, finding_resolve
from audit.sightings.recording import Sight, nobody
from casino.api.fields import EmptyBody
from casino.api.schema import IDEMPOTENCY_KEY, IF_NONE_MATCH, codes, paged
from casino.api.views import ApiView
from casino.idempotency import Answer, idempotent
from casino.permissions import Roles


class FindingsView(ApiView):
    """What the audit found amiss."""

    roles: ClassVar[Roles] = AUDITORS
    sees = Sight("audit.auditfinding")

    @paged(FindingSerializer, filters=FindingFilters, operation_id="finding_list")
    def get(self, request: Request) -> Response:
        """List what the audit found amiss, newest first."""
        return self.page(finding_list(**self.query(FindingFilters)), FindingSerializer)


class FindingDetailView(ApiView):
    """One finding."""

    roles: ClassVar[Roles] = AUDITORS
    sees = Sight("audit.auditfinding", key="finding_id", players=nobody)

    @extend_schema(operation_id="finding_get", responses=FindingSerializer, parameters=[IF_NONE_MATCH])
    def get(self, request: Request, finding_id: UUID) -> HttpResponse:
        """Show a finding with its evidence."""
        self.query()
        return self.conditional(FindingSerializer(finding_get(finding_id=finding_id)).data)


class FindingOwnView(ApiView):
    """Looking into a finding."""

    roles: ClassVar[Roles] = AUDITORS

    @extend_schema(
        operation_id="finding_own",
        request=EmptyBody,
        responses={200: FindingSerializer, 403: codes("own_finding_forbidden"), 409: codes("finding_resolved")},
        parameters=[IDEMPOTENCY_KEY],
    )
    def post(self, request: Request, finding_id: UUID) -> HttpResponse:
        """Take a finding, to look into it; also from another owner. Nobody takes one about what they did themselves."""
        self.body(EmptyBody)

        def own() -> Answer:
            return _answer(finding_own(actor=self.actor, finding_id=finding_id).public_id)

        return idempotent(request, own, required=False)


class FindingResolveView(ApiView):
    """The end of a finding."""

    roles: ClassVar[Roles] = AUDITORS

    @extend_schema(
        operation_id="finding_resolve",
        request=FindingResolveBody,
        responses={
            200: FindingSerializer,
            403: codes("own_finding_forbidden"),
            409: codes("finding_resolved", "finding_not_owned"),
        },
        parameters=[IDEMPOTENCY_KEY],
    )
    def post(self, request: Request, finding_id: UUID) -> HttpResponse:
        """Say what a finding came to, once, as its owner or where it has none. A check that fails again makes a new finding."""
        body = self.body(FindingResolveBody)

        def resolve() -> Answer:
            return _answer(finding_resolve(actor=self.actor, finding_id=finding_id, **body).public_id)

        return idempotent(request, resolve, required=False)


class ReconciliationView(ApiView):
    """Whether the books agree with themselves and with the rounds."""

    roles: ClassVar[Roles] = AUDITORS
    sees = None

    @extend_schema(operation_id="books_reconcile", responses={200: ReconciliationSerializer})
    def get(self, request: Request) -> Response:
        """Tell whether the books agree, as far as the audit has looked: its last full pass, and what is unresolved."""
        self.query()
        return Response(ReconciliationSerializer(audit_standing()).data)


def _answer(finding_id: UUID) -> Answer:
    return Answer(FindingSerializer(finding_get(finding_id=finding_id)).data)

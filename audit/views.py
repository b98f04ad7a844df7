"""The API of the audit: the trail, and replays of rounds. It reads and changes nothing."""

from typing import ClassVar
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from audit.access import AUDITORS
from audit.replay import round_audit
from audit.selectors import audit_record_list
from audit.serializers import AuditRecordFilters, AuditRecordSerializer, ReplaySerializer
from audit.sightings.recording import Sight
from casino.api.schema import codes, paged
from casino.api.views import ApiView
from casino.permissions import Roles
from games.rounds.views.rounds import WHOLE_ROUND


class AuditRecordsView(ApiView):
    """The trail of administrative changes, newest first."""

    roles: ClassVar[Roles] = AUDITORS
    sees = Sight("audit.auditrecord")

    @paged(AuditRecordSerializer, filters=AuditRecordFilters, operation_id="audit_record_list")
    def get(self, request: Request) -> Response:
        """List administrative changes, newest first. Who, what, when, before, after, why."""
        return self.page(audit_record_list(**self.query(AuditRecordFilters)), AuditRecordSerializer)


class RoundReplayView(ApiView):
    """A second look at a closed round."""

    roles: ClassVar[Roles] = AUDITORS
    sees = WHOLE_ROUND

    @extend_schema(operation_id="round_replay", responses={200: ReplaySerializer, 409: codes("round_open", "record_unreadable")})
    def get(self, request: Request, round_id: UUID) -> Response:
        """Replay a closed round from its seeds and actions. Tells every deviation of its record, its rows and its money."""
        self.query()
        report = round_audit(round_id=round_id)
        return Response(
            {
                "replay": True,
                "round_id": str(report.round_id),
                "record_hash": report.record_hash,
                "clean": report.is_clean,
                "record_verdict": report.record_verdict,
                "deviations": list(report.deviations),
            }
        )

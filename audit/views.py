"""The API of the audit: the trail, replays of rounds, reconciliation of the books. It reads and changes nothing."""

from typing import ClassVar
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from audit.reconcile import books_reconcile
from audit.replay import round_audit
from audit.selectors import audit_records_find
from audit.serializers import AuditRecordDocument, AuditRecordQuery, ReconciliationDocument, ReplayDocument
from casino.api.views import ApiView
from casino.permissions import Role, Roles, only

AUDITORS = only(Role.AUDITOR, Role.ADMIN)


class AuditRecordsView(ApiView):
    """The trail of administrative changes, newest first."""

    roles: ClassVar[Roles] = AUDITORS

    @extend_schema(operation_id="audit_record_list", parameters=[AuditRecordQuery], responses=AuditRecordDocument(many=True))
    def get(self, request: Request) -> Response:
        return self.page(audit_records_find(**self.query(AuditRecordQuery)), AuditRecordDocument)


class RoundReplayView(ApiView):
    """A second look at a closed round."""

    roles: ClassVar[Roles] = AUDITORS

    @extend_schema(operation_id="round_replay", responses=ReplayDocument)
    def get(self, request: Request, round_id: UUID) -> Response:
        self.query()
        report = round_audit(round_id=round_id)
        return Response(
            {
                "replay": True,
                "round_id": str(report.round_id),
                "record_hash": report.record_hash,
                "clean": report.is_clean,
                "verdict": report.verdict,
                "deviations": list(report.deviations),
            }
        )


class ReconciliationView(ApiView):
    """Whether the books agree with themselves and with the rounds."""

    roles: ClassVar[Roles] = AUDITORS

    @extend_schema(operation_id="books_reconcile", responses=ReconciliationDocument)
    def get(self, request: Request) -> Response:
        self.query()
        deviations = [str(deviation) for deviation in books_reconcile()]
        return Response({"clean": not deviations, "deviations": deviations})

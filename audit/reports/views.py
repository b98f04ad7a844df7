"""Reports over HTTP: on demand, and those that are kept."""

import json
from collections.abc import Callable
from typing import Any, ClassVar
from uuid import UUID

from django.http import HttpResponse, HttpResponseNotModified
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from audit.cells import CSV, CSV_CONTENT_TYPE
from audit.reports.formats import csv_text
from audit.reports.frame import Row
from audit.reports.intervals import period_parse
from audit.reports.registry import REPORTS
from audit.reports.selectors import READERS, report_hall, stored_report_get, stored_report_list
from audit.reports.serializers import (
    ReportFilters,
    ReportSerializer,
    StoredReportDetailSerializer,
    StoredReportFilters,
    StoredReportSerializer,
)
from audit.reports.services import report_build
from audit.sightings.recording import Sight, nobody
from casino.api.preconditions import none_match
from casino.api.rendering import CONTENT_TYPE
from casino.api.schema import IF_NONE_MATCH, codes, paged
from casino.api.views import ApiView
from casino.permissions import Role, Roles, only

ROWS_MAX = 100_000
"""How many rows a report on demand may have; a longer one is made by the command."""
NAME = OpenApiParameter("report", {"type": "string", "enum": sorted(REPORTS)}, OpenApiParameter.PATH)
Method = Callable[..., Any]


def _asking(operation_id: str, answer: Any) -> Callable[[Method], Method]:
    responses = {**answer, 422: codes("report_too_long")}
    return extend_schema(operation_id=operation_id, responses=responses, parameters=[NAME, ReportFilters])


def csv_response(document: Row, name: str) -> HttpResponse:
    """Answer with a report as CSV, to be saved under a name."""
    headers = {"Content-Disposition": f'attachment; filename="{name}.csv"'}
    return HttpResponse(csv_text(document), content_type=CSV_CONTENT_TYPE, headers=headers)


class OnDemandView(ApiView):
    """Base of what generates a report."""

    roles: ClassVar[Roles] = only(*READERS, Role.OPERATOR)
    sees = Sight("reports.report")

    def document(self, report: str) -> Row:
        """Generate the report that the request asks for."""
        asked = self.query(ReportFilters)
        hall = report_hall(viewer=self.actor, name=report, hall_id=asked.pop("hall_id", None))
        at = asked.pop("at", None)
        return report_build(name=report, hall=hall, period=period_parse(**asked), at=at, rows_max=ROWS_MAX)


class ReportView(OnDemandView):
    """A report."""

    @_asking("report_get", {200: ReportSerializer})
    def get(self, request: Request, report: str) -> Response:
        """Generate a report of gaming days. Operators may have those of their halls that name no player."""
        return Response(self.document(report))


class ReportCsvView(OnDemandView):
    """A report as CSV."""

    @_asking("report_csv", {(200, CSV): OpenApiTypes.STR})
    def get(self, request: Request, report: str) -> HttpResponse:
        """Generate a report as CSV. Text that a spreadsheet would take for a formula begins with an apostrophe."""
        return csv_response(self.document(report), report)


class KeptView(ApiView):
    """Base of what shows reports that are kept."""

    roles: ClassVar[Roles] = only(*READERS)
    sees: ClassVar[Sight | None] = Sight("audit.storedreport", key="stored_report_id", players=nobody)


class StoredReportsView(KeptView):
    """The reports that are kept."""

    sees = None

    @paged(StoredReportSerializer, filters=StoredReportFilters, operation_id="stored_report_list")
    def get(self, request: Request) -> Response:
        """List the reports that are kept, newest first. Each day's are kept by themselves; every version of each stays."""
        return self.page(stored_report_list(**self.query(StoredReportFilters)), StoredReportSerializer)


class StoredReportView(KeptView):
    """One report that is kept."""

    @extend_schema(operation_id="stored_report_get", responses={200: StoredReportDetailSerializer})
    def get(self, request: Request, stored_report_id: UUID) -> Response:
        """Show which report it is, and whether it still is what was kept."""
        self.query()
        return Response(StoredReportDetailSerializer(stored_report_get(stored_report_id=stored_report_id)).data)


class StoredReportDocumentView(KeptView):
    """The document of a report that is kept."""

    @extend_schema(operation_id="stored_report_document", responses={200: ReportSerializer}, parameters=[IF_NONE_MATCH])
    def get(self, request: Request, stored_report_id: UUID) -> HttpResponse:
        """Return a kept report byte for byte; its SHA-256 is the ``document_hash``."""
        self.query()
        row = stored_report_get(stored_report_id=stored_report_id)
        etag = f'"{row.document_hash}"'
        if not none_match(request, etag):
            return HttpResponseNotModified(headers={"ETag": etag})
        return HttpResponse(row.document, content_type=CONTENT_TYPE, headers={"ETag": etag})


class StoredReportCsvView(KeptView):
    """A report that is kept, as CSV."""

    @extend_schema(operation_id="stored_report_csv", responses={(200, CSV): OpenApiTypes.STR})
    def get(self, request: Request, stored_report_id: UUID) -> HttpResponse:
        """Return a kept report as CSV."""
        self.query()
        row = stored_report_get(stored_report_id=stored_report_id)
        return csv_response(json.loads(row.document), f"{row.report}-{row.public_id}")

"""Paths of the audit."""

from django.urls import path

from audit import views
from audit.reports import views as reports

urlpatterns = [
    path("audit/records", views.AuditRecordsView.as_view(), name="audit-records"),
    path("audit/rounds/<uuid:round_id>/replay", views.RoundReplayView.as_view(), name="round-replay"),
    path("audit/reconciliation", views.ReconciliationView.as_view(), name="reconciliation"),
    path("reports/<str:report>", reports.ReportView.as_view(), name="report"),
    path("reports/<str:report>/csv", reports.ReportCsvView.as_view(), name="report-csv"),
    path("stored-reports", reports.StoredReportsView.as_view(), name="stored-reports"),
    path("stored-reports/<uuid:stored_report_id>", reports.StoredReportView.as_view(), name="stored-report"),
    path(
        "stored-reports/<uuid:stored_report_id>/document",
        reports.StoredReportDocumentView.as_view(),
        name="stored-report-document",
    ),
    path("stored-reports/<uuid:stored_report_id>/csv", reports.StoredReportCsvView.as_view(), name="stored-report-csv"),
]

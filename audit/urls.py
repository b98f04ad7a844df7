"""Paths of the audit."""

from django.urls import path

from audit import views
from audit.manifest.views import ManifestChecksView, ManifestView
from audit.sightings.views import SightingsView
from audit.history.urls import urlpatterns as history_urlpatterns
from audit.continuous.urls import urlpatterns as continuous_urlpatterns
from audit.reports import views as reports

urlpatterns = [
    path("audit/records", views.AuditRecordsView.as_view(), name="audit-records"),
    path("audit/manifest", ManifestView.as_view(), name="manifest"),
    path("audit/manifest/checks", ManifestChecksView.as_view(), name="manifest-checks"),
    path("audit/sightings", SightingsView.as_view(), name="sightings"),
    path("audit/rounds/<uuid:round_id>/replay", views.RoundReplayView.as_view(), name="round-replay"),
    path("audit/reconciliation", views.ReconciliationView.as_view(), name="reconciliation"),
    *history_urlpatterns,
    *continuous_urlpatterns,
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

"""Paths of the reports."""

from django.urls import path

from audit.reports import views

urlpatterns = [
    path("reports/<str:report>", views.ReportView.as_view(), name="report"),
    path("reports/<str:report>/csv", views.ReportCsvView.as_view(), name="report-csv"),
    path("stored-reports", views.StoredReportsView.as_view(), name="stored-reports"),
    path("stored-reports/<uuid:stored_report_id>", views.StoredReportView.as_view(), name="stored-report"),
    path(
        "stored-reports/<uuid:stored_report_id>/document",
        views.StoredReportDocumentView.as_view(),
        name="stored-report-document",
    ),
    path("stored-reports/<uuid:stored_report_id>/csv", views.StoredReportCsvView.as_view(), name="stored-report-csv"),
]

"""Paths of the audit."""

from django.urls import path

from audit import views
from audit.returns.views import ReturnsView

urlpatterns = [
    path("audit/records", views.AuditRecordsView.as_view(), name="audit-records"),
    path("audit/rounds/<uuid:round_id>/replay", views.RoundReplayView.as_view(), name="round-replay"),
    path("audit/reconciliation", views.ReconciliationView.as_view(), name="reconciliation"),
    path("audit/returns", ReturnsView.as_view(), name="returns"),
]

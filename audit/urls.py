"""Paths of the audit."""

from django.urls import path

from audit import views
from audit.continuous.urls import urlpatterns as continuous_urlpatterns

urlpatterns = [
    path("audit/records", views.AuditRecordsView.as_view(), name="audit-records"),
    path("audit/rounds/<uuid:round_id>/replay", views.RoundReplayView.as_view(), name="round-replay"),
    *continuous_urlpatterns,
]

"""Paths of the audit, part by part."""

from django.urls import include, path

from audit import views

PARTS = ("continuous", "fairness", "history", "manifest", "reports", "returns", "seals", "sightings")

urlpatterns = [
    path("audit/records", views.AuditRecordsView.as_view(), name="audit-records"),
    path("audit/rounds/<uuid:round_id>/replay", views.RoundReplayView.as_view(), name="round-replay"),
    *[path("", include(f"audit.{part}.urls")) for part in PARTS],
]

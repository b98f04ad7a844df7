"""Paths of findings."""

from django.urls import path

from audit.continuous import views

FINDING = "audit/findings/<uuid:finding_id>"

urlpatterns = [
    path("audit/findings", views.FindingsView.as_view(), name="findings"),
    path(FINDING, views.FindingDetailView.as_view(), name="finding"),
    path(f"{FINDING}/own", views.FindingOwnView.as_view(), name="finding-own"),
    path(f"{FINDING}/resolve", views.FindingResolveView.as_view(), name="finding-resolve"),
    path("audit/reconciliation", views.ReconciliationView.as_view(), name="reconciliation"),
]

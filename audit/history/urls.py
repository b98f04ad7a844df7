"""Paths of what the audit tells of single rounds, and of exports."""

from django.urls import path

from audit.history import views

ROUND = "audit/rounds/<uuid:round_id>"

urlpatterns = [
    path("audit/rounds/export", views.RoundsExportView.as_view(), name="rounds-export"),
    path(ROUND, views.RoundLookView.as_view(), name="audit-round"),
    path(f"{ROUND}/steps", views.StepsAsSeenView.as_view(), name="audit-round-steps"),
    path(f"{ROUND}/what-if", views.WhatIfView.as_view(), name="round-what-if"),
    path("audit/exports", views.ExportsView.as_view(), name="exports"),
    path("audit/exports/<uuid:export_id>", views.ExportView.as_view(), name="export"),
]

"""Paths of the fairness statistics."""

from django.urls import path

from audit.fairness import views

urlpatterns = [
    path("audit/fairness-runs", views.FairnessRunsView.as_view(), name="fairness-runs"),
    path("audit/fairness-runs/<uuid:run_id>", views.FairnessRunView.as_view(), name="fairness-run"),
]

"""Paths of the seals."""

from django.urls import path

from audit.seals import views

urlpatterns = [
    path("audit/seals", views.SealsView.as_view(), name="seals"),
    path("audit/seals/consistency", views.ConsistencyView.as_view(), name="seal-consistency"),
    path("audit/seals/export", views.SealExportView.as_view(), name="seal-export"),
    path("audit/rounds/<uuid:round_id>/inclusion", views.StepInclusionView.as_view(), name="step-inclusion"),
    path("audit/transfers/<uuid:transfer_id>/inclusion", views.TransferInclusionView.as_view(), name="transfer-inclusion"),
]

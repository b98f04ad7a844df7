"""Paths of the manifest."""

from django.urls import path

from audit.manifest.views import ManifestChecksView, ManifestView

urlpatterns = [
    path("audit/manifest", ManifestView.as_view(), name="manifest"),
    path("audit/manifest/checks", ManifestChecksView.as_view(), name="manifest-checks"),
]

"""Paths of staff's sightings."""

from django.urls import path

from audit.sightings.views import SightingsView

urlpatterns = [
    path("audit/sightings", SightingsView.as_view(), name="sightings"),
]

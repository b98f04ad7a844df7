"""The URL map of the process that serves streams: these, and whether it lives."""

from django.urls import include, path

from casino.api.monitoring import HealthView
from games.rounds.urls import stream_urlpatterns as rounds
from games.tables.urls import stream_urlpatterns as tables

urlpatterns = [
    path("healthz", HealthView.as_view(), name="healthz"),
    path("api/v1/", include(rounds)),
    path("api/v1/", include(tables)),
]
handler400 = "casino.api.problems.bad_request"
handler403 = "casino.api.problems.permission_denied"
handler404 = "casino.api.problems.page_not_found"
handler500 = "casino.api.problems.server_error"

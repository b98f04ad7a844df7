"""URL map. Paths have no trailing slash."""

from django.urls import include, path

from casino.api.monitoring import HealthView, MetricsView, ReadyView
from casino.api.reference import ReferenceView, SchemaView

urlpatterns = [
    path("healthz", HealthView.as_view(), name="healthz"),
    path("readyz", ReadyView.as_view(), name="readyz"),
    path("metrics", MetricsView.as_view(), name="metrics"),
    path("api/v1/schema", SchemaView.as_view(), name="schema"),
    path("api/v1/reference", ReferenceView.as_view(), name="reference"),
    path("api/v1/", include("casino.users.urls")),
    path("api/v1/", include("wallets.urls")),
    path("api/v1/", include("games.halls.urls")),
    path("api/v1/", include("games.rounds.urls")),
    path("api/v1/", include("games.tables.urls")),
    path("api/v1/", include("audit.urls")),
]
handler400 = "casino.api.problems.bad_request"
handler403 = "casino.api.problems.permission_denied"
handler404 = "casino.api.problems.page_not_found"
handler500 = "casino.api.problems.server_error"

"""What machines ask of a process: whether it lives, whether it can serve, and what it has counted."""

import hmac
from functools import cache

from django.conf import settings
from django.db import DatabaseError, InterfaceError, connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from kombu.exceptions import OperationalError as BrokerError
from prometheus_client import CONTENT_TYPE_LATEST
from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request

from casino import metrics
from casino.api.views import ApiView
from casino.celery import app
from casino.errors import Busy
from casino.permissions import ANY_USER, PUBLIC

BROKER_TIMEOUT_SECONDS = 2


class HealthView(ApiView):
    """Whether this process lives. Asks nothing of anybody, so that a database's fault restarts no web server."""

    roles = PUBLIC
    sees = None
    authentication_classes = ()

    @extend_schema(exclude=True)
    def get(self, request: Request) -> HttpResponse:
        return HttpResponse(b'{"status":"ok"}', content_type="application/json")


class ReadyView(ApiView):
    """Whether this process can serve: the database answers, has had all migrations, and the broker answers."""

    roles = PUBLIC
    sees = None
    authentication_classes = ()

    @extend_schema(exclude=True)
    def get(self, request: Request) -> HttpResponse:
        if missing := _missing():
            raise Busy("not_ready", missing=missing, retry_after_seconds=5)
        return HttpResponse(b'{"status":"ready"}', content_type="application/json")


def _missing() -> list[str]:
    """Name what is not there."""
    missing = []
    try:
        if not migrations_known() <= MigrationRecorder(connection).applied_migrations().keys():
            missing.append("migrations")
    except (DatabaseError, InterfaceError):
        missing.append("database")
    try:
        with app.connection_for_write() as broker:
            broker.ensure_connection(max_retries=0, timeout=BROKER_TIMEOUT_SECONDS)
    except (BrokerError, OSError):
        missing.append("broker")
    return missing


@cache
def migrations_known() -> frozenset[tuple[str, str]]:
    """The migrations of this version of the code."""
    return frozenset(MigrationLoader(None, ignore_no_migrations=True).disk_migrations)


class Scraper:
    """Who knows the token of the metrics; nobody's user."""

    is_authenticated = True
    grants = ()


class MetricsAuthentication(BaseAuthentication):
    """Know the scraper by the setting METRICS_TOKEN. Without that setting there is no scraper."""

    def authenticate(self, request: Request) -> tuple[Scraper, None] | None:
        given = request.headers.get("Authorization", "").encode(errors="replace")
        wanted = f"Bearer {settings.METRICS_TOKEN}".encode()
        is_scraper = bool(settings.METRICS_TOKEN) and hmac.compare_digest(given, wanted)
        return (Scraper(), None) if is_scraper else None

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"


class MetricsView(ApiView):
    """What this service has counted and measured of itself."""

    roles = ANY_USER
    sees = None
    authentication_classes = (MetricsAuthentication,)

    @extend_schema(exclude=True)
    def get(self, request: Request) -> HttpResponse:
        return HttpResponse(metrics.exposition(), content_type=CONTENT_TYPE_LATEST)

"""What the service counts and measures of itself, for Prometheus. Play asks the database nothing for it and waits for no lock.

With PROMETHEUS_MULTIPROC_DIR in the environment, all processes of a host write to that folder and any web process tells the sum.
"""

import os
import time
from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

from django.db import DEFAULT_DB_ALIAS, DatabaseError, InterfaceError, connections, transaction
from django.http import HttpRequest, HttpResponse
from prometheus_client import REGISTRY, CollectorRegistry, Counter, Gauge, Histogram, generate_latest, multiprocess
from prometheus_client.core import GaugeMetricFamily, Metric

_SECONDS = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10)
REQUESTS = Histogram(
    "casino_http_request_duration_seconds", "Requests answered.", ["method", "route", "status"], buckets=_SECONDS
)
TASKS = Histogram("casino_task_duration_seconds", "Tasks done.", ["task", "state"], buckets=_SECONDS)
ROUNDS_OPENED = Counter("casino_rounds_opened", "Rounds opened.", ["game"])
ROUNDS_CLOSED = Counter("casino_rounds_closed", "Rounds closed, settled or voided.", ["game", "status"])
MANIFEST_CHECKS = Counter("casino_manifest_checks", "Checks of the manifest.", ["outcome"])
OUTAGES = Counter("casino_outages", "Outages that moved deadlines.", ["part"])
TRANSFERS_POSTED = Counter("casino_transfers_posted", "Transfers posted.", ["code"])
POOL = Gauge(
    "casino_database_pool_connections",
    "Connections of the web's pools: all, those that are free, and requests that wait for one.",
    ["state"],
    multiprocess_mode="livesum",
)
STREAMS_OPEN = Gauge("casino_streams_open", "Streams that are open.", multiprocess_mode="livesum")
STREAM_EVENTS = Counter("casino_stream_events", "Events written to streams.")
STREAM_LAG = Histogram(
    "casino_stream_lag_seconds", "From when something happened until it was written to a stream.", buckets=_SECONDS
)
_POOL_STATES = {"all": "pool_size", "free": "pool_available", "awaited": "requests_waiting"}
_POOL_SECONDS = 1.0
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


def count_on_commit(counter: Counter, number: int = 1) -> None:
    """Count what this transaction does, if and when it is committed; a fault in counting is nobody's fault in playing."""
    transaction.on_commit(partial(counter.inc, number), robust=True)


class RequestMetrics:
    """A middleware that measures every request, by the route that it met and never by what a client wrote."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response
        self.pool_seen = 0.0

    def __call__(self, request: HttpRequest) -> HttpResponse:
        started = time.perf_counter()
        response = self.get_response(request)
        seconds = time.perf_counter() - started
        route = "/" + request.resolver_match.route if request.resolver_match else "none"
        method = request.method if request.method in _METHODS else "other"
        REQUESTS.labels(method, route, response.status_code).observe(seconds)
        if started - self.pool_seen > _POOL_SECONDS:
            self.pool_seen = started
            _pool_measure()
        return response


def _pool_measure() -> None:
    pool = getattr(connections[DEFAULT_DB_ALIAS], "pool", None)
    if pool is not None:
        numbers = pool.get_stats()
        for state, name in _POOL_STATES.items():
            POOL.labels(state).set(numbers.get(name, 0))


class Measured:
    """What is measured only when somebody asks for the metrics."""

    def __init__(self) -> None:
        self.functions: dict[str, tuple[str, Callable[[], timedelta | int | None]]] = {}
        self.counts: dict[str, tuple[str, str, Callable[[], Mapping[str, int]]]] = {}

    def add(self, name: str, description: str, function: Callable[[], timedelta | int | None]) -> None:
        """Let a function of an app be one of the metrics, a time in seconds; None where there is nothing to tell."""
        self.functions[name] = (description, function)

    def add_counts(self, name: str, description: str, label: str, function: Callable[[], Mapping[str, int]]) -> None:
        """Let a function of an app be one of the metrics: how many there are of each kind, under a label."""
        self.counts[name] = (description, label, function)

    def collect(self) -> Iterator[Metric]:
        """Measure. What the database cannot tell now is left out, so that the rest is told all the same."""
        for name, (description, function) in self.functions.items():
            try:
                value = function()
            except (DatabaseError, InterfaceError):
                continue
            if value is not None:
                number = value.total_seconds() if isinstance(value, timedelta) else value
                yield GaugeMetricFamily(name, description, value=number)
        for name, (description, label, count) in self.counts.items():
            try:
                counted = count()
            except (DatabaseError, InterfaceError):
                continue
            family = GaugeMetricFamily(name, description, labels=[label])
            for kind, number in counted.items():
                family.add_metric([kind], number)
            yield family


MEASURED = Measured()


def exposition() -> bytes:
    """Tell all metrics in the text format of Prometheus."""
    asked = CollectorRegistry()
    asked.register(MEASURED)
    return generate_latest(_registry()) + generate_latest(asked)


def _registry() -> CollectorRegistry:
    folder = os.environ.get("PROMETHEUS_MULTIPROC_DIR")
    if not folder:
        return REGISTRY
    for file in Path(folder).glob("gauge_live*.db"):
        process_id = int(file.stem.rpartition("_")[2])
        if not _is_alive(process_id):
            multiprocess.mark_process_dead(process_id)
    registry = CollectorRegistry()
    multiprocess.MultiProcessCollector(registry)
    return registry


def _is_alive(process_id: int) -> bool:
    try:
        os.kill(process_id, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def task_measure(task: Any, state: str | None, seconds: float) -> None:
    """Measure one run of a task."""
    TASKS.labels(task.name, state or "none").observe(seconds)

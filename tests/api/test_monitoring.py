"""Liveness, readiness and metrics, as machines ask for them."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.conf import settings as django_settings
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from prometheus_client import REGISTRY
from prometheus_client.parser import text_string_to_metric_families

from casino import metrics
from casino.api import monitoring
from casino.db import now
from casino.permissions import Role
from games.outages.models import Part
from games.outages.services import heartbeat_write
from games.rounds.models import RoundSeat
from games.rounds.services import round_void
from tests import playing
from tests.architecture.source import ROOT
from tests.databases import unreachable_database
from tests.user_builders import client, code_of, token, user

TOKEN = "a-token-for-the-scraper"


@pytest.fixture
def scraper(settings: Any) -> Any:
    settings.METRICS_TOKEN = TOKEN
    made = client()
    made.credentials(HTTP_AUTHORIZATION=f"Bearer {TOKEN}")
    return made


def sample(name: str, **labels: str) -> float:
    return REGISTRY.get_sample_value(name, labels) or 0.0


def exposed(answer: bytes) -> dict[str, dict[frozenset[tuple[str, str]], float]]:
    """Samples by name and labels, read by the library's own parser."""
    found: dict[str, dict[frozenset[tuple[str, str]], float]] = {}
    for family in text_string_to_metric_families(answer.decode()):
        for each in family.samples:
            found.setdefault(each.name, {})[frozenset(each.labels.items())] = each.value
    return found


def test_a_process_lives_whatever_its_database_does(committed_db: str) -> None:
    assert client().get("/healthz").json() == {"status": "ok"}
    with unreachable_database():
        assert client().get("/healthz").status_code == 200


def missing() -> list[str]:
    response = client().get("/readyz")
    if response.status_code == 200:
        return []
    assert code_of(response, 503) == "not_ready"
    assert int(response.headers["Retry-After"]) >= 1
    return list(response.json()["details"]["missing"])


def test_a_process_with_database_migrations_and_broker_is_ready(committed_db: str) -> None:
    assert missing() == []


def test_without_a_database_it_is_not_ready(committed_db: str) -> None:
    with unreachable_database():
        assert missing() == ["database"]


def test_before_a_migration_is_applied_it_is_not_ready(committed_db: str, owner_connection: psycopg.Connection) -> None:
    owner_connection.execute("DELETE FROM django_migrations WHERE app = 'rounds'")
    assert missing() == ["migrations"]


def test_without_a_broker_it_is_not_ready(committed_db: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(monitoring.app.conf, "broker_url", "redis://127.0.0.1:1/0")
    monkeypatch.setattr(monitoring.app.conf, "broker_write_url", "redis://127.0.0.1:1/0")
    assert missing() == ["broker"]


def test_metrics_are_closed_without_their_token(db: None, scraper: Any, settings: Any) -> None:
    wrong = [
        "",
        f"Bearer {TOKEN}x",
        f"bearer {TOKEN}",
        TOKEN,
        "Bearer ",
        f"Bearer {token(user('boss', Role.ADMIN))}",
        "Bearer \xe9",
    ]
    for header in wrong:
        response = client().get("/metrics", HTTP_AUTHORIZATION=header)
        assert code_of(response, 401) == "unauthenticated"
        assert response.headers["WWW-Authenticate"] == "Bearer"
    assert scraper.get("/metrics").status_code == 200
    settings.METRICS_TOKEN = ""
    for header in (f"Bearer {TOKEN}", "Bearer ", "Bearer"):
        assert client().get("/metrics", HTTP_AUTHORIZATION=header).status_code == 401


def test_there_is_no_scraper_by_default() -> None:
    assert django_settings.METRICS_TOKEN == ""


def test_requests_are_measured_by_route_and_never_by_what_clients_write(db: None, scraper: Any) -> None:
    served = {"method": "GET", "route": "/api/v1/users/<uuid:user_id>", "status": "404"}
    before = sample("casino_http_request_duration_seconds_count", **served)
    caller = client(user("boss", Role.ADMIN))
    for number in range(3):
        caller.get(f"/api/v1/users/00000000-0000-4000-8000-00000000000{number}")
    assert sample("casino_http_request_duration_seconds_count", **served) == before + 3
    caller.generic("PLANTED", "/planted-path")
    nowhere = {"method": "other", "route": "none", "status": "404"}
    assert sample("casino_http_request_duration_seconds_count", **nowhere) >= 1
    assert b"planted" not in scraper.get("/metrics").content.lower()


def test_rounds_and_transfers_are_counted_when_they_are_committed(committed_db: str) -> None:
    counted = {
        "casino_rounds_opened_total": {"game": playing.GAME},
        "casino_rounds_closed_total": {"game": playing.GAME, "status": "voided"},
        "casino_transfers_posted_total": {"code": "hold.ante"},
    }

    def numbers() -> list[float]:
        return [sample(name, **labels) for name, labels in counted.items()]

    hall = playing.halls()["first"]
    player = playing.player(hall)
    before = numbers()
    with pytest.raises(KeyError), transaction.atomic():
        transaction.get_connection().atomic_blocks[-1]._from_testcase = True
        playing.open_round(player, hall)
        raise KeyError("taken back")
    assert numbers() == before, "what is taken back is not counted"
    round_id = playing.open_round(player, hall).round_id
    opened = numbers()
    assert (opened[0], opened[1]) == (before[0] + 1, before[1])
    assert opened[2] > before[2]
    round_void(actor=playing.user_with(Role.SUPERVISOR), round_id=round_id, reason="test")
    assert numbers() == [opened[0], before[1] + 1, opened[2]]


def test_the_age_of_the_oldest_due_deadline_is_told(db: None, scraper: Any) -> None:
    def lag() -> float:
        (value,) = exposed(scraper.get("/metrics").content)["casino_sweep_lag_seconds"].values()
        return value

    assert lag() == 0
    hall = playing.halls()["first"]
    playing.open_round(playing.player(hall), hall)
    assert lag() == 0, "a deadline to come is not late"
    RoundSeat.objects.update(deadline=now().replace(year=2020))
    assert lag() > 86_400 * 365


def test_the_age_of_each_heartbeat_is_told_after_its_first(db: None, scraper: Any) -> None:
    name = "casino_sweep_heartbeat_age_seconds"
    assert name not in exposed(scraper.get("/metrics").content)
    heartbeat_write(part=Part.SWEEP)
    assert 0 <= exposed(scraper.get("/metrics").content)[name][frozenset()] < 60


def test_a_database_that_is_gone_does_not_hide_the_rest(committed_db: str, scraper: Any) -> None:
    with unreachable_database():
        told = exposed(scraper.get("/metrics").content)
    assert "casino_http_request_duration_seconds_count" in told
    assert "casino_sweep_lag_seconds" not in told


def test_play_costs_no_statement_more_for_being_counted(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    hall = playing.halls()["first"]

    def statements() -> list[str]:
        player = playing.player(hall)
        round_id = playing.commit(player, hall)
        with CaptureQueriesContext(connection) as captured:
            playing.open_round(player, hall, round_id=round_id)
        return [each["sql"].split(" ")[0] for each in captured]

    counted = statements()
    monkeypatch.setattr(metrics, "count_on_commit", lambda *args: None)
    assert counted == statements()
    assert len(counted) > 5


KILLED = """
import os, signal
from casino import metrics
metrics.POOL.labels("all").set(7)
metrics.TRANSFERS_POSTED.labels("deposit").inc(3)
if os.fork() == 0:
    metrics.POOL.labels("all").set(5)
    metrics.TRANSFERS_POSTED.labels("deposit").inc(4)
    os.kill(os.getpid(), signal.SIGKILL)
os.wait()
print(metrics.exposition().decode())
"""


def test_all_processes_are_told_together_and_what_a_dead_one_held_is_forgotten(tmp_path: Path) -> None:
    environment = os.environ | {"PROMETHEUS_MULTIPROC_DIR": str(tmp_path)}
    told = subprocess.run([sys.executable, "-c", KILLED], env=environment, capture_output=True, check=True, cwd=ROOT)
    samples = exposed(told.stdout)
    assert samples["casino_transfers_posted_total"] == {frozenset({("code", "deposit")}): 7}
    assert samples["casino_database_pool_connections"] == {frozenset({("state", "all")}): 7}

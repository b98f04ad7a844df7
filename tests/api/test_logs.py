"""Every log line is JSON with the request's or the task's id, and none tells a secret, at any level."""

import io
import json
import logging
import logging.config
import threading
from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest
from celery.contrib.testing.worker import start_worker
from django.conf import settings as django_settings
from structlog.contextvars import bound_contextvars, clear_contextvars

from audit.models import AuditRecord
from casino.celery import app
from casino.permissions import Role
from games.rounds.models import Commitment
from games.rounds.replay import round_seed
from tests import playing
from tests.user_builders import PASSWORD, bearer, client, keyed, user

PROBE = logging.getLogger("probe")


class Lines(io.StringIO):
    """What the service has logged, through the formatter of its settings."""

    def parsed(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.getvalue().splitlines()]


@pytest.fixture
def lines() -> Iterator[Lines]:
    """Log everything there is, whatever the environment's LOG_LEVEL."""
    written = Lines()
    formatter = logging.config.DictConfigurator(django_settings.LOGGING).configure_formatter(
        dict(django_settings.LOGGING["formatters"]["json"])
    )
    handler, root = logging.StreamHandler(written), logging.getLogger()
    handler.setFormatter(formatter)
    level, others = root.level, root.handlers
    root.handlers = [*others, handler]
    root.setLevel(logging.DEBUG)
    PROBE.addHandler(handler)  # a worker takes the root's handlers away
    yield written
    PROBE.removeHandler(handler)
    root.handlers = others
    root.setLevel(level)


def test_a_request_is_one_line_with_its_id(db: None, lines: Lines) -> None:
    answered = client(user("anna", Role.PLAYER)).get("/api/v1/nowhere").json()
    about = [line for line in lines.parsed() if line["event"] == "request_finished"]
    assert [(line["request_id"], line["code"]) for line in about] == [(answered["request_id"], 404)]
    assert {"timestamp", "level", "logger"} <= about[0].keys()


def test_the_id_of_a_request_is_never_its_clients_choice(db: None, lines: Lines) -> None:
    boss = client(user("boss", Role.ADMIN))
    body = {"username": "newcomer", "password": PASSWORD, "role": "player"}
    assert boss.post("/api/v1/users", body, HTTP_X_REQUEST_ID="chosen", HTTP_X_CORRELATION_ID="chosen").status_code == 201
    record = AuditRecord.objects.latest("pk")
    assert UUID(record.request_id)
    assert {line["request_id"] for line in lines.parsed() if "request_id" in line} == {record.request_id}
    assert "chosen" not in lines.getvalue()


def told(lines: Lines, secrets: dict[str, str]) -> set[str]:
    """The names of the secrets that stand somewhere in the log."""
    text = lines.getvalue()
    assert text
    return {name for name, secret in secrets.items() if secret in text}


def test_no_secret_stands_in_the_log(db: None, lines: Lines, settings: Any) -> None:
    settings.METRICS_TOKEN = "the-scrapers-token-0123"
    anna = user("anna", Role.PLAYER)
    hall = playing.halls()["first"]
    playing.fund(anna, hall, 100_000)
    text = client().post("/api/v1/auth/login", {"username": "anna", "password": PASSWORD}).json()["token"]
    caller = bearer(text)
    client().post("/api/v1/auth/login", {"username": "anna", "password": "a-wrong-guess-0123"})
    caller.get("/api/v1/me", HTTP_X_API_KEY="a-header-of-secrets")
    client().get("/metrics", HTTP_AUTHORIZATION="Bearer the-scrapers-token-0123")
    opening = playing.opening_body(anna, hall)
    opened = caller.post("/api/v1/rounds", opening, **keyed("k1")).json()
    caller.post(f"/api/v1/rounds/{opening['round_id']}/actions", {"turn": opened["turn"], "action": {"type": "nonsense"}})
    caller.post("/api/v1/me/password", {"current_password": PASSWORD, "new_password": "the-new-horse-0123"})
    row = Commitment.objects.get(pk=opening["round_id"]).round
    secrets = {
        "password": PASSWORD,
        "guess": "a-wrong-guess-0123",
        "new password": "the-new-horse-0123",
        "token": text,
        "header": "a-header-of-secrets",
        "scraper's token": "the-scrapers-token-0123",
        "seed": round_seed(row, list(row.seats.all())).server_seed.hex(),
        "round key": django_settings.ROUND_KEYS[0],
        "secret key": django_settings.SECRET_KEY,
        **{f"card {card}": f'"{card}"' for card in _cards(opened)},
    }
    assert len(secrets) > 12
    assert told(lines, secrets) == set()
    logging.getLogger("planted").info("logged in with %s", text)
    assert told(lines, secrets) == {"token"}, "control"


def _cards(found: Any) -> Iterator[str]:
    """Every card text within an answer."""
    if isinstance(found, dict):
        found = list(found.values())
    if isinstance(found, list):
        for inner in found:
            yield from _cards(inner)
    elif isinstance(found, str) and len(found) == 2 and found[0] in "23456789TJQKA" and found[1] in "cdhs":
        yield found


PROBED = threading.Semaphore(0)


@app.task(name="tests.probe")
def probe() -> None:
    PROBE.error("probed")
    PROBED.release()


def test_a_task_goes_by_the_id_of_the_request_that_asked_for_it_or_by_its_own(committed_db: str, lines: Lines) -> None:
    clear_contextvars()
    with start_worker(app, perform_ping_check=False, pool="solo", shutdown_timeout=120):
        with bound_contextvars(request_id="the-request"):
            asked = probe.apply_async()
        alone = probe.apply_async()
        both_done = [PROBED.acquire(timeout=120) for _ in range(2)]
    assert both_done == [True, True], lines.getvalue()
    ids = [(line["task_id"], line["request_id"]) for line in lines.parsed() if line["event"] == "probed"]
    assert ids == [(asked.id, "the-request"), (alone.id, alone.id)]

"""The service refuses to start without its secrets, and is safe by default with them."""

import os
import re
import subprocess
import sys

import pytest
from cryptography.fernet import Fernet

from tests.architecture.source import ROOT

PRODUCTION = {
    "PATH": os.defpath,
    "CASINO_EMBEDDED": "0",
    "SECRET_KEY": "a-long-secret-of-fifty-and-more-characters-0123456789-abcdefgh",
    "ROUND_KEYS": Fernet.generate_key().decode(),
    "ALLOWED_HOSTS": "casino.example",
    "DATABASE_URL": "postgresql://casino_app@database.example/casino",
    "CELERY_BROKER_URL": "amqp://broker.example",
}
SECRETS = ("SECRET_KEY", "ROUND_KEYS", "ALLOWED_HOSTS", "DATABASE_URL", "CELERY_BROKER_URL")


def manage(environment: dict[str, str], *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "manage.py", *command], cwd=ROOT, env=environment, capture_output=True, text=True)


@pytest.mark.parametrize("name", SECRETS)
@pytest.mark.parametrize("given", [None, "", " , "], ids=["absent", "empty", "blank"])
def test_a_missing_secret_is_refused_and_named(name: str, given: str | None) -> None:
    environment = {key: value for key, value in PRODUCTION.items() if key not in (name, "CASINO_EMBEDDED")}
    environment |= {} if given is None else {name: given}
    started = manage(environment, "check")
    assert started.returncode != 0
    assert f"Missing settings: {name}." in started.stderr


@pytest.mark.parametrize(
    ("name", "given", "told"),
    [
        ("HTTPS_ONLY", "maybe", "HTTPS_ONLY is neither on nor off."),
        ("TOKEN_TTL_HOURS", "ten", "TOKEN_TTL_HOURS is no whole number."),
        ("TRUSTED_PROXY_COUNT", "-1", "TRUSTED_PROXY_COUNT is no whole number."),
        ("STREAM_ORIGIN", "casino.example/streams", "STREAM_ORIGIN is no origin, such as https://casino.example."),
        ("ALLOWED_HOSTS", ".example", "STREAM_ORIGIN is needed, as the first of ALLOWED_HOSTS names no single host."),
        ("SEAL_WEBHOOK_URL", "http://seals.example/heads", "SEAL_WEBHOOK_URL is no https URL."),
        ("SEAL_WEBHOOK_URL", "https://user@seals.example", "SEAL_WEBHOOK_URL is no https URL."),
        ("SEAL_WEBHOOK_URL", "https://seals.example/heads", "SEAL_WEBHOOK_SECRET is no secret"),
        ("LARGE_WINS", "EUR:1000,EUR:2000", "LARGE_WINS: each currency once"),
        ("LARGE_WAGERS", "EUR=1000", "LARGE_WAGERS: each currency once"),
        ("LARGE_WAGERS", "EUR:0", "LARGE_WAGERS: each currency once"),
        ("DATABASE_URL", "mysql://db/casino", "DATABASE_URL is no PostgreSQL URL."),
    ],
)
def test_a_setting_that_makes_no_sense_is_refused_and_named(name: str, given: str, told: str) -> None:
    started = manage(PRODUCTION | {name: given}, "check")
    assert started.returncode != 0
    assert told in started.stderr


def test_all_missing_secrets_are_named_at_once() -> None:
    started = manage({"PATH": os.defpath, "CASINO_EMBEDDED": "0"}, "check")
    assert f"Missing settings: {', '.join(SECRETS)}." in started.stderr


def test_a_round_key_that_is_none_is_refused_without_being_shown() -> None:
    started = manage(PRODUCTION | {"ROUND_KEYS": f"{PRODUCTION['ROUND_KEYS']},not-a-key"}, "check")
    assert started.returncode != 0
    assert "ROUND_KEYS: key number 2 is no Fernet key" in started.stderr
    assert "not-a-key" not in started.stderr


def test_production_settings_pass_the_deployment_check() -> None:
    checked = manage(PRODUCTION, "check", "--deploy", "--fail-level", "WARNING")
    assert checked.returncode == 0, checked.stderr


def test_nothing_of_the_embedded_stack_is_on_by_default() -> None:
    script = "from casino.settings import *; print(EMBEDDED, DEBUG, SECURE_SSL_REDIRECT, CORS_ALLOWED_ORIGINS, list(DATABASES))"
    environment = {name: value for name, value in PRODUCTION.items() if name != "CASINO_EMBEDDED"}
    shown = subprocess.run([sys.executable, "-c", script], cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    assert shown.stdout.split() == ["False", "False", "True", "[]", "['default']"]


def test_every_setting_is_documented() -> None:
    source = (ROOT / "casino" / "settings.py").read_text()
    read = set(re.findall(r'(?:env\.\w+|_database|_flag|_whole|_amounts|environ\.get|_origin)\("([A-Z_]+)"', source))
    documented = set(re.findall(r"^\| `([A-Z_]+)`", (ROOT / "docs" / "settings.md").read_text(), re.MULTILINE))
    outside = {"TEST_DATABASE_OWNER_URL", "PORT"}
    assert read == documented - outside

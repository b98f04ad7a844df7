"""The embedded stack's secrets and the environment file from which ``manage.py`` finds a stack.

The file ``var/stack.env`` is readable by its owner only. Secrets are generated once and kept in it.
"""

import os
import secrets
from pathlib import Path

from cryptography.fernet import Fernet

from casino.embedded.folders import Folders
from casino.embedded.postgres import APPLICATION, OWNER, Postgres
from casino.embedded.valkey import Valkey

DATABASE = "casino"


def environment_file(folders: Folders) -> Path:
    return folders.var / "stack.env"


def environment_read(path: Path) -> dict[str, str]:
    """Read NAME=value lines; none when there is no file."""
    try:
        lines = path.read_text().splitlines()
    except FileNotFoundError:
        return {}
    return dict(line.split("=", 1) for line in lines if "=" in line and not line.startswith("#"))


def environment_write(path: Path, environment: dict[str, str]) -> None:
    """Write the file whole or not at all, never readable by others, not even for a moment."""
    unfinished = path.with_suffix(".unfinished")
    unfinished.unlink(missing_ok=True)
    descriptor = os.open(unfinished, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write("# Made by `make run`; secrets of this checkout's embedded stack.\n")
        file.writelines(f"{name}={value}\n" for name, value in environment.items())
    unfinished.replace(path)


def stack_environment(folders: Folders, postgres: Postgres, valkey: Valkey) -> dict[str, str]:
    """Make the settings of this checkout's stack, with the secrets of its earlier runs where there are any."""
    path = environment_file(folders)
    kept = environment_read(path)
    passwords = {role: kept.get(f"{role.upper()}_PASSWORD") or secrets.token_urlsafe(24) for role in (OWNER, APPLICATION)}
    environment = {
        "CASINO_EMBEDDED": "1",
        "SECRET_KEY": kept.get("SECRET_KEY") or secrets.token_urlsafe(48),
        "ROUND_KEYS": kept.get("ROUND_KEYS") or Fernet.generate_key().decode(),
        "ALLOWED_HOSTS": "localhost,127.0.0.1,[::1]",
        "DATABASE_URL": postgres.url(APPLICATION, passwords[APPLICATION], DATABASE),
        "DATABASE_OWNER_URL": postgres.url(OWNER, passwords[OWNER], DATABASE),
        "DATABASE_APP_ROLE": APPLICATION,
        "CELERY_BROKER_URL": valkey.url,
        "SEAL_ANCHOR_FILE": str(folders.var / "anchor.jsonl"),
        "METRICS_TOKEN": kept.get("METRICS_TOKEN") or secrets.token_urlsafe(24),
        **{f"{role.upper()}_PASSWORD": password for role, password in passwords.items()},
    }
    environment_write(path, environment)
    return environment


def role_passwords(environment: dict[str, str]) -> dict[str, str]:
    return {role: environment[f"{role.upper()}_PASSWORD"] for role in (OWNER, APPLICATION)}

"""The embedded PostgreSQL with all its guarantees (fsync on), for one run of the bench, and what is on it."""

import os
import secrets
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from cryptography.fernet import Fernet
from psycopg import sql

from casino.embedded.folders import Folders
from casino.embedded.postgres import APPLICATION, OWNER, SUPERUSER, Postgres
from casino.embedded.processes import spawn
from casino.embedded.stack import answers, port_reserved

CHECKOUT = Path(__file__).resolve().parent.parent
FOLDERS = Folders(CHECKOUT, "bench")
TEMPLATE = "bench"
"""The database that the others are copied from: migrated, with halls, players and money."""


@dataclass(frozen=True)
class Server:
    """A running server. Databases are named; ``environment`` holds the settings of the service on ``TEMPLATE``."""

    postgres: Postgres
    environment: dict[str, str]

    def copy(self, name: str) -> None:
        """Copy the template, which nobody may be connected to."""
        with self.postgres.connect() as connection:
            statement = sql.SQL("CREATE DATABASE {} TEMPLATE {} OWNER {}")
            connection.execute(statement.format(*map(sql.Identifier, (name, TEMPLATE, OWNER))))

    def settle(self, *names: str) -> None:
        """Write out what earlier loads left to write, so that no series pays for another's."""
        for name in names:
            with self.postgres.connect(name) as connection:
                connection.execute("VACUUM ANALYZE")
        with self.postgres.connect() as connection:
            connection.execute("CHECKPOINT")

    def pgbench(self, database: str, *options: str) -> str:
        """Run PostgreSQL's own load generator and return what it prints."""
        program, sockets = self.postgres.programs() / "pgbench", self.postgres.folders.sockets
        command: list[str | Path] = [program, "-h", sockets, "-U", SUPERUSER, *options, database]
        done = subprocess.run(command, env=self.environment, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(done.stderr)
        return done.stdout


@contextmanager
def started() -> Iterator[Server]:
    """Start an empty server and put the service's settings into this process's environment; remove all of it afterwards."""
    FOLDERS.prepare()
    postgres = Postgres(FOLDERS)
    postgres.clear_leftovers()
    shutil.rmtree(postgres.data, ignore_errors=True)
    postgres.initialise()
    process = postgres.start()
    try:
        _wait(postgres.ready)
        passwords = {OWNER: secrets.token_urlsafe(24), APPLICATION: secrets.token_urlsafe(24)}
        postgres.provide(TEMPLATE, passwords)
        os.environ.update(_settings(postgres, passwords))
        yield Server(postgres, dict(os.environ))
    finally:
        postgres.stop()
        process.wait()
        for folder in (postgres.data, FOLDERS.sockets):
            shutil.rmtree(folder, ignore_errors=True)


def _settings(postgres: Postgres, passwords: dict[str, str]) -> dict[str, str]:
    return {
        "DJANGO_SETTINGS_MODULE": "bench.settings",
        "CASINO_EMBEDDED": "0",
        "SECRET_KEY": secrets.token_urlsafe(48),
        "ROUND_KEYS": Fernet.generate_key().decode(),
        "ALLOWED_HOSTS": "127.0.0.1",
        "DATABASE_URL": postgres.url(APPLICATION, passwords[APPLICATION], TEMPLATE),
        "DATABASE_OWNER_URL": postgres.url(OWNER, passwords[OWNER], TEMPLATE),
        "DATABASE_APP_ROLE": APPLICATION,
        "CELERY_BROKER_URL": "memory://",
        "HTTPS_ONLY": "0",
    }


@contextmanager
def web(server: Server, database: str) -> Iterator[int]:
    """Serve a database over HTTP as the stack does, with the yardstick's view beside the API; the value is the port."""
    port, guard = port_reserved(18_500)
    url = urlunsplit(urlsplit(server.environment["DATABASE_URL"])._replace(path=f"/{database}"))
    command = [sys.executable, "-m", "granian", "--interface", "wsgi", "--host", "127.0.0.1", "--port", str(port)]
    command += ["--workers", "2", "--blocking-threads", "8", "--backpressure", "64", "--no-ws", "casino.wsgi:application"]
    process = spawn(
        command, environment={**server.environment, "DATABASE_URL": url}, folder=CHECKOUT, log=FOLDERS.logs / "bench-web.log"
    )
    try:
        _wait(lambda: answers(port, "/readyz"))
        yield port
    finally:
        process.terminate()
        process.wait()
        guard.close()


def _wait(ready: Callable[[], bool], timeout_seconds: float = 180) -> None:
    deadline = time.monotonic() + timeout_seconds
    while not ready():
        if time.monotonic() > deadline:
            raise TimeoutError("a part of the bench does not start")
        time.sleep(0.05)

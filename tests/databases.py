"""The databases of a test run: one server for all workers, a migrated template, a clone for whoever needs one.

The server is the embedded PostgreSQL, or the one of TEST_DATABASE_OWNER_URL (a superuser's URL; its databases and its role
``casino_test_app`` are made and removed here). Django's flush is of no use: triggers refuse TRUNCATE. A clone costs about 60 ms.
"""

import fcntl
import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import environ
import psutil
import psycopg
from django.core.management import call_command
from django.db import connections
from psycopg import sql

from casino.embedded.folders import Folders
from casino.embedded.postgres import APPLICATION, OWNER, Postgres

CHECKOUT = Path(__file__).resolve().parent.parent
FOLDERS = Folders(CHECKOUT, "tests")
SOURCES = ("casino", "wallets", "audit", "games")
PREFIX = f"casino_test_{FOLDERS.digest}_"

OLDEST_ON_SERVER = "pg_snapshot_xmin(pg_current_snapshot())"
OLDEST_IN_DATABASE = """(
    SELECT coalesce(min(held.transactionid::text::bigint)::text::xid8, pg_snapshot_xmax(pg_current_snapshot()))
    FROM pg_locks held JOIN pg_stat_activity who USING (pid)
    WHERE held.locktype = 'transactionid' AND held.mode = 'ExclusiveLock' AND who.datname = current_database()
        AND who.usesysid IS NOT NULL)"""
"""The oldest open transaction, of all databases and of the one that asks; a test's server has one for each test.

Autovacuum comes at any moment and has one too while it analyses; it moves no money and holds nothing up here.
"""

PATIENCE = {"lock_timeout": "25s", "idle_in_transaction_session_timeout": "10min"}
"""What a role of tests has in place of limits made for play: a busy machine keeps a lock, or a session, for longer than that."""


@dataclass
class Server:
    """A PostgreSQL server that tests may fill, and as whom they use it."""

    admin_url: str
    owner_url: str
    application_role: str
    application_url: str
    clones_made: int = field(default=0, init=False)

    def url(self, role_url: str, database: str) -> str:
        return urlunsplit(urlsplit(role_url)._replace(path=f"/{database}"))

    def execute(self, statement: str, *names: str) -> list[tuple[Any, ...]]:
        with psycopg.connect(self.admin_url, autocommit=True) as connection:
            cursor = connection.execute(sql.SQL(statement).format(*(sql.Identifier(name) for name in names)))
            return cursor.fetchall() if cursor.description else []

    def clone(self, template: str) -> str:
        """Make a database of this process from the template."""
        self.clones_made += 1
        name = f"{PREFIX}{os.getpid()}_{self.clones_made}"
        self.execute("CREATE DATABASE {} TEMPLATE {} OWNER {} STRATEGY FILE_COPY", name, template, self.owner_role)
        return name

    @property
    def owner_role(self) -> str:
        return urlsplit(self.owner_url).username or ""

    def drop(self, name: str) -> None:
        """Drop a database together with every connection that a test has left open."""
        self.execute("DROP DATABASE IF EXISTS {} WITH (FORCE)", name)

    def transactions_open(self, database: str) -> int:
        """Count the clients of a database that are amid a transaction; of others' a superuser alone is told."""
        amid = "WHERE backend_type = 'client backend' AND xact_start IS NOT NULL AND datname"
        ((number,),) = self.execute(f"SELECT count(*) FROM pg_stat_activity {amid} = '{database}'")
        return int(number)

    def names(self) -> list[str]:
        rows = self.execute("SELECT datname FROM pg_database ORDER BY datname")
        return [name for (name,) in rows if name.startswith(PREFIX)]


@contextmanager
def server() -> Iterator[Server]:
    """Join the test server, starting it if nobody has; the last to leave stops it."""
    given = os.environ.get("TEST_DATABASE_OWNER_URL")
    if given:
        yield _given_server(given)
        return
    FOLDERS.prepare()
    postgres = Postgres(FOLDERS, durable=False)
    with (FOLDERS.var / "tests.users").open("a") as users, _locked("tests.start"):
        fcntl.flock(users, fcntl.LOCK_SH)
        if not postgres.ready():
            postgres.initialise()
            postgres.clear_leftovers()
            postgres.start_detached()
        joined = provided(postgres)
    with (FOLDERS.var / "tests.users").open("a") as users:
        fcntl.flock(users, fcntl.LOCK_SH)
        yield joined
    with _locked("tests.start"), (FOLDERS.var / "tests.users").open("a") as users:
        try:
            fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return
        postgres.stop()


def provided(postgres: Postgres) -> Server:
    """Give an embedded server the service's roles."""
    password = hashlib.sha256(postgres.folders.identity.encode()).hexdigest()
    postgres.provide(PREFIX.rstrip("_"), {OWNER: password, APPLICATION: password})
    with postgres.connect() as connection:
        for limit, time in PATIENCE.items():
            connection.execute(f"ALTER ROLE {APPLICATION} SET {limit} = '{time}'".encode())
    return Server(
        admin_url=postgres.url("postgres", "", "postgres"),
        owner_url=postgres.url(OWNER, password, "postgres"),
        application_role=APPLICATION,
        application_url=postgres.url(APPLICATION, password, "postgres"),
    )


def _given_server(owner_url: str) -> Server:
    role, password = "casino_test_app", hashlib.sha256(owner_url.encode()).hexdigest()
    parts = urlsplit(owner_url)
    host = parts.netloc.rpartition("@")[2]
    application = urlunsplit(parts._replace(netloc=f"{role}:{password}@{host}"))
    given = Server(owner_url, owner_url, role, application)
    FOLDERS.var.mkdir(exist_ok=True)
    with _locked("tests.start"):
        if not given.execute(f"SELECT 1 FROM pg_roles WHERE rolname = '{role}'"):
            given.execute(f"CREATE ROLE {{}} LOGIN PASSWORD '{password}'", role)
    return given


@contextmanager
def _locked(name: str) -> Iterator[None]:
    with (FOLDERS.var / f"{name}.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def template(on: Server) -> str:
    """Migrate a template as the owner, once for the code as it is; whatever older code or killed runs left is dropped."""
    name = f"{PREFIX}template_{_fingerprint()}"
    with _locked("tests.template"):
        existing = on.names()
        for old in existing:
            process_id = old.removeprefix(PREFIX).partition("_")[0]
            if old != name and not (process_id.isdigit() and psutil.pid_exists(int(process_id))):
                on.drop(old)
        if name not in existing:
            _migrate(on, name)
    return name


def _migrate(on: Server, name: str) -> None:
    unfinished = f"{PREFIX}{os.getpid()}_template"
    on.execute("CREATE DATABASE {} OWNER {}", unfinished, on.owner_role)
    point("owner", on.url(on.owner_url, unfinished))
    call_command("migrate", database="owner", verbosity=0)
    connections["owner"].close()
    on.execute("ALTER DATABASE {} RENAME TO {}", unfinished, name)


def _fingerprint() -> str:
    """Digest every source that migrations and the grants after them may depend on."""
    digest = hashlib.sha256()
    files = (path for source in SOURCES for path in (CHECKOUT / source).rglob("*") if path.suffix in {".py", ".sql"})
    for path in sorted(files):
        digest.update(f"{path}:".encode() + path.read_bytes())
    return digest.hexdigest()[:12]


@contextmanager
def cloned(server: Server, template: str) -> Iterator[str]:
    """Let Django's aliases mean a fresh database, and what they meant before again afterwards."""
    before = {alias: dict(connections.settings[alias]) for alias in connections}
    name = server.clone(template)
    point("default", server.url(server.application_url, name))
    point("owner", server.url(server.owner_url, name))
    try:
        yield name
    finally:
        for alias, settings in before.items():
            connections[alias].close()
            connections.settings[alias].update(settings)
        server.drop(name)


def point(alias: str, url: str) -> None:
    """Let an alias mean another database, in every thread, as all share its settings; this thread's connection is closed."""
    connections[alias].close()
    connections.settings[alias].update({"PORT": "", "OPTIONS": {}} | environ.Env.db_url_config(url))


def impatient() -> None:
    """Let this thread's session give up waiting for a lock soon, for a test in which nobody gives it back."""
    with connections["default"].cursor() as cursor:
        cursor.execute("SET lock_timeout = '100ms'")


@contextmanager
def unreachable_database() -> Iterator[None]:
    """Let the service look for its database where there is none, inside ``committed_db``.

    Not by monkeypatch, which may outlive that fixture and then brings back the name of a database that is gone.
    """
    settings = connections.settings["default"]
    name = settings["NAME"]
    connections["default"].close()
    settings["NAME"] = "nowhere"
    try:
        yield
    finally:
        connections["default"].close()
        settings["NAME"] = name

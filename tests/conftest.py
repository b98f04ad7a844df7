"""How tests get a database.

- Tests in unit/, property/ and playthroughs/ ask for none and none is started.
- ``db`` (or ``pytest.mark.django_db``): one transaction, rolled back at the end. The default for services and the API.
- ``committed_db``: a database of the test's own, where transactions really commit. For threads, processes, locks, durability,
  triggers. Each thread has its own connection; what is left open at the end is cut. Never with ``db`` in one test; there is no
  ``transactional_db`` either, since flush needs TRUNCATE, which triggers refuse.
- ``owner_connection``: a psycopg connection as the owner of ``committed_db``'s tables, to try what even the owner must not.

Tests connect as the application's role, which owns nothing. The server is the embedded PostgreSQL, shared by all workers, or that
of TEST_DATABASE_OWNER_URL (a superuser's URL): ``make test-postgres15`` runs the suite so on Debian's PostgreSQL 15.
"""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import django
import hypothesis
import psycopg
import pytest

from audit.manifest.files import NAME, files_digest, manifest_text
from casino.embedded.secrets import environment_read

for _name in ("DATABASE_POOL_MAX_SIZE", "CORS_ALLOWED_ORIGINS"):
    os.environ.pop(_name, None)
os.environ.update(environment_read(Path(__file__).with_name("environment.env")))
if os.environ.get("TEST_DATABASE_OWNER_URL"):
    os.environ["DATABASE_APP_ROLE"] = "casino_test_app"
_MANIFEST = Path(tempfile.mkdtemp()) / NAME
_MANIFEST.write_text(manifest_text(files_digest(Path(__file__).parent.parent)))
os.environ["MANIFEST_FILE"] = str(_MANIFEST)  # of the files as they are; that the reviewed one says the same is a test of its own
django.setup()
hypothesis.settings.register_profile(
    "tests", derandomize=True, database=None, deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)  # the same examples in every run, however slow the machine
hypothesis.settings.load_profile("tests")

from django.conf import settings  # noqa: E402 Django must be set up first
from django.db import connections  # noqa: E402 Django must be set up first
from django.db.backends.base.base import BaseDatabaseWrapper  # noqa: E402
from django.db.backends.signals import connection_created  # noqa: E402
from django.db.models import QuerySet  # noqa: E402 Django must be set up first
from pytest_django import DjangoDbBlocker  # noqa: E402

from audit.seals import services as seal_services  # noqa: E402 Django must be set up first
from tests import databases  # noqa: E402

settings.MANIFEST_FILE = _MANIFEST  # where the environment names the settings, they have been read before this file


@contextmanager
def _connections_of_threads_closed() -> Iterator[None]:
    """Close what a test's threads opened: Django closes a thread's connections only at the end of a request or a task."""
    opened: list[BaseDatabaseWrapper] = []

    def note(connection: BaseDatabaseWrapper, **kwargs: object) -> None:
        opened.append(connection)

    connection_created.connect(note)
    try:
        yield
    finally:
        connection_created.disconnect(note)
        for wrapper in opened:
            if wrapper.connection is not None:
                wrapper.connection.close()


@pytest.fixture(scope="session", autouse=True)
def _sealing_waits_for_its_own_database_alone() -> None:
    """On the tests' server other databases are other tests': their transactions are none of this one's."""
    moment = seal_services._MOMENT_SQL
    seal_services._MOMENT_SQL = moment.replace(databases.OLDEST_ON_SERVER, databases.OLDEST_IN_DATABASE)
    assert moment != seal_services._MOMENT_SQL


@pytest.fixture(scope="session", autouse=True)
def _rows_that_nothing_orders_come_in_reverse() -> Iterator[None]:
    """The database gives them as they were written until one day it does not; no test or code may rest on that."""
    fetch_all = QuerySet._fetch_all

    def reversed_where_unordered(rows: QuerySet[Any]) -> None:
        is_fetched = rows._result_cache is not None
        fetch_all(rows)
        if not is_fetched and not rows.ordered and not rows.query.is_sliced and rows._result_cache:
            rows._result_cache = rows._result_cache[::-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(QuerySet, "_fetch_all", reversed_where_unordered)
        yield


@pytest.fixture(scope="session")
def database_server() -> Iterator[databases.Server]:
    with databases.server() as server:
        yield server


@pytest.fixture(scope="session")
def database_template(database_server: databases.Server, django_db_blocker: DjangoDbBlocker) -> str:
    with django_db_blocker.unblock():
        return databases.template(database_server)


@pytest.fixture(scope="session")
def django_db_setup(
    database_server: databases.Server, database_template: str, django_db_blocker: DjangoDbBlocker
) -> Iterator[None]:
    """Give this worker its database, in place of pytest-django's own, which would flush and migrate as the wrong role."""
    with django_db_blocker.unblock(), databases.cloned(database_server, database_template):
        # Django finds this out by creating a table, which the application's role must not.
        connections["default"].features.supports_transactions = True
        yield


@pytest.fixture
def committed_db(
    database_server: databases.Server,
    database_template: str,
    django_db_blocker: DjangoDbBlocker,
    request: pytest.FixtureRequest,
) -> Iterator[str]:
    """Give the test a database of its own; the value is the application role's URL, for other processes."""
    if "db" in request.fixturenames:
        raise pytest.UsageError("committed_db and db exclude each other")
    with (
        django_db_blocker.unblock(),
        databases.cloned(database_server, database_template) as name,
        _connections_of_threads_closed(),
    ):
        yield database_server.url(database_server.application_url, name)


@pytest.fixture
def owner_connection(committed_db: str, database_server: databases.Server) -> Iterator[psycopg.Connection]:
    name = connections["default"].settings_dict["NAME"]
    with psycopg.connect(database_server.url(database_server.owner_url, name), autocommit=True) as connection:
        yield connection

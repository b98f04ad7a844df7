"""The audit beside real servers: a standby that is read in the primary's place, and a dump that is restored elsewhere."""

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
import pytest
from django.db import connections
from pytest_django import DjangoDbBlocker

from audit.continuous import replica
from audit.continuous.passes import pages_work, pass_begin, pass_standing
from audit.models import AuditFinding, AuditPass
from audit.reports.snapshot import reader
from audit.seals.anchor import anchor_catch_up
from audit.seals.inspection import seals_check
from audit.seals.services import seal_make
from casino.db import REPLICA, unit_of_work
from casino.embedded.postgres import Postgres
from games.halls.models import Hall
from tests import databases, playing
from tests.clusters import cluster, program_run, standby
from tests.report_builders import report
from tests.services.audit.reading import findings, read_on, row_id
from wallets.models import Account

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("clusters")]


@pytest.fixture(scope="module")
def server_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("servers")


@pytest.fixture(scope="module")
def server(server_folder: Path, django_db_blocker: DjangoDbBlocker) -> Iterator[Postgres]:
    """A server that others may follow, with the service's template."""
    with cluster(server_folder, "primary") as postgres, django_db_blocker.unblock():
        databases.template(databases.provided(postgres))
        yield postgres


@pytest.fixture
def primary(server: Postgres, django_db_blocker: DjangoDbBlocker) -> Iterator[Postgres]:
    """The same server, Django's aliases meaning a database on it."""
    on = databases.provided(server)
    with django_db_blocker.unblock(), databases.cloned(on, databases.template(on)):
        yield server


@pytest.fixture
def follower(tmp_path: Path, primary: Postgres) -> Iterator[psycopg.Connection]:
    """The superuser's connection to a standby, which is configured as the service's replica."""
    with standby(tmp_path, "standby", primary) as postgres:
        connections.settings[REPLICA] = connections.settings["default"] | {"HOST": str(postgres.folders.sockets)}
        with postgres.connect(connections["default"].settings_dict["NAME"]) as connection:
            try:
                yield connection
            finally:
                connections[REPLICA].close()
                del connections[REPLICA]
                del connections.settings[REPLICA]


def played(hall: Hall, chance: int) -> UUID:
    player = playing.player(hall)
    round_id = playing.open_round(player, hall).round_id
    playing.play_out(player, round_id, random.Random(chance))
    return round_id


def until(condition: Callable[[], bool], tries: int = 2000) -> None:
    assert any(condition() for _ in range(tries))


def changed(primary: Postgres, sql: str) -> None:
    """Change rows as a superuser whom no trigger hinders."""
    with primary.connect(connections["default"].settings_dict["NAME"]) as connection:
        connection.execute("SET session_replication_role = replica")
        assert connection.execute(sql).rowcount == 1


def statements_read() -> list[str]:
    """Every statement that the standby gets from now on."""
    reading: list[str] = []

    def note(execute: Any, statement: Any, *rest: Any) -> Any:
        reading.append(str(statement))
        return execute(statement, *rest)

    connections[REPLICA].execute_wrappers.append(note)
    return reading


def test_a_standby_is_read_once_it_is_as_far_and_what_is_found_is_written_to_the_primary(
    primary: Postgres, follower: psycopg.Connection
) -> None:
    hall = playing.halls()["first"]
    begin_as_soon_as_read()
    rounds = [played(hall, chance) for chance in range(3)]
    read_on()
    follower.execute("SELECT pg_wal_replay_pause()")
    until(lambda: follower.execute("SELECT pg_get_wal_replay_pause_state()").fetchone() == ("paused",))
    of_round = f"SELECT id FROM rounds_round WHERE commitment_id = '{rounds[1]}'"
    changed(primary, f"UPDATE rounds_roundseat SET staked_minor = staked_minor + 1 WHERE round_id = {row_id(of_round)}")
    with unit_of_work():
        begun = pass_begin(cause=AuditPass.Cause.ASKED)
    assert begun is not None
    assert replica.reading_alias(begun) is None
    assert pages_work() == 0
    assert reader() == "default"
    follower.execute("SELECT pg_wal_replay_resume()")
    until(lambda: replica.reading_alias(begun) == REPLICA)
    reading = statements_read()
    pages_work()
    begun.refresh_from_db()
    assert begun.ended_at is not None
    assert any("rounds_roundrecord" in statement for statement in reading)
    found = AuditFinding.objects.filter(check_name="replay_round")
    assert [row.subject_id for row in found] == [str(rounds[1])]


def test_a_report_is_read_on_a_standby_to_the_cent(follower: psycopg.Connection) -> None:
    hall = playing.halls()["first"]
    for chance in range(3):
        played(hall, chance)
    owed = sum(Account.objects.filter(kind="player").values_list("balance_minor", flat=True))
    until(lambda: reader() == REPLICA)
    reading = statements_read()
    document = report("liability")
    assert document["totals"][0]["liability_minor"] == owed
    assert all(check["agrees"] for check in document["checks"])
    assert any("wallets_transfer" in statement for statement in reading)


def test_a_dump_that_is_restored_on_another_server_is_audited_and_sealed_on(
    tmp_path: Path, primary: Postgres, settings: Any
) -> None:
    settings.SEAL_ANCHOR_FILE = str(tmp_path / "anchor.jsonl")
    hall = playing.halls()["first"]
    begin_as_soon_as_read()
    played(hall, 1)
    assert (seal_make() is not None, anchor_catch_up()) == (True, 1)
    played(hall, 2)
    read_on()
    with restored(tmp_path, primary) as elsewhere:
        begin_as_soon_as_read()
        assert findings() == {("database_restored", "database")}
        for chance in (3, 4):
            played(hall, chance)
            read_on()
            assert seal_make() is not None
        assert anchor_catch_up() == 2
        assert seals_check(is_full=True) == []
        step = row_id("SELECT max(id) FROM rounds_roundstep")
        changed(elsewhere, f"UPDATE rounds_roundstep SET at = at + interval '1 second' WHERE id = {step}")
        read_on()
        assert ("row_written_again", "rounds_roundstep") in findings()
        assert [(each.check, each.key) for each in seals_check(is_full=True)] == [("seal_leaf_matches_its_row", str(step))]


@contextmanager
def restored(folder: Path, primary: Postgres) -> Iterator[Postgres]:
    """Let Django's aliases mean what a dump of their database makes on a server that has never seen it."""
    name = connections["default"].settings_dict["NAME"]
    dump = primary.folders.home / "dump"
    program_run(primary, "pg_dump", "--format", "custom", "--file", dump, name)
    with cluster(folder, "restored") as elsewhere:
        server = databases.provided(elsewhere)
        server.execute("CREATE DATABASE {} OWNER {}", name, server.owner_role)
        program_run(elsewhere, "pg_restore", "--exit-on-error", "--dbname", name, dump)
        databases.point("default", server.url(server.application_url, name))
        databases.point("owner", server.url(server.owner_url, name))
        yield elsewhere


def begin_as_soon_as_read() -> None:
    """Let the first run, here or after a restore, set the marks, and do the full pass that it asks for."""
    read_on()
    assert pass_standing() is not None
    until(lambda: pages_work() >= 0 and pass_standing() is None)

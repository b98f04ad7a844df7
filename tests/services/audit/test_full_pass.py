"""The full pass: everything is looked at, by whoever takes a page, and nothing twice or never."""

import os
import random
import signal
from collections.abc import Callable, Iterator
from datetime import timedelta
from multiprocessing import get_context
from typing import Any
from uuid import UUID

import psycopg
import pytest
from django.core.management import call_command
from django.db import IntegrityError, OperationalError, connection, connections, transaction

from audit import locks
from audit.continuous import passes, replica
from audit.continuous.checking import ATTEMPTS_MAX
from audit.continuous.passes import page_work, pages_work, pass_begin, pass_standing
from audit.continuous.selectors import audit_lag, last_pass_age
from audit.models import AuditFinding, AuditMark, AuditPage, AuditPass
from casino.db import now
from games.halls.models import Hall
from games.rounds.models import RoundRecord
from tests import playing
from tests.concurrency.racing import race
from tests.services.audit.reading import begin, findings, read_on
from wallets.models import Transfer

Plant = Callable[[str], None]


@pytest.fixture
def rounds(committed_db: str, monkeypatch: pytest.MonkeyPatch) -> list[UUID]:
    """Five closed rounds, which make pages of two."""
    monkeypatch.setattr(passes, "PAGE_ROUNDS", 2)
    monkeypatch.setattr(locks, "JUST_TAKEN", timedelta(hours=1))  # a busy machine may keep a worker from its page for long
    hall = playing.halls()["first"]
    begin()
    player, played = playing.player(hall), []
    for chance in range(5):
        played.append(playing.open_round(player, hall).round_id)
        playing.play_out(player, played[-1], random.Random(chance))
    read_on()
    return played


def asked() -> AuditPass:
    with transaction.atomic():
        begun = pass_begin(cause=AuditPass.Cause.ASKED)
    assert begun is not None
    return begun


def test_everything_is_looked_at_once_however_many_work_on_it(rounds: list[UUID]) -> None:
    begun = asked()
    race([pages_work, pages_work, pages_work])
    begun.refresh_from_db()
    assert begun.ended_at is not None
    pages = list(AuditPage.objects.filter(audit_pass=begun))
    assert sum(page.rows for page in pages if page.part == "replay") == len(rounds)
    assert len([page for page in pages if page.part == "replay"]) == 3
    assert {page.attempts for page in pages} == {1}
    assert findings() == set()


def test_one_pass_at_a_time_and_one_a_night(rounds: list[UUID]) -> None:
    first = asked()
    with transaction.atomic():
        assert pass_begin(cause=AuditPass.Cause.ASKED) is None
    pages_work()
    assert pass_standing() is None
    assert asked().pk > first.pk


OLD = [
    ("UPDATE wallets_transfer SET amount_minor = amount_minor + 1 WHERE id = {transfer}", "wallets.transfer"),
    ("DELETE FROM wallets_transfer WHERE id = {transfer}", "wallets.account"),
    ("UPDATE rounds_roundstep SET hash = repeat('0', 64) WHERE round_id = {round} AND seq = 0", "rounds.round"),
    ("DELETE FROM rounds_roundstep WHERE round_id = {round} AND seq = 0", "rounds.round"),
    ("DELETE FROM rounds_roundrecord WHERE round_id = {round}", "rounds.round"),
    ("DELETE FROM audit_auditrecord WHERE action = 'deposit_created'", "wallets.transfer"),
    ("UPDATE rounds_commitment SET seed_hash = repeat('0', 64) WHERE status = 'used'", "rounds.round"),
]


@pytest.mark.parametrize(("fault", "subject"), OLD)
def test_a_change_of_old_rows_is_found_by_the_next_full_pass(rounds: list[UUID], plant: Plant, fault: str, subject: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT min(id) FROM wallets_transfer WHERE code = 'hold.ante'")
        (transfer,) = cursor.fetchone()
    plant(fault.format(transfer=transfer, round=RoundRecord.objects.order_by("pk").first().pk))
    asked()
    pages_work()
    assert subject in {kind for _, kind in findings()}
    told = AuditFinding.objects.filter(subject_type=subject).first()
    assert told is not None
    assert told.evidence.get("rows") or told.evidence["deviations"]
    before = AuditFinding.objects.count()
    asked()
    pages_work()
    assert AuditFinding.objects.count() == before, "the same again is no new finding"


def test_a_page_whose_worker_is_killed_is_done_by_another(
    rounds: list[UUID], owner_connection: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(locks, "JUST_TAKEN", timedelta())
    begun = asked()
    page = AuditPage.objects.filter(audit_pass=begun, part="replay").earliest("pk")
    waiting = """
        SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'rounds_roundseat'::regclass
            AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    """
    connections.close_all()
    # The worker gets as far as reading what it is to replay, and waits there for a table that is locked.
    with owner_connection.transaction():
        owner_connection.execute("LOCK TABLE rounds_roundseat IN ACCESS EXCLUSIVE MODE")
        worker = get_context("fork").Process(target=page_work, args=(page,))
        worker.start()
        while owner_connection.execute(waiting).fetchone() == (0,):
            assert worker.is_alive()
        os.kill(worker.pid or 0, signal.SIGKILL)
        worker.join()
        page.refresh_from_db()
        assert (page.done_at, page.attempts) == (None, 1)
    while pass_standing() is not None:  # until the server has noticed that its client is gone
        pages_work()
    page.refresh_from_db()
    assert (page.attempts, page.rows) == (2, 2)


def test_two_that_come_at_once_do_not_look_like_a_death(rounds: list[UUID]) -> None:
    page = AuditPage.objects.filter(audit_pass=asked()).earliest("pk")
    with transaction.atomic():
        assert locks.attempt_note(page)
        assert not locks.attempt_note(page)
    assert page.attempts == 1
    assert not page_work(page)


def test_a_note_from_the_future_holds_nothing_up(rounds: list[UUID]) -> None:
    begun = asked()
    AuditPage.objects.filter(audit_pass=begun).update(taken_at=now() + timedelta(days=365))
    AuditMark.objects.update(taken_at=now() + timedelta(days=365))
    playing.fund(playing.user_with(), Hall.objects.get(code="first"), 5)
    assert read_on()["wallets_transfer"].rows == 1
    pages_work()
    begun.refresh_from_db()
    assert begun.ended_at is not None


def test_a_page_at_which_workers_die_is_halved_until_the_round_is_known(rounds: list[UUID]) -> None:
    begun = asked()
    page = AuditPage.objects.filter(audit_pass=begun, part="replay").earliest("pk")
    AuditPage.objects.filter(pk=page.pk).update(attempts=ATTEMPTS_MAX // 2)
    assert page_work(page)
    halves = list(AuditPage.objects.filter(audit_pass=begun, done_at=None, part="replay").order_by("-pk")[:2])
    AuditPage.objects.filter(pk=halves[0].pk).update(attempts=ATTEMPTS_MAX)
    pages_work()
    assert findings() == {("audit_cannot_read", "replay")}
    replayed = AuditPage.objects.filter(audit_pass=begun, part="replay").values_list("rows", flat=True)
    assert sum(replayed) == len(rounds) - 1


@pytest.fixture
def with_replica(rounds: list[UUID], committed_db: str) -> Iterator[None]:
    """A second way to the database, which the service takes for its replica."""
    assert "replica" not in connections.settings
    connections.settings["replica"] = dict(connections.settings["default"])
    try:
        yield
    finally:
        if hasattr(connections._connections, "replica"):
            connections["replica"].close()
            del connections["replica"]
        del connections.settings["replica"]


def test_a_full_pass_reads_the_replica_and_writes_what_it_finds_to_the_primary(with_replica: None, plant: Plant) -> None:
    plant("UPDATE rounds_roundseat SET staked_minor = staked_minor + 1")
    reading: list[str] = []
    connections["replica"].execute_wrappers.append(
        lambda execute, statement, *rest: (reading.append(str(statement)), execute(statement, *rest))[1]
    )
    asked()
    pages_work()
    assert any("rounds_roundrecord" in statement for statement in reading)
    assert not any(statement.lstrip().startswith(("INSERT", "UPDATE")) for statement in reading)
    assert ("replay_round", "rounds.round") in findings()


def test_what_a_replica_cancels_is_read_on_the_primary(with_replica: None, plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    """A recovery conflict cancels whatever is read there for long, however often."""
    monkeypatch.setattr(locks, "JUST_TAKEN", timedelta())

    def cancel(execute: Any, statement: Any, *rest: Any) -> Any:
        if "wallets_transfer" in str(statement):
            execute("SET LOCAL statement_timeout = 1", (), *rest[1:])
            return execute("SELECT pg_sleep(60)", (), *rest[1:])
        return execute(statement, *rest)

    connections["replica"].execute_wrappers.append(cancel)
    plant("UPDATE wallets_transfer SET amount_minor = amount_minor + 1 WHERE code = 'hold.ante'")
    page = AuditPage.objects.get(audit_pass=asked(), part="ledger")
    with pytest.raises(OperationalError, match="canceling statement"):
        page_work(page, "replica")
    assert page_work(page, "replica")
    page.refresh_from_db()
    assert (page.attempts, page.rows) == (2, Transfer.objects.count())
    assert "wallets.transfer" in {kind for _, kind in findings()}


def test_a_replica_that_is_behind_is_waited_for_and_at_last_passed_over(
    with_replica: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replica, "_REACHED", "SELECT '0/1'::pg_lsn >= %s::pg_lsn")
    begun = asked()
    assert pages_work() == 0
    assert replica.reading_alias(begun) is None
    begun.began_at -= replica.PATIENCE * 2
    assert replica.reading_alias(begun) == "default"


def test_a_replica_that_is_away_is_waited_for(with_replica: None) -> None:
    begun = asked()
    connections["replica"].close()
    connections.settings["replica"]["NAME"] = "nowhere"
    connections["replica"].settings_dict["NAME"] = "nowhere"
    assert replica.reading_alias(begun) is None


def test_the_command_looks_at_everything_lists_findings_and_fails_on_a_critical_one(
    rounds: list[UUID], plant: Plant, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("audit_run", "--full", "--processes", "2")
    said = capsys.readouterr().out
    assert f"{len(rounds)} replay" in said
    assert "unresolved findings: 0" in said
    plant("UPDATE rounds_roundseat SET staked_minor = staked_minor + 1")
    with pytest.raises(SystemExit):
        call_command("audit_run", "--full")
    assert f"critical replay_round: rounds.round {rounds[0]}" in capsys.readouterr().out


def test_the_command_ends_when_the_pass_is_over_also_where_somebody_else_has_its_pages(
    rounds: list[UUID], plant: Plant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else it would say that all is well of what nobody has looked at yet."""
    monkeypatch.setattr(locks, "JUST_TAKEN", timedelta(seconds=1))
    plant("UPDATE rounds_roundseat SET staked_minor = staked_minor + 1")
    AuditPage.objects.filter(audit_pass=asked()).update(taken_at=now())
    with pytest.raises(SystemExit):
        call_command("audit_run", "--full")
    assert pass_standing() is None
    assert ("replay_round", "rounds.round") in findings()


def test_how_far_the_audit_is_behind_is_the_age_of_what_it_has_not_read(rounds: list[UUID]) -> None:
    assert last_pass_age() is not None
    lag = audit_lag()
    assert lag is not None
    playing.fund(playing.user_with(), Hall.objects.get(code="first"), 5)
    behind = audit_lag()
    assert behind is not None
    assert behind > lag
    read_on()
    assert audit_lag() == lag


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("constraint", "sql"),
    [
        ("audit_reading_once", "INSERT INTO audit_auditreading (table_name, era, until_xid, before_xid, rows) VALUES {two}"),
        ("audit_pass_one_at_a_time", "INSERT INTO audit_auditpass (public_id, cause, database, wal_position) VALUES {passes}"),
        ("audit_auditpass_night", "INSERT INTO audit_auditpass (public_id, cause, database, wal_position, night)"
                                  " VALUES {nights}"),
        ("audit_page_once", "INSERT INTO audit_auditpage (audit_pass_id, part, table_name, first_key, last_key, attempts, rows,"
                            " deviations) VALUES {pages}"),
    ],
)  # fmt: skip
def test_nothing_is_there_twice(constraint: str, sql: str) -> None:
    values = {
        "two": "('t', 1, '5', '6', 1), ('t', 1, '5', '7', 1)",
        "passes": "(gen_random_uuid(), 'asked', 'd', '0/0'), (gen_random_uuid(), 'asked', 'd', '0/0')",
        "nights": "(gen_random_uuid(), 'night', 'd', '0/0', 'today'), (gen_random_uuid(), 'night', 'e', '0/0', 'today')",
        "pages": "(1, 'replay', '', 1, 2, 0, 0, 0), (1, 'replay', '', 1, 2, 0, 0, 0)",
    }
    with pytest.raises(IntegrityError, match=constraint), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(sql.format(**values))


def test_nobody_rewrites_a_reading(rounds: list[UUID], owner_connection: "psycopg.Connection[tuple[object, ...]]") -> None:
    for sql in ("UPDATE audit_auditreading SET rows = 0", "DELETE FROM audit_auditreading", "TRUNCATE audit_auditreading"):
        with pytest.raises(psycopg.errors.RestrictViolation, match="append-only"):
            owner_connection.execute(sql.encode())

"""The trail: complete, beside its change or not at all, and never rewritten."""

import os
import pwd
import subprocess
import sys

import psycopg
import pytest
from django.db import DatabaseError, IntegrityError, connection, transaction
from structlog.contextvars import bound_contextvars

from audit.models import AuditRecord
from audit.trail import SYSTEM, audit_record
from casino.db import now
from tests.architecture.source import ROOT
from tests.wallet_builders import hall, user


@pytest.mark.django_db
def test_a_record_says_who_what_and_why() -> None:
    clerk, room = user("clerk"), hall()
    start = now()
    with bound_contextvars(request_id="r-17"):
        record = audit_record(
            actor=clerk, action="hall_renamed", subject=room, before={"name": "A"}, after={"name": "B"}, reason="signs", hall=room
        )
    record.refresh_from_db()
    assert (record.actor, record.actor_name, record.action, record.reason) == (clerk, "clerk", "hall_renamed", "signs")
    assert (record.subject_type, record.subject_id, record.hall_id) == ("halls.hall", str(room.public_id), room.pk)
    assert (record.before, record.after, record.request_id) == ({"name": "A"}, {"name": "B"}, "r-17")
    assert start.replace(microsecond=0) <= record.at <= now()
    assert str(record) == f"clerk hall_renamed halls.hall {room.public_id}"


@pytest.mark.django_db
def test_the_system_acts_under_its_own_name_on_what_has_no_row() -> None:
    record = audit_record(actor=None, action="keys_rotated", subject=("round_keys", 2), before=None, after={"at": now()})
    record.refresh_from_db()
    assert (record.actor, record.actor_name, record.request_id, record.reason) == (None, SYSTEM, "", "")
    assert (record.subject_type, record.subject_id, record.hall_id, record.before) == ("round_keys", "2", None, None)


@pytest.mark.django_db
def test_a_command_without_an_author_goes_by_the_account_that_ran_it() -> None:
    clerk = user("clerk")
    with bound_contextvars(account="root"):
        nobody, somebody = (
            audit_record(actor=actor, action="keys_rotated", subject=("round_keys", 2), before=None, after=None)
            for actor in (None, clerk)
        )
    assert (nobody.actor, nobody.actor_name) == (None, "command:root")
    assert (somebody.actor, somebody.actor_name) == (clerk, "clerk")


def test_every_command_knows_the_account_that_runs_it(committed_db: str) -> None:
    environment = {**os.environ, "DATABASE_URL": committed_db, "USER": "nobody-else", "LOGNAME": "nobody-else"}
    command = [sys.executable, "manage.py", "admin_create", "root1", "--generate"]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    record = AuditRecord.objects.get(action="user_created")
    assert (record.actor, record.actor_name) == (None, f"command:{pwd.getpwuid(os.getuid()).pw_name}")


def test_a_record_needs_the_transaction_of_its_change(committed_db: str) -> None:
    with pytest.raises(RuntimeError, match="transaction"):
        audit_record(actor=None, action="x", subject=("x", 1), before=None, after=None)
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        audit_record(actor=None, action="x", subject=("x", 1), before=None, after=None)
        raise ZeroDivisionError
    assert AuditRecord.objects.count() == 0


@pytest.mark.django_db
@pytest.mark.parametrize(("action", "subject"), [("", ("x", 1)), ("x", ("", 1)), ("x", ("x", ""))])
def test_a_record_is_complete(action: str, subject: tuple[str, object]) -> None:
    with pytest.raises(IntegrityError, match="audit_record_complete"):
        audit_record(actor=None, action=action, subject=subject, before=None, after=None)


REWRITES = [
    "UPDATE audit_auditrecord SET reason = 'none'",
    "DELETE FROM audit_auditrecord",
    "TRUNCATE audit_auditrecord CASCADE",
]


def test_nobody_rewrites_the_trail(committed_db: str, owner_connection: psycopg.Connection) -> None:
    with transaction.atomic():
        record = audit_record(actor=None, action="x", subject=("x", 1), before=None, after=None)
    for statement in REWRITES:
        with pytest.raises(psycopg.errors.RestrictViolation, match="audit_auditrecord is append-only"):
            owner_connection.execute(statement.encode())
        with pytest.raises(DatabaseError, match="permission denied"), connection.cursor() as cursor:
            cursor.execute(statement)
    for attempt in (record.save, record.delete, AuditRecord.objects.all().delete, lambda: AuditRecord.objects.update(reason="")):
        with pytest.raises(TypeError, match="append-only"):
            attempt()
    assert AuditRecord.objects.get() == record

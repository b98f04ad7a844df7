"""Times that cannot be read are refused by the database itself, below every trigger and whoever writes them."""

from typing import Any
from uuid import UUID

import psycopg
import pytest
from psycopg import sql

from audit.findings import Severity, finding_raise
from casino.db import unit_of_work
from games.halls.models import Hall
from tests import playing
from tests.services.audit.reading import begin, read_on

TIMES = {
    "wallets_account": ("opened_at", "closed_at"),
    "wallets_transfer": ("at",),
    "rounds_commitment": ("created_at",),
    "rounds_round": ("opened_at", "acted_at", "closed_at"),
    "rounds_roundseat": ("deadline", "waiting_since"),
    "rounds_roundstep": ("at",),
    "audit_auditrecord": ("at",),
    "audit_auditfinding": ("found_at", "seen_at", "resolved_at"),
    "audit_auditmark": ("taken_at", "moved_at"),
    "audit_auditreading": ("read_at",),
    "audit_auditpass": ("began_at", "ended_at"),
    "audit_auditpage": ("taken_at", "done_at"),
}
UNREADABLE = ("infinity", "-infinity", "10000-01-01 00:00:00+00", "0044-03-15 12:00:00+00 BC")
READABLE = ("9999-12-31 23:59:59.999999+00", "0001-01-01 00:00:00+00")
TYPES = """
    SELECT table_name::text || ' ' || column_name FROM information_schema.columns
    WHERE table_schema = 'public' AND data_type LIKE 'timestamp%%'
        AND (table_name = ANY (%s) OR table_name LIKE 'rounds_%%' OR table_name LIKE 'wallets_%%')
"""


FILLED = """
    UPDATE audit_auditmark SET taken_at = now();
    UPDATE audit_auditpage SET taken_at = now();
    UPDATE audit_auditfinding SET status = 'resolved', owner_id = (SELECT min(id) FROM users_user), resolution = 'tried',
        resolved_at = now();
"""


def test_no_time_outside_the_calendar_gets_into_the_ledger_the_rounds_or_the_audit(
    settled: UUID, owner_connection: "psycopg.Connection[Any]"
) -> None:
    begin()
    playing.fund(playing.user_with(), Hall.objects.get(code="first"), 5)
    read_on()
    with unit_of_work():
        finding_raise(check="tried", severity=Severity.NOTICE, subject=("test", "1"), evidence={})
    owner_connection.execute(FILLED)
    named = {name for (name,) in owner_connection.execute(TYPES, [list(TIMES)])}
    assert named == {f"{table} {column}" for table, columns in TIMES.items() for column in columns}
    for table, columns in TIMES.items():
        owner_connection.execute(sql.SQL("ALTER TABLE {} DISABLE TRIGGER USER").format(sql.Identifier(table)))
        for column in columns:
            change = sql.SQL("UPDATE {table} SET {column} = %s WHERE {column} IS NOT NULL").format(
                table=sql.Identifier(table), column=sql.Identifier(column)
            )
            for time in UNREADABLE:
                with pytest.raises(psycopg.errors.CheckViolation, match="in_calendar"):
                    owner_connection.execute(change, [time])
            for time in READABLE:
                with owner_connection.transaction(force_rollback=True):
                    assert owner_connection.execute(change, [time]).rowcount > 0

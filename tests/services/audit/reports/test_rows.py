"""Rows that somebody changed below the service, and two runs at once: with transactions that really commit."""

import hashlib
from datetime import UTC, datetime
from random import Random
from threading import Thread

import psycopg
import pytest

from audit.models import StoredReport
from audit.reports.selectors import stored_report_get, stored_report_is_intact
from audit.reports.services import report_store, reports_store_daily
from tests.report_builders import agreeing, hall_of, period, player_with, report, table_of, utc

AFTER = datetime(2026, 3, 29, 21, 30, tzinfo=UTC)


def kept() -> StoredReport:
    row = report_store(name="rake", hall=None, period=period("2026-03-29"), reason="test")
    assert row is not None
    return row


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("game_performance", "UPDATE rounds_roundseat SET returned_minor = returned_minor + 1"),
        ("game_performance", "UPDATE wallets_transfer SET amount_minor = amount_minor + 1 WHERE code = 'rake.rake'"),
        ("rake", "UPDATE wallets_transfer SET amount_minor = amount_minor + 1 WHERE code = 'rake.rake'"),
        ("rake", "UPDATE rounds_roundseat SET staked_minor = staked_minor + 1"),
        ("account_summary", "UPDATE wallets_account SET balance_minor = balance_minor + 1 WHERE kind = 'player'"),
        ("account_summary", "UPDATE wallets_transfer SET amount_minor = amount_minor + 1 WHERE code = 'deposit'"),
        ("liability", "UPDATE wallets_account SET balance_minor = balance_minor + 1 WHERE kind = 'player'"),
        ("liability", "DELETE FROM wallets_transfer WHERE code = 'deposit'"),
    ],
)
def test_a_report_of_rows_that_somebody_changed_disagrees(
    committed_db: str, owner_connection: psycopg.Connection, name: str, change: str
) -> None:
    hall = hall_of("kyiv")
    guests = [player_with(hall, 5_000, utc("03-29 08:00")) for _ in range(2)]
    table_of(hall, guests, utc("03-29 12:00"), ante_minor=400).play_out(Random(1))
    asked = None if name == "liability" else hall
    assert agreeing(report(name, asked, "2026-03"))
    for table in ("wallets_account", "wallets_transfer", "rounds_roundseat"):
        owner_connection.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER".encode())
    assert owner_connection.execute(change.encode()).rowcount
    assert not agreeing(report(name, asked, "2026-03"))


def test_two_runs_at_once_keep_each_report_once(committed_db: str) -> None:
    hall_of("kyiv", now=utc("03-28 12:00"))
    runs = [Thread(target=reports_store_daily, kwargs={"now": AFTER}) for _ in range(2)]
    for run in runs:
        run.start()
    for run in runs:
        run.join()
    assert set(StoredReport.objects.values_list("version", flat=True)) == {1}
    assert StoredReport.objects.filter(report="rake").count() == 2


def test_a_changed_report_is_seen_to_be_changed(committed_db: str, owner_connection: psycopg.Connection) -> None:
    hall_of("kyiv")
    rows = [kept(), kept()]
    owner_connection.execute("ALTER TABLE audit_storedreport DISABLE TRIGGER USER")
    owner_connection.execute("UPDATE audit_storedreport SET document = replace(document, 'Rake', 'Rakes') WHERE version = 1")
    intact = [stored_report_is_intact(stored_report_get(stored_report_id=row.public_id)) for row in rows]
    assert intact == [False, True]
    changed = StoredReport.objects.get(version=1)
    digest = hashlib.sha256(changed.document.encode()).hexdigest()
    owner_connection.execute("UPDATE audit_storedreport SET document_hash = %s WHERE version = 1", [digest])
    intact = [stored_report_is_intact(stored_report_get(stored_report_id=row.public_id)) for row in rows]
    assert intact == [True, False]


@pytest.mark.parametrize("statement", ["UPDATE audit_storedreport SET reason = 'x'", "DELETE FROM audit_storedreport"])
def test_a_kept_report_is_never_changed(committed_db: str, owner_connection: psycopg.Connection, statement: str) -> None:
    hall_of("kyiv")
    kept()
    for refused in (statement, "TRUNCATE audit_storedreport"):
        with pytest.raises(psycopg.errors.RestrictViolation, match="append-only"):
            owner_connection.execute(refused.encode())
    row = StoredReport.objects.get()
    for change in (row.save, row.delete, StoredReport.objects.all().delete):
        with pytest.raises(TypeError, match="append-only"):
            change()

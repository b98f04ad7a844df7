"""All figures of a report are of one moment, and it says when nothing can come any more."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import psycopg
import pytest
from django.db import connections

from audit.reports import liability
from audit.reports.frame import Row, Scope
from audit.reports.snapshot import is_settled, one_moment, reader
from casino.db import now
from tests import databases
from tests.playing import fund
from tests.report_builders import agreeing, hall_of, player_with, report
from wallets.models import Account

POST = (
    "SELECT ledger_post(ARRAY[%s], ARRAY[%s], ARRAY[500], ARRAY['deposit'], ARRAY[''], ARRAY[NULL]::bigint[], NULL, NULL, NULL)"
)


@pytest.fixture
def other(committed_db: str) -> Iterator["psycopg.Connection[tuple[object, ...]]"]:
    with psycopg.connect(committed_db) as connection:
        yield connection


def accounts() -> list[int]:
    return [Account.objects.get(kind=kind).pk for kind in ("cage", "player")]


def test_a_deposit_between_two_queries_of_a_report_is_in_neither(
    other: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    player_with(hall_of("kyiv"), 1_000)
    count = liability.liability_by_transfers

    def count_and_pay_in(scope: Scope) -> list[Row]:
        counted = count(scope)
        other.execute(POST, accounts())
        other.commit()
        return counted

    monkeypatch.setattr(liability, "liability_by_transfers", count_and_pay_in)
    document = report("liability")
    assert document["rows"][0]["liability_minor"] == 1_000
    assert document["checks"][0]["expected"] == 1_000
    assert agreeing(document)
    assert Account.objects.get(kind="player").balance_minor == 1_500


def test_control_without_one_moment_the_two_queries_disagree(other: psycopg.Connection) -> None:
    player_with(hall_of("kyiv"), 1_000)
    balance = Account.objects.filter(kind="player").values_list("balance_minor", flat=True)
    before = balance.get()
    other.execute(POST, accounts())
    other.commit()
    assert balance.get() == before + 500
    with one_moment("default"):
        before = balance.get()
        other.execute(POST, accounts())
        other.commit()
        assert balance.get() == before


def test_while_a_transfer_of_the_interval_is_not_committed_the_report_is_not_final(other: psycopg.Connection) -> None:
    player_with(hall_of("kyiv"), 1_000)
    other.execute(POST, accounts())
    moment = now()
    assert not is_settled(moment)
    document = report("liability", at=moment)
    assert (document["header"]["is_final"], document["rows"][0]["liability_minor"]) == (False, 1_000)
    other.commit()
    assert is_settled(moment)
    document = report("liability", at=moment)
    assert (document["header"]["is_final"], document["rows"][0]["liability_minor"]) == (True, 1_500)


def test_a_transaction_that_only_reads_or_began_later_delays_nothing(other: psycopg.Connection) -> None:
    moment = now()
    other.execute("SELECT count(*) FROM wallets_transfer")
    assert is_settled(now() + timedelta(hours=1))
    player_with(hall_of("kyiv"), 1_000)
    other.rollback()
    other.execute(POST, accounts())
    assert is_settled(moment)


def test_the_replica_is_read_where_there_is_one_and_the_primary_when_it_is_away(
    committed_db: str, database_server: databases.Server
) -> None:
    """The replica of this test is the database itself, which is as far as itself."""
    hall = hall_of("kyiv")
    fund(player_with(hall), hall, 700)
    settings = dict(connections.settings["default"])
    assert reader() == "default"
    connections.settings["replica"] = settings
    try:
        assert reader() == "replica"
        assert report("liability")["rows"][0]["liability_minor"] == 700
        connections["replica"].close()
        connections.settings["replica"] = {**settings, "NAME": "nowhere"}
        del connections["replica"]
        assert reader() == "default"
    finally:
        connections["replica"].close()
        del connections["replica"]
        del connections.settings["replica"]


def test_times_of_the_trail_are_utc(db: None) -> None:
    document = report("liability", at=datetime(2026, 3, 29, 12, tzinfo=UTC))
    assert document["header"]["interval"]["ends_at"] == "2026-03-29T12:00:00.000000Z"

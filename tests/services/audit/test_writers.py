"""Who wrote a row is told even where the row says otherwise: under its own number, one that is to come, or another's."""

import random
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection, transaction

from audit.continuous import rows
from audit.continuous.passes import pages_work, pass_begin
from audit.models import AuditFinding, AuditMark, AuditPass
from audit.reconcile import rounds_reconcile
from tests import playing
from tests.services.audit.reading import begin, findings, read_on, row_id

Plant = Callable[[str], None]
OWN, TO_COME = "pg_current_xact_id()", "'1152921504606846976'"


@pytest.fixture
def audited(committed_db: str) -> Any:
    """A hall and a player whom the audit knows since before they played, and three rounds that it has read."""
    hall = playing.halls()["first"]
    begin()
    audited = hall, playing.player(hall)
    for chance in range(3):
        play(audited, chance)
    read_on()
    assert findings() == set()
    return audited


def play(audited: Any, chance: int) -> None:
    hall, player = audited
    playing.play_out(player, playing.open_round(player, hall).round_id, random.Random(chance))


def named() -> set[tuple[str, str]]:
    """The rows that are told of as written again, or by another transaction than they say."""
    found = AuditFinding.objects.filter(check_name="row_written_again")
    return {(row["table"], row["key"]) for finding in found for row in finding.evidence["rows"]}


CHANGES = [
    ("wallets_transfer", "reference = 'forged'"),
    ("wallets_transfer", "amount_minor = amount_minor + 1"),
    ("rounds_roundstep", "turn = 9"),
    ("rounds_roundstep", "secret = set_byte(secret, 40, (get_byte(secret, 40) + 1) % 256)"),
]


@pytest.mark.parametrize("number", [OWN, TO_COME])
@pytest.mark.parametrize(("table", "change"), CHANGES)
def test_a_row_that_is_changed_with_its_number_is_found_by_the_next_run(
    audited: Any, plant: Plant, table: str, change: str, number: str
) -> None:
    key = row_id(f"SELECT id FROM {table} ORDER BY id OFFSET 3 LIMIT 1")
    plant(f"UPDATE {table} SET {change}, written_xid = {number} WHERE id = {key}")
    play(audited, 7)
    read_on()
    assert named() == {(table, str(key))}
    if table == "rounds_roundstep":
        assert ("replay_steps", "rounds.round") in findings()


@pytest.mark.parametrize("number", [OWN, TO_COME])
def test_a_record_that_is_changed_with_its_number_is_found_by_the_next_run(audited: Any, plant: Plant, number: str) -> None:
    key = row_id("SELECT max(round_id) FROM rounds_roundrecord")
    change = "document = replace(document, '\"ante\"', '\"bonus\"')"
    plant(f"UPDATE rounds_roundrecord SET {change}, written_xid = {number} WHERE round_id = {key}")
    read_on()
    assert {("replay_record", "rounds.round"), ("record_written_with_its_last_step", "rounds.round")} <= findings()
    assert named() == ({("rounds_roundrecord", str(key))} if number == TO_COME else set())


def test_a_row_that_is_moved_to_another_key_is_found(audited: Any, plant: Plant) -> None:
    key = row_id("SELECT id FROM wallets_transfer WHERE code = 'deposit'")
    plant(f"UPDATE wallets_transfer SET id = 1000000, reference = 'forged', written_xid = {OWN} WHERE id = {key}")
    read_on()
    assert named() == {("wallets_transfer", "1000000")}


@pytest.mark.parametrize("ahead", [1, 3, 30])
def test_a_number_that_will_soon_come_is_found_before_or_when_it_has_come(
    audited: Any, plant: Plant, owner_connection: Any, ahead: int
) -> None:
    key = row_id("SELECT id FROM wallets_transfer ORDER BY id OFFSET 3 LIMIT 1")
    (own,) = owner_connection.execute("SELECT pg_current_xact_id()::text::bigint").fetchone()
    plant(f"UPDATE wallets_transfer SET reference = 'forged', written_xid = '{own + ahead}' WHERE id = {key}")
    for _ in range(20):
        owner_connection.execute("SELECT pg_current_xact_id()")
    read_on()
    assert named() == {("wallets_transfer", str(key))}


def test_a_row_that_is_added_under_a_number_to_come_is_found_and_checked(audited: Any, owner_connection: Any) -> None:
    owner_connection.execute("ALTER TABLE wallets_transfer DISABLE TRIGGER USER")
    (key,) = owner_connection.execute(f"""
        INSERT INTO wallets_transfer (at, index, amount_minor, currency, code, reference, debit_account_id, credit_account_id,
                                      written_xid)
        SELECT at, index, 5, currency, code, reference, debit_account_id, credit_account_id, {TO_COME} FROM wallets_transfer
        WHERE code = 'deposit' LIMIT 1 RETURNING id
    """).fetchone()
    read_on()
    assert named() == {("wallets_transfer", str(key))}
    assert ("counter_moves_with_its_record", "wallets.transfer") in findings()


def test_a_row_with_a_key_of_nobodys_is_found_and_makes_no_other_suspect(audited: Any, owner_connection: Any) -> None:
    """Else everybody's next row would have a key below one that has been read."""
    owner_connection.execute("ALTER TABLE wallets_transfer DISABLE TRIGGER USER")
    owner_connection.execute("""
        INSERT INTO wallets_transfer (id, at, index, amount_minor, currency, code, reference, debit_account_id, credit_account_id)
        SELECT 1000000, at, index, 5, currency, code, reference, debit_account_id, credit_account_id FROM wallets_transfer
        WHERE code = 'deposit' LIMIT 1
    """)
    owner_connection.execute("ALTER TABLE wallets_transfer ENABLE TRIGGER USER")
    for chance in (8, 9):
        play(audited, chance)
        read_on()
    assert named() == {("wallets_transfer", "1000000")}


def test_a_step_that_a_closed_round_gets_later_replays_it(audited: Any, owner_connection: Any) -> None:
    key = row_id("SELECT min(round_id) FROM rounds_roundrecord")
    owner_connection.execute(f"""
        INSERT INTO rounds_roundstep (round_id, seq, at, seat, turn, origin, secret, previous_hash, hash)
        SELECT round_id, seq + 1, at, NULL, NULL, 'system', secret, hash, hash FROM rounds_roundstep
        WHERE round_id = {key} ORDER BY seq DESC LIMIT 1
    """)
    read_on()
    assert ("replay_steps", "rounds.round") in findings()


ACTS = [
    ("UPDATE wallets_transfer SET written_xid = (SELECT written_xid FROM wallets_transfer WHERE code = 'deposit' LIMIT 1)"
     " WHERE id = (SELECT max(id) FROM wallets_transfer)", "transfer_written_with_its_step"),
    ("UPDATE rounds_roundrecord SET written_xid = (SELECT max(written_xid) FROM rounds_roundrecord)"
     " WHERE round_id = (SELECT min(round_id) FROM rounds_roundrecord)", "record_written_with_its_last_step"),
]  # fmt: skip


@pytest.mark.parametrize(("fault", "check"), ACTS)
def test_what_belongs_to_one_act_was_written_in_one_transaction(audited: Any, plant: Plant, fault: str, check: str) -> None:
    assert rounds_reconcile() == []
    plant(fault)
    assert {found.check for found in rounds_reconcile()} == {check}
    read_on()
    with transaction.atomic():
        pass_begin(cause=AuditPass.Cause.ASKED)
    pages_work()
    assert check in {name for name, _ in findings()}


def test_rows_from_before_the_number_was_kept_are_no_deviation(audited: Any, plant: Plant) -> None:
    """A migration gives all rows of a table its own number, and another one those of the other table."""
    for table, number in (("wallets_transfer", 7), ("rounds_roundstep", 9), ("rounds_roundrecord", 9)):
        plant(f"UPDATE {table} SET written_xid = '{number}'")
    play(audited, 7)
    assert rounds_reconcile() == []


@pytest.mark.parametrize("written", rows.EVERY)
def test_the_looks_of_each_run_go_by_an_index(audited: Any, written: rows.Written) -> None:
    mark = AuditMark.objects.get(pk=written.table)
    explained = []

    def explain(execute: Any, statement: Any, values: Any, *rest: Any) -> Any:
        connection.cursor().connection.execute("SET LOCAL enable_seqscan = off")
        with connection.connection.cursor() as cursor:
            explained.extend(line for (line,) in cursor.execute("EXPLAIN " + statement.as_string(cursor), values).fetchall())
        return execute(statement, values, *rest)

    with transaction.atomic(), connection.execute_wrapper(explain):
        assert rows.rows_ahead(written, mark) == []
        assert rows.rows_before(written, mark, [1, 2, 3]) == []
    plan = "\n".join(explained)
    assert f"{written.table}_written" in plan
    assert "Seq Scan" not in plan
    if written.is_drawn:
        assert "audit_reading_by_moment" in plan

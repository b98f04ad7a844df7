"""What cannot be read hides nothing else: it is named, and the rest is read all the same."""

import random
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import ProgrammingError, transaction

from audit import locks
from audit.continuous import incremental
from audit.continuous.moments import moment_now
from audit.continuous.passes import pages_work, pass_begin
from audit.continuous.selectors import audit_lag
from audit.continuous.services import finding_resolve
from audit.models import AuditFinding, AuditMark, AuditPass
from casino.permissions import Role
from games.rounds.models import RoundRecord
from tests import playing
from tests.services.audit.reading import begin, findings, read_on, row_id
from wallets.models import Transfer

Plant = Callable[[str], None]
UNCONSTRAINED = (
    "ALTER TABLE wallets_transfer DROP CONSTRAINT transfer_time_in_calendar, DROP CONSTRAINT transfer_amount_in_bounds",
    "ALTER TABLE rounds_roundstep DROP CONSTRAINT rounds_step_time_in_calendar",
)


@pytest.fixture
def table(committed_db: str, owner_connection: Any) -> Any:
    """A hall and a player whom the audit knows, in a database of which somebody has taken the constraints away."""
    hall = playing.halls()["first"]
    begin()
    for statement in UNCONSTRAINED:
        owner_connection.execute(statement)
    return hall, playing.player(hall)


def play(table: Any, chance: int) -> int:
    hall, player = table
    round_id = playing.open_round(player, hall).round_id
    playing.play_out(player, round_id, random.Random(chance))
    return int(RoundRecord.objects.get(round__commitment_id=round_id).pk)


def named(check: str) -> set[tuple[str, str]]:
    """The rows that findings of a check name."""
    found = AuditFinding.objects.filter(check_name=check)
    return {(row["table"], str(row["key"])) for finding in found for row in finding.evidence["rows"]}


OLD = [
    ("wallets_transfer", "UPDATE wallets_transfer SET at = 'infinity', amount_minor = amount_minor + 3 WHERE id = {key}"),
    ("rounds_roundstep", "UPDATE rounds_roundstep SET at = '20000-01-01' WHERE id = {key}"),
    ("rounds_roundrecord", "UPDATE rounds_roundrecord SET document = '{{\"steps\":[1,2,3]}}' WHERE round_id = {key}"),
    ("rounds_roundrecord", 'UPDATE rounds_roundrecord SET document = \'{{"steps":"\\ud800"}}\' WHERE round_id = {key}'),
]


@pytest.mark.parametrize(("where", "fault"), OLD)
def test_an_old_row_that_cannot_be_read_is_named_and_what_is_new_is_read(
    table: Any, plant: Plant, where: str, fault: str
) -> None:
    play(table, 1)
    read_on()
    key = row_id(f"SELECT max({'round_id' if where == 'rounds_roundrecord' else 'id'}) FROM {where}")
    plant(fault.format(key=key))
    fresh = play(table, 2)
    plant(f"UPDATE rounds_roundseat SET staked_minor = staked_minor + 1 WHERE round_id = {fresh}")
    done = read_on()
    assert done["rounds_roundrecord"].rows == 1
    assert named("row_written_again") == {(where, str(key))}
    assert {"replay_round", "seat_money_is_moved"} <= {check for check, _ in findings()}
    with transaction.atomic():
        pass_begin(cause=AuditPass.Cause.ASKED)
    pages_work()
    assert AuditPass.objects.filter(ended_at=None).count() == 0


def test_a_new_row_that_makes_the_check_fail_is_singled_out_and_the_others_are_checked(table: Any, plant: Plant) -> None:
    for chance in range(3):
        play(table, chance)
    first, middle = (row_id(f"SELECT {which}(id) FROM wallets_transfer WHERE code = 'hold.ante'") for which in ("min", "max"))
    plant(f"UPDATE wallets_transfer SET debit_sequence = -9223372036854775808 WHERE id = {middle}")
    plant(f"UPDATE wallets_transfer SET amount_minor = amount_minor + 1 WHERE id = {first}")
    assert read_on()["wallets_transfer"].rows == Transfer.objects.count()
    assert named("audit_cannot_read") == {("wallets_transfer", str(middle))}
    (finding,) = AuditFinding.objects.filter(check_name="audit_cannot_read")
    assert (finding.subject_type, finding.subject_id) == ("wallets_transfer", str(middle))
    assert "out of range" in finding.evidence["error"]
    assert ("wallets_transfer", str(first)) in named("balance_after_follows_from_the_one_before")


def test_a_recount_that_fails_says_so_and_is_made_row_by_row(table: Any, plant: Plant) -> None:
    first, second = play(table, 1), play(table, 2)
    read_on()
    key = row_id("SELECT min(id) FROM wallets_transfer WHERE code = 'hold.ante'")
    plant(f"UPDATE wallets_transfer SET amount_minor = -9223372036854775808 WHERE id = {key}")
    plant(f"UPDATE rounds_roundseat SET staked_minor = staked_minor + 1 WHERE round_id = {second}")
    with transaction.atomic():
        pass_begin(cause=AuditPass.Cause.ASKED)
    pages_work()
    assert ("audit_cannot_read", "ledger") in findings()
    assert ("wallets_transfer", str(key)) in named("transfer_amount_in_bounds")
    assert len(named("seat_money_is_moved")) == 2
    assert AuditPass.objects.filter(ended_at=None).count() == 0
    assert first < second


def test_a_time_that_cannot_be_read_hides_not_how_far_the_audit_is_behind(table: Any, plant: Plant) -> None:
    play(table, 1)
    plant("UPDATE wallets_transfer SET at = 'infinity'")
    plant("UPDATE rounds_roundstep SET at = '0044-03-15 12:00:00+00 BC'")
    lag = audit_lag()
    assert lag is not None
    assert lag.days > 10_000


def test_a_table_that_fails_holds_up_no_other(table: Any, owner_connection: Any) -> None:
    play(table, 1)
    owner_connection.execute("REVOKE SELECT ON audit_auditrecord FROM casino_app")
    before = dict(AuditMark.objects.values_list("table_name", "xid"))
    with pytest.raises(ProgrammingError, match="permission denied"):
        read_on()
    after = dict(AuditMark.objects.values_list("table_name", "xid"))
    assert {table for table, xid in after.items() if xid > before[table]} == {"rounds_roundstep", "rounds_roundrecord"}
    assert findings() == set()


def test_a_slice_that_was_written_again_is_checked_batch_by_batch_and_what_is_new_comes_first(
    table: Any, plant: Plant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(incremental, "AGAIN_BATCH_ROWS", 2)
    rounds = [play(table, chance) for chance in range(5)]
    read_on()
    plant("UPDATE rounds_roundrecord SET document = left(document, 100)")
    looked = []
    for chance in range(5, 8):
        play(table, chance)
        done = incremental.audit_continue(seconds=0, until_xid=moment_now().next_xid)
        assert done["rounds_roundrecord"].rows == 1
        looked.append(AuditMark.objects.get(pk="rounds_roundrecord").again_key)
    assert looked == [rounds[1], rounds[3], 0]
    (again,) = AuditFinding.objects.filter(check_name="row_written_again")
    assert again.evidence["rows_in_all"] == len(rounds)
    told = AuditFinding.objects.filter(check_name="replay_record").values_list("subject_id", flat=True)
    assert len(told) == len(rounds)


def test_an_old_row_at_which_the_audit_dies_is_singled_out_and_passed_over(table: Any, plant: Plant) -> None:
    play(table, 1)
    read_on()
    key = row_id("SELECT min(id) FROM rounds_roundstep")
    plant(f"UPDATE rounds_roundstep SET turn = 9 WHERE id = {key}")
    AuditMark.objects.update(again_attempts=incremental.ATTEMPTS_MAX)
    read_on()
    assert named("audit_cannot_read") == {("rounds_roundstep", str(key))}
    assert set(AuditMark.objects.values_list("again_attempts", flat=True)) == {0}


def test_an_old_row_of_a_resolved_deed_at_which_the_audit_dies_is_singled_out_too(table: Any, plant: Plant) -> None:
    """Else every run would die at it again, and no row after it would ever be looked at."""
    play(table, 1)
    read_on()
    key = row_id("SELECT min(id) FROM rounds_roundstep")
    plant(f"UPDATE rounds_roundstep SET at = at WHERE id = {key}")
    read_on()
    (again,) = AuditFinding.objects.all()
    finding_resolve(actor=playing.user_with(Role.AUDITOR), finding_id=again.public_id, resolution="A migration.")
    read_on()
    assert named("audit_cannot_read") == set(), "control"
    AuditMark.objects.update(again_attempts=incremental.ATTEMPTS_MAX)
    read_on()
    assert named("audit_cannot_read") == {("rounds_roundstep", str(key))}
    assert set(AuditMark.objects.values_list("again_attempts", flat=True)) == {0}


def test_no_row_is_blamed_for_statements_that_the_database_refuses(
    table: Any, owner_connection: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As while a deployment has changed the tables and not yet the program: for longer than a row is tried."""
    monkeypatch.setattr(locks, "JUST_TAKEN", timedelta())
    key = play(table, 4)
    for right in ("INSERT", "SELECT"):
        owner_connection.execute(f"REVOKE {right} ON audit_auditreading FROM casino_app")
        for _ in range(incremental.ATTEMPTS_MAX + 1):
            with pytest.raises(ProgrammingError, match="permission denied"):
                read_on()
        owner_connection.execute(f"GRANT {right} ON audit_auditreading TO casino_app")
    owner_connection.execute("ALTER TABLE rounds_roundseat DISABLE TRIGGER USER")
    owner_connection.execute("UPDATE rounds_roundseat SET staked_minor = 1 WHERE round_id = %s", [key])
    assert read_on()["rounds_roundrecord"].rows == 1
    assert ("replay_round", "rounds.round") in findings()
    assert ("audit_cannot_read", "rounds_roundrecord") not in findings()

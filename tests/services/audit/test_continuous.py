"""The continuous audit: nothing to say of what is as it should be, and every planted fault found by its next run."""

import random
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from django.core.management import call_command
from django.db import OperationalError, ProgrammingError, connection, transaction

from audit import locks
from audit.continuous import incremental, reporting
from audit.continuous.moments import moment_now
from audit.continuous.passes import pages_work, pass_begin
from audit.continuous.replaying import rounds_replay
from audit.continuous.rows import KEY_MAX, STEPS, TRANSFERS, rows_again
from audit.findings import Severity, finding_raise
from audit.models import AuditFinding, AuditMark, AuditPass, AuditReading
from casino.db import now, request_transaction
from casino.permissions import Role
from games.rounds.history import HistoryFilter, rounds_fitting
from games.rounds.models import Round, RoundRecord, RoundStep
from tests import playing
from tests.concurrency.racing import race
from tests.services.audit.reading import begin, findings, read_on, row_id
from wallets.models import Transfer

Plant = Callable[[str], None]
Owner = "psycopg.Connection[tuple[object, ...]]"


@pytest.fixture
def audited(committed_db: str) -> Any:
    """A hall and a player whom the audit knows since before they played."""
    hall = playing.halls()["first"]
    begin()
    return hall, playing.player(hall)


def play(audited: Any, chance: int = 4) -> UUID:
    hall, player = audited
    round_id = playing.open_round(player, hall).round_id
    playing.play_out(player, round_id, random.Random(chance))
    return round_id


def test_what_is_new_is_read_once_and_nothing_is_amiss(audited: Any) -> None:
    play(audited)
    done = read_on()
    assert {table: read.rows for table, read in done.items()} == {
        "wallets_transfer": Transfer.objects.count(),
        "rounds_roundstep": RoundStep.objects.count(),
        "rounds_roundrecord": 1,
    }
    assert findings() == set()
    assert {read.rows for read in read_on().values()} == {0}
    assert AuditPass.objects.count() == 1


def test_two_runs_at_once_and_another_later_change_nothing(audited: Any, plant: Plant) -> None:
    round_id = play(audited)
    plant("UPDATE rounds_roundseat SET returned_minor = returned_minor + 1")
    race([read_on, read_on, read_on])
    read_on()
    assert sum(AuditReading.objects.filter(table_name="rounds_roundrecord").values_list("rows", flat=True)) == 1
    (finding,) = AuditFinding.objects.filter(check_name="replay_round")
    assert (finding.subject_type, finding.subject_id, finding.severity) == ("rounds.round", str(round_id), "critical")
    assert "seat 0" in finding.evidence["deviations"][0]
    assert finding.times_seen == 1


NEW = [
    ("UPDATE wallets_transfer SET amount_minor = amount_minor + 1 WHERE code = 'hold.ante'", "wallets.transfer"),
    ("UPDATE wallets_transfer SET debit_balance_after_minor = 1 WHERE code = 'hold.ante'", "wallets.transfer"),
    ("UPDATE wallets_transfer SET credit_balance_after_minor = -9223372036854775808 WHERE code = 'deposit'", "wallets.transfer"),
    ("UPDATE audit_auditrecord SET after = '\"zz\"' WHERE action = 'deposit_created'", "wallets.transfer"),
    ("UPDATE wallets_transfer SET debit_sequence = 99 WHERE code = 'hold.ante'", "wallets.transfer"),
    ("UPDATE wallets_transfer SET step_id = NULL WHERE code = 'hold.ante'", "wallets.transfer"),
    ("UPDATE wallets_transfer SET currency = 'USD' WHERE code = 'hold.ante'", "wallets.transfer"),
    ("DELETE FROM wallets_transfer WHERE code = 'hold.ante'", "rounds.round"),
    ("DELETE FROM audit_auditrecord WHERE action = 'deposit_created'", "wallets.transfer"),
    ("UPDATE wallets_account SET balance_minor = balance_minor + 1 WHERE kind = 'player'", "wallets.account"),
    ("UPDATE wallets_account SET sequence = sequence + 1 WHERE kind = 'player'", "wallets.account"),
    ("UPDATE rounds_roundstep SET previous_hash = repeat('0', 64) WHERE seq = 1", "rounds.round"),
    ("UPDATE rounds_roundstep SET secret = '' WHERE seq = 1", "rounds.round"),
    ("UPDATE rounds_round SET last_hash = repeat('0', 64)", "rounds.round"),
    ("UPDATE rounds_roundseat SET staked_minor = staked_minor + 1", "rounds.round"),
    ("UPDATE rounds_roundrecord SET document = replace(document, '\"ante\"', '\"bonus\"')", "rounds.round"),
    ("UPDATE rounds_roundrecord SET document = left(document, 100)", "rounds.round"),
]


@pytest.mark.parametrize(("fault", "subject"), NEW)
def test_a_fault_of_what_is_new_is_found_by_the_next_run(audited: Any, plant: Plant, fault: str, subject: str) -> None:
    play(audited)
    plant(fault)
    read_on()
    assert subject in {kind for _, kind in findings()}


OLD = [
    ("wallets_transfer", "UPDATE wallets_transfer SET amount_minor = amount_minor + 1 WHERE id = {key}"),
    ("wallets_transfer", "UPDATE wallets_transfer SET reference = 'forged' WHERE id = {key}"),
    ("rounds_roundstep", "UPDATE rounds_roundstep SET secret = '' WHERE id = {key}"),
    ("rounds_roundstep", "UPDATE rounds_roundstep SET at = at + interval '1 second' WHERE id = {key}"),
    (
        "rounds_roundrecord",
        "UPDATE rounds_roundrecord SET document = replace(document, '\"ante\"', '\"bonus\"') WHERE round_id = {key}",
    ),
]


@pytest.mark.parametrize(("table", "fault"), OLD)
def test_a_row_written_again_is_found_by_the_next_run_and_named(audited: Any, plant: Plant, table: str, fault: str) -> None:
    play(audited)
    play(audited, 5)
    read_on()
    key = row_id(f"SELECT {'round_id' if table == 'rounds_roundrecord' else 'id'} FROM {table} ORDER BY 1 OFFSET 1 LIMIT 1")
    plant(fault.format(key=key))
    read_on()
    (again,) = AuditFinding.objects.filter(check_name="row_written_again")
    (row,) = again.evidence["rows"]
    assert (row["table"], row["key"], again.subject_type) == (table, str(key), table)
    if "forged" not in fault:
        assert len(findings()) > 1, "what is wrong with it is told too"
    before = AuditFinding.objects.count()
    read_on()
    assert AuditFinding.objects.count() == before


def test_of_more_deeds_than_are_named_it_is_said_how_many_there_are(
    audited: Any, plant: Plant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else whoever changes enough rows first may change one more that nobody is told of."""
    monkeypatch.setattr(reporting, "SUBJECTS_MAX", 2)
    play(audited)
    read_on()
    keys = list(Transfer.objects.order_by("pk").values_list("pk", flat=True)[:3])
    for key in keys:
        plant(f"UPDATE wallets_transfer SET reference = 'forged' WHERE id = {key}")
    read_on()
    found = AuditFinding.objects.filter(check_name="row_written_again", subject_type="wallets_transfer")
    assert [finding.evidence["rows"][0]["key"] for finding in found.order_by("pk")] == [str(key) for key in keys[:2]]
    (rest,) = AuditFinding.objects.filter(check_name="row_written_again", subject_type="check")
    assert rest.evidence == {"subjects_in_all": 3, "subjects_told": 2}


def test_a_row_written_again_is_found_about_its_round(audited: Any, plant: Plant) -> None:
    rounds = [play(audited, chance) for chance in (4, 5)]
    read_on()
    key = row_id(f"SELECT max(id) FROM wallets_transfer WHERE reference = '{rounds[0]}'")
    plant(f"UPDATE wallets_transfer SET at = at + interval '1 second' WHERE id = {key}")
    read_on()
    auditor = playing.user_with(Role.AUDITOR)
    assert [row.public_id for row in rounds_fitting(HistoryFilter(finding="any"), user=auditor)] == [rounds[0]]
    assert AuditFinding.objects.get().hall_id == audited[0].pk


FORMER = [
    ("wallets_transfer", "UPDATE wallets_transfer SET amount_minor = amount_minor + 1 WHERE id = {key}"),
    ("rounds_roundstep", "UPDATE rounds_roundstep SET at = at + interval '1 second' WHERE id = {key}"),
]


@pytest.fixture
def known_late(committed_db: str) -> Any:
    """A hall and a player whom the audit comes to know when they have played."""
    hall = playing.halls()["first"]
    audited = hall, playing.player(hall)
    play(audited)
    play(audited, 5)
    begin()
    assert findings() == set()
    return audited


def written_again() -> dict[tuple[str, str], AuditFinding]:
    found = AuditFinding.objects.filter(check_name="row_written_again")
    return {(row["table"], row["key"]): finding for finding in found for row in finding.evidence["rows"]}


@pytest.mark.parametrize("is_read_between", [False, True])
def test_a_change_of_what_was_there_before_the_mark_is_found_by_the_next_run_and_named(
    known_late: Any, plant: Plant, capsys: pytest.CaptureFixture[str], is_read_between: bool
) -> None:
    if is_read_between:
        play(known_late, 6)
        read_on()
    changed = set()
    for table, fault in FORMER:
        key = row_id(f"SELECT id FROM {table} WHERE id > (SELECT min(id) FROM {table}) ORDER BY id LIMIT 1")
        plant(fault.format(key=key))
        changed.add((table, str(key)))
    with pytest.raises(SystemExit):
        call_command("audit_run")
    assert set(written_again()) == changed
    said = capsys.readouterr().out
    assert all(f"critical row_written_again: {table} transaction" in said for table, _ in changed)
    before = AuditFinding.objects.count()
    read_on()
    assert AuditFinding.objects.count() == before


def test_a_change_of_what_was_there_before_the_mark_is_found_by_a_full_pass_too(known_late: Any, plant: Plant) -> None:
    key = row_id("SELECT min(id) FROM rounds_roundstep")
    plant(FORMER[1][1].format(key=key))
    with transaction.atomic():
        pass_begin(cause=AuditPass.Cause.ASKED)
    pages_work()
    assert set(written_again()) == {("rounds_roundstep", str(key))}


def test_what_a_dump_brought_is_no_change_and_what_is_changed_of_it_is(
    committed_db: str, owner_connection: Any, plant: Plant
) -> None:
    """After a restore from a dump every row's writer is the restore, whatever its ``written_xid``, also one to come here."""
    hall = playing.halls()["first"]
    play((hall, playing.player(hall)))
    ahead = moment_now().next_xid + 50
    plant(f"UPDATE rounds_roundstep SET written_xid = '{ahead}'")
    plant(f"UPDATE rounds_roundrecord SET written_xid = '{ahead}'")
    plant("UPDATE wallets_transfer SET written_xid = '1000000000000'")
    begin()
    for _ in range(60):
        owner_connection.execute("SELECT pg_current_xact_id()")
    read_on()
    assert AuditMark.objects.get(pk="rounds_roundstep").xid > ahead
    read_on()
    assert findings() == set()
    key, step = row_id("SELECT min(id) FROM wallets_transfer"), row_id("SELECT min(id) FROM rounds_roundstep")
    plant(f"UPDATE wallets_transfer SET reference = 'forged' WHERE id = {key}")
    plant(f"UPDATE rounds_roundstep SET at = at + interval '1 second' WHERE id = {step}")
    read_on()
    assert set(written_again()) == {("wallets_transfer", str(key)), ("rounds_roundstep", str(step))}


def test_a_number_that_comes_round_is_told_by_its_distance_from_the_mark(known_late: Any, plant: Plant) -> None:
    """Numbers of a mark of a later epoch than this server's: the row's 32 bits lie before it, and none has come after it."""
    plant("UPDATE wallets_transfer SET reference = 'moved'")
    mark = AuditMark.objects.get(pk="wallets_transfer")
    assert rows_again(TRANSFERS, mark, after=0, to=KEY_MAX)
    for set_xid in (moment_now().next_xid, 2**32 + mark.set_xid, 2**33 - 500):
        mark.set_xid = set_xid
        assert rows_again(TRANSFERS, mark, after=0, to=KEY_MAX) == []


def test_rows_that_nobody_wrote_again_are_never_taken_for_such(audited: Any) -> None:
    """Rows of savepoints have other numbers than their transactions; those of other sessions come in between."""
    hall, player = audited
    for chance in range(3):
        with request_transaction(), transaction.atomic():
            playing.fund(player, hall, 5)
        play(audited, chance)
        read_on()
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM wallets_transfer WHERE xmin <> written_xid::xid")
        assert cursor.fetchone()[0] > 0
    for _ in range(3):
        read_on()
    assert findings() == set()


def test_what_was_written_again_is_not_found_anew_once_it_is_resolved(audited: Any, plant: Plant) -> None:
    play(audited)
    read_on()
    plant("UPDATE wallets_transfer SET reference = 'moved' WHERE code = 'hold.ante'")
    read_on()
    resolve_all()
    read_on()
    assert findings() == set()


def resolve_all() -> None:
    resolved = {"status": "resolved", "owner": playing.user_with(), "resolution": "Looked into.", "resolved_at": now()}
    AuditFinding.objects.update(**resolved)


def test_a_resolved_deed_of_another_database_hides_none_of_the_same_number(audited: Any, plant: Plant) -> None:
    """After a restore transactions are numbered from elsewhere: what a number did before says nothing of what it does now."""
    play(audited)
    read_on()
    following = moment_now().next_xid
    with transaction.atomic():
        for xid in range(following, following + 40):
            for of in ("", " of 7/00000001/5"):
                subject = ("wallets_transfer", f"transaction {xid}{of}")
                finding_raise(check="row_written_again", severity=Severity.CRITICAL, subject=subject, evidence={"rows": []})
    resolve_all()
    plant("UPDATE wallets_transfer SET amount_minor = amount_minor + 1 WHERE code = 'hold.ante'")
    read_on()
    (again,) = AuditFinding.objects.filter(check_name="row_written_again").exclude(status="resolved")
    assert again.subject_id.endswith(f" of {moment_now().database}")


def test_what_the_rows_of_a_resolved_deed_say_is_checked_all_the_same(audited: Any, plant: Plant) -> None:
    play(audited)
    read_on()
    plant("UPDATE wallets_transfer SET amount_minor = amount_minor + 1 WHERE code = 'hold.ante'")
    read_on()
    resolve_all()
    read_on()
    assert ("balance_after_follows_from_the_one_before", "wallets.transfer") in findings()
    assert "row_written_again" not in {check for check, _ in findings()}


def test_a_row_whose_reading_is_gone_counts_as_written_again(audited: Any, plant: Plant) -> None:
    play(audited)
    read_on()
    plant("DELETE FROM audit_auditreading")
    read_on()
    assert findings() == set(), "nothing was changed"
    plant("UPDATE wallets_transfer SET reference = 'forged' WHERE code = 'hold.ante'")
    read_on()
    assert findings() == {("row_written_again", "wallets_transfer")}


def test_a_mark_that_is_gone_is_a_finding_and_what_it_had_read_is_looked_at_as_a_whole(audited: Any, plant: Plant) -> None:
    play(audited)
    read_on()
    plant("DELETE FROM audit_auditmark WHERE table_name = 'wallets_transfer'")
    read_on()
    assert findings() == {("mark_is_there", "audit.auditmark")}
    assert AuditFinding.objects.get().subject_id == "wallets_transfer"
    assert AuditMark.objects.get(pk="wallets_transfer").era == 2, "what was read before is of the era before"
    assert AuditPass.objects.filter(cause="marks", ended_at=None).count() == 1


@pytest.mark.parametrize(
    "deed",
    [
        "UPDATE audit_auditmark SET first_key = 9223372036854775807",
        "UPDATE audit_auditmark SET set_xid = '99999999'",
        "UPDATE audit_auditmark SET database = 'another', era = era + 1",
        "INSERT INTO audit_auditmark SELECT * FROM audit_auditmark",
    ],
)
def test_the_service_itself_sets_no_mark_as_it_likes(audited: Any, deed: str) -> None:
    with pytest.raises(ProgrammingError, match="permission denied"), connection.cursor() as cursor:
        cursor.execute(deed)
    with connection.cursor() as cursor:
        cursor.execute("SELECT audit_mark_set('wallets_transfer')")
        assert cursor.fetchone() == (False,), "one that stands is not set anew"


def test_a_round_that_cannot_be_replayed_does_not_hold_up_the_next(audited: Any, plant: Plant, owner_connection: Any) -> None:
    first, second = play(audited), play(audited, 5)
    owner_connection.execute("ALTER TABLE rounds_round DROP CONSTRAINT rounds_round_times_in_calendar")
    plant("UPDATE rounds_round SET closed_at = 'infinity' WHERE id = (SELECT min(id) FROM rounds_round)")
    plant("UPDATE rounds_roundseat SET staked_minor = 1 WHERE round_id = (SELECT max(id) FROM rounds_round)")
    read_on()
    found = dict(AuditFinding.objects.values_list("check_name", "subject_id"))
    assert found["replay_failed"] == str(first)
    assert found["replay_round"] == str(second)


@pytest.mark.parametrize(
    "deed",
    [
        "DELETE FROM rounds_round WHERE id = {key}",
        "UPDATE rounds_round SET commitment_id = gen_random_uuid() WHERE id = {key}",
        "UPDATE rounds_round SET hall_id = 0 WHERE id = {key}",
        "UPDATE rounds_round SET escrow_id = 0 WHERE id = {key}",
    ],
)
def test_a_record_whose_round_is_gone_or_points_to_what_is_is_not_passed_over(
    audited: Any, plant: Plant, unlinked: None, deed: str
) -> None:
    key, other = (RoundRecord.objects.get(round__commitment_id=play(audited, chance)).pk for chance in (4, 5))
    plant(deed.format(key=key))
    with transaction.atomic():
        assert rounds_replay([key, other]) == 1
    (failed,) = AuditFinding.objects.filter(check_name="replay_failed")
    assert failed.subject_id == str(key) if deed.startswith("DELETE") else failed.subject_type == "rounds.round"


def test_what_the_audit_dies_at_is_read_by_ever_fewer_and_then_told_of(audited: Any) -> None:
    play(audited)
    AuditMark.objects.filter(pk="rounds_roundrecord").update(attempts=incremental.ATTEMPTS_MAX)
    read_on()
    assert findings() == {("audit_cannot_read", "rounds_roundrecord")}
    play(audited, 6)
    assert read_on()["rounds_roundrecord"].rows == 1
    assert AuditMark.objects.get(pk="rounds_roundrecord").attempts == 0


def test_a_batch_that_fails_moves_no_mark_and_notes_the_attempt(
    audited: Any, owner_connection: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(locks, "JUST_TAKEN", timedelta())
    play(audited)
    before = AuditMark.objects.get(pk="rounds_roundrecord")
    with owner_connection.transaction():
        owner_connection.execute("LOCK TABLE rounds_roundseat IN ACCESS EXCLUSIVE MODE")
        with pytest.raises(OperationalError, match="lock timeout"):
            incremental.table_read(STEPS, until_xid=moment_now().next_xid)
    after = AuditMark.objects.get(pk="rounds_roundstep")
    assert (after.attempts, AuditReading.objects.filter(table_name="rounds_roundstep").count()) == (1, 0)
    assert AuditMark.objects.get(pk="rounds_roundrecord").xid == before.xid
    assert read_on()["rounds_roundstep"].rows == RoundStep.objects.count()


def test_batches_take_a_transaction_as_a_whole(audited: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    play(audited)
    small = [replace(written, batch_rows=1) for written in incremental.EVERY]
    monkeypatch.setattr(incremental, "EVERY", small)
    assert read_on()["wallets_transfer"].rows == Transfer.objects.count()
    assert AuditReading.objects.filter(table_name="wallets_transfer", rows__gt=1).exists()
    assert (Round.objects.count(), RoundRecord.objects.count(), findings()) == (1, 1, set())

"""A second look at rounds: clean where nothing happened, and every planted fault found with its row named."""

import json
from collections.abc import Callable
from random import Random
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.core.management import call_command
from django.db import transaction

from audit.continuous.reporting import replay_report
from audit.models import AuditFinding
from audit.reconcile import rounds_reconcile
from audit.replay import round_audit
from casino.errors import Conflict, NotFound
from casino.permissions import Role
from games.core.codec import canonical, digest, parse
from games.engines import current_engine
from games.halls.services import limit_set_publish
from games.rounds.models import Round, RoundRecord, RoundSeat
from tests import playing
from tests.table_builders import Game, convention
from wallets.models import Transfer

Plant = Callable[[str], None]


def test_an_untouched_round_is_clean(settled: UUID) -> None:
    report = round_audit(round_id=settled)
    assert report.is_clean
    assert report.record_verdict is not None
    assert report.record_verdict.startswith(f"verified {settled}")
    assert rounds_reconcile() == []


@pytest.mark.parametrize("rake", [None, {"basis_points": 250, "cap_minor": 7}])
@pytest.mark.parametrize(
    ("game", "short"), [("chinese_poker", {"target": 5}), ("ukrainian_poker", {}), ("rapira", {"max_cycles": 1})]
)
def test_an_untouched_round_at_a_table_is_clean(committed_db: str, game: str, short: dict[str, int], rake: Any) -> None:
    hall = playing.halls()["first"]
    stakes = {"stakes": current_engine(game).default_limits["first"]["stakes"]}
    data = stakes if rake is None else {**stakes, "rake": rake}
    admin = playing.user_with(Role.ADMIN)
    limit_set_publish(actor=admin, hall_id=hall.public_id, version=hall.version, game=game, data=data, reason="test")
    table = Game.opened(hall, 2, game=game, convention=convention(game, **short))
    table.play_out(Random(1))
    report = round_audit(round_id=table.row.public_id)
    assert (report.deviations, report.is_clean) == ((), True)


def test_an_open_or_unknown_round_cannot_be_replayed(settled: UUID) -> None:
    standing = Round.objects.get(status="open").public_id
    with pytest.raises(Conflict, match="closed"):
        round_audit(round_id=standing)
    with pytest.raises(NotFound):
        round_audit(round_id=uuid4())


OTHER = "(SELECT min(id) FROM users_user WHERE id NOT IN (SELECT user_id FROM rounds_roundseat))"
ONE = "(SELECT min(id) FROM wallets_transfer WHERE code = 'hold.ante')"


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        (
            f"UPDATE wallets_transfer SET amount_minor = amount_minor + 1 WHERE id = {ONE}",
            "is not what the record tells: amount_minor",
        ),
        (f"UPDATE wallets_transfer SET code = 'hold.bonus' WHERE id = {ONE}", "is not what the record tells"),
        (f"UPDATE wallets_transfer SET debit_account_id = debit_account_id + 1000 WHERE id = {ONE}", "is not in the database"),
        (f"DELETE FROM wallets_transfer WHERE id = {ONE}", "is not in the database"),
        (f"UPDATE wallets_transfer SET public_id = gen_random_uuid() WHERE id = {ONE}", "is not in the record"),
        ("UPDATE rounds_roundstep SET hash = repeat('0', 64) WHERE seq = 1", "step 1"),
        ("UPDATE rounds_roundstep SET at = at + interval '1 second' WHERE seq = 1", "step 1"),
        ("UPDATE rounds_roundstep SET origin = 'timeout' WHERE seq = 1", "step 1"),
        ("UPDATE rounds_roundstep SET secret = (SELECT state_secret FROM rounds_round WHERE id = round_id)", "hidden"),
        ("UPDATE rounds_round SET currency = 'USD' WHERE status = 'settled'", "currency"),
        ("UPDATE rounds_round SET engine_digest = repeat('0', 64) WHERE status = 'settled'", "engine_digest"),
        ("DELETE FROM rounds_roundseat WHERE NOT is_open", "seat 0"),
        ("DELETE FROM rounds_roundstep WHERE seq = 1", "is not in the database"),
        ("UPDATE rounds_roundseat SET returned_minor = returned_minor + 1 WHERE NOT is_open", "seat 0"),
        (f"UPDATE rounds_roundseat SET user_id = {OTHER} WHERE NOT is_open", "seat 0"),
        (f"UPDATE wallets_account SET user_id = {OTHER} WHERE kind = 'player'", "account_owner"),
        ("UPDATE rounds_round SET status = 'voided' WHERE status = 'settled'", "status"),
        ("UPDATE rounds_round SET last_hash = repeat('0', 64) WHERE status = 'settled'", "last_hash"),
        ('UPDATE rounds_round SET head = head || \'{"currency": "USD"}\'', "head.currency"),
        ("UPDATE rounds_commitment SET seed_hash = repeat('0', 64) WHERE status = 'used'", "seed_hash"),
        ("UPDATE rounds_commitment SET seed_secret = set_byte(seed_secret, 20, 0) WHERE status = 'used'", "server_seed"),
        ("UPDATE rounds_commitment SET status = 'discarded', discard_reason = 'x' WHERE status = 'used'", "commitment"),
        (f"UPDATE rounds_commitment SET user_id = {OTHER} WHERE status = 'used'", "commitment"),
        ("UPDATE rounds_commitment SET game = 'rapira' WHERE status = 'used'", "commitment"),
        ("UPDATE rounds_round SET opened_at = opened_at - interval '1 day' WHERE status = 'settled'", "opened_at"),
        ("UPDATE rounds_round SET hall_id = hall_id + 1 WHERE status = 'settled'", "hall"),
        ("UPDATE rounds_roundseat SET hall_id = hall_id + 1 WHERE NOT is_open", "seat 0"),
        ("UPDATE rounds_roundseat SET client_seed = 'another' WHERE NOT is_open", "seat 0"),
        ("UPDATE halls_paytable SET data = data || '{\"bet\": {}}'", "pay_table.bet"),
        ("UPDATE rounds_roundrecord SET record_hash = repeat('0', 64)", "record_hash"),
        ("UPDATE rounds_roundrecord SET document = replace(document, '\"ante\"', '\"bonus\"')", "record"),
        ("UPDATE rounds_roundrecord SET document = left(document, 100)", "record"),
    ],
)
def test_a_planted_fault_is_found_by_the_replay(settled: UUID, plant: Plant, fault: str, told: str) -> None:
    plant(fault)
    report = round_audit(round_id=settled)
    assert not report.is_clean
    assert told in " ".join(report.deviations)


def _first_ante() -> Transfer:
    return Transfer.objects.select_related("debit_account", "credit_account").filter(code="hold.ante").order_by("pk")[0]


def test_evidence_names_the_field_and_what_record_and_row_have_there(settled: UUID, plant: Plant) -> None:
    moved = _first_ante()
    seat = RoundSeat.objects.get(round__commitment_id=settled)
    plant(f"UPDATE wallets_transfer SET amount_minor = amount_minor + 1 WHERE id = {moved.pk}")
    plant("UPDATE rounds_roundseat SET staked_minor = staked_minor + 1 WHERE NOT is_open")
    plant("UPDATE rounds_roundstep SET origin = 'timeout' WHERE seq = 1")
    with transaction.atomic():
        assert replay_report(round_audit(round_id=settled)) == 3
    told = {finding.check_name: finding.evidence["rows"] for finding in AuditFinding.objects.all()}
    assert told == {
        "replay_round": [
            {
                "table": "rounds_roundseat",
                "key": f"{settled}/0",
                "field": "staked_minor",
                "expected": seat.staked_minor,
                "found": seat.staked_minor + 1,
            }
        ],
        "replay_steps": [
            {"table": "rounds_roundstep", "key": f"{settled}/1", "field": "origin", "expected": "player", "found": "timeout"}
        ],
        "replay_transfers": [
            {
                "table": "wallets_transfer",
                "key": str(moved.public_id),
                "field": "amount_minor",
                "expected": moved.amount_minor,
                "found": moved.amount_minor + 1,
            }
        ],
    }
    (words,) = AuditFinding.objects.get(check_name="replay_transfers").evidence["deviations"]
    amounts = f"the record tells {moved.amount_minor}, the row has {moved.amount_minor + 1}"
    assert words == f"transfer {moved.public_id} of round {settled} is not what the record tells: amount_minor: {amounts}"


def test_evidence_of_a_transfer_that_is_gone_tells_what_it_was(settled: UUID, plant: Plant) -> None:
    moved = _first_ante()
    plant(f"DELETE FROM wallets_transfer WHERE id = {moved.pk}")
    with transaction.atomic():
        replay_report(round_audit(round_id=settled))
    (row,) = AuditFinding.objects.get(check_name="replay_transfers").evidence["rows"]
    assert (row["key"], row["field"], row["found"]) == (str(moved.public_id), None, None)
    assert row["expected"] == {
        "seq": 0,
        "index": moved.index,
        "code": "hold.ante",
        "amount_minor": moved.amount_minor,
        "currency": moved.currency,
        "debit": {"kind": "player", "account_id": str(moved.debit_account.public_id)},
        "credit": {"kind": "escrow", "account_id": str(moved.credit_account.public_id)},
    }


def test_a_record_forged_with_all_its_hashes_is_found(settled: UUID, plant: Plant) -> None:
    record = parse(RoundRecord.objects.get().document.encode())
    record["steps"][0]["moves"][0]["amount_minor"] -= 10
    del record["record_hash"]
    record["record_hash"] = digest(record)
    text = canonical(record).decode().replace("'", "''")
    plant(f"UPDATE rounds_roundrecord SET document = '{text}', record_hash = '{record['record_hash']}'")
    assert "step 0" in " ".join(round_audit(round_id=settled).deviations)


@pytest.mark.parametrize(
    ("fault", "check", "table"),
    [
        ("UPDATE rounds_roundstep SET seq = seq + 100 WHERE seq > 0", "round_step_order", "rounds_roundstep"),
        ("UPDATE rounds_roundstep SET previous_hash = repeat('0', 64) WHERE seq = 1", "round_chain_linked", "rounds_roundstep"),
        ("UPDATE rounds_round SET last_hash = repeat('0', 64) WHERE status = 'open'", "round_at_last_step", "rounds_round"),
        ("DELETE FROM rounds_roundstep WHERE seq > 0", "round_at_last_step", "rounds_round"),
        ("UPDATE rounds_roundseat SET held_minor = held_minor - 1 WHERE is_open", "round_escrow_is_held", "rounds_round"),
        ("DELETE FROM rounds_roundrecord", "round_closed_with_escrow_and_record", "rounds_round"),
        (
            "UPDATE wallets_account SET closed_at = NULL WHERE kind = 'escrow' AND closed_at IS NOT NULL",
            "round_closed_with_escrow_and_record",
            "rounds_round",
        ),
        ("UPDATE rounds_roundseat SET staked_minor = staked_minor + 1", "seat_money_is_moved", "rounds_roundseat"),
        (
            "UPDATE wallets_transfer SET step_id = step_id + 1000 WHERE step_id IS NOT NULL",
            "escrow_moves_by_step",
            "wallets_transfer",
        ),
        ("UPDATE wallets_transfer SET step_id = 1, index = 500 WHERE code = 'deposit'", "step_moves_escrow", "wallets_transfer"),
        (
            "UPDATE wallets_account SET round_reference = gen_random_uuid() WHERE kind = 'escrow'",
            "escrow_of_a_round",
            "wallets_account",
        ),
        (f"UPDATE rounds_roundseat SET user_id = {OTHER} WHERE NOT is_open", "account_is_its_players", "wallets_account"),
        (f"UPDATE wallets_account SET user_id = {OTHER} WHERE kind = 'player'", "account_is_its_players", "wallets_account"),
        (
            "UPDATE wallets_account SET public_id = gen_random_uuid() WHERE kind = 'player'",
            "counter_moves_the_account_of_its_record",
            "wallets_transfer",
        ),
        ("UPDATE rounds_round SET head = head || '{\"seats\": 5}'", "round_has_its_seats", "rounds_round"),
        ("UPDATE rounds_round SET head = head - 'seats'", "round_has_its_seats", "rounds_round"),
        (
            "UPDATE audit_auditrecord SET after = after || '{\"amount_minor\": \"zz\"}' WHERE action = 'deposit_created'",
            "counter_moves_with_its_record",
            "wallets_transfer",
        ),
    ],
)
def test_a_planted_fault_is_found_by_reconciliation(settled: UUID, plant: Plant, fault: str, check: str, table: str) -> None:
    plant(fault)
    found = {(deviation.check, deviation.table) for deviation in rounds_reconcile()}
    assert (check, table) in found


def test_the_command_replays_every_round_and_fails_on_a_fault(
    settled: UUID, plant: Plant, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("round_replay", "--all")
    told = capsys.readouterr().out
    assert told.startswith(f"verified {settled}: ")
    assert "1 rounds replayed, 0 with deviations" in told
    plant("UPDATE rounds_roundseat SET staked_minor = staked_minor + 1")
    with pytest.raises(SystemExit):
        call_command("round_replay", "--all")
    told, amiss = capsys.readouterr()
    assert told == f"deviates {settled}\n1 rounds replayed, 1 with deviations\n"
    assert f"seat 0 of round {settled} is not what the record tells: staked_minor: " in amiss


@pytest.mark.parametrize(
    "fault", ["UPDATE rounds_round SET hall_id = 0 WHERE status = 'settled'", "DELETE FROM rounds_roundrecord"]
)
def test_a_closed_round_of_which_something_is_gone_is_said_to_be_unreadable(
    settled: UUID, plant: Plant, unlinked: None, fault: str
) -> None:
    plant(fault)
    with pytest.raises(Conflict) as refused:
        round_audit(round_id=settled)
    assert refused.value.code == "record_unreadable"


def test_a_round_at_which_the_replay_fails_does_not_end_the_command(
    settled: UUID, plant: Plant, unlinked: None, capsys: pytest.CaptureFixture[str]
) -> None:
    plant("UPDATE rounds_round SET hall_id = 0 WHERE status = 'settled'")
    with pytest.raises(SystemExit):
        call_command("round_replay", "--all")
    told, amiss = capsys.readouterr()
    assert told == f"deviates {settled}\n1 rounds replayed, 1 with deviations\n"
    assert amiss.startswith(f"replay of round {settled} failed: ")


def test_the_command_reconciles_the_books_and_names_the_row_that_deviates(
    settled: UUID, plant: Plant, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("reconcile")
    assert capsys.readouterr().out.endswith(f"{Transfer.objects.count()} transfers: reconciled\n")
    plant("UPDATE rounds_round SET last_hash = repeat('0', 64) WHERE status = 'open'")
    with pytest.raises(SystemExit) as exit_status:
        call_command("reconcile")
    assert exit_status.value.code == 1
    told = capsys.readouterr().out
    assert f"round_at_last_step: rounds_round {Round.objects.get(status='open').pk}: " in told
    assert told.endswith("deviations: 1\n")


def test_the_exported_record_is_the_stored_one(settled: UUID, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("round_export", str(settled))
    assert json.loads(capsys.readouterr().out) == json.loads(RoundRecord.objects.get().document)

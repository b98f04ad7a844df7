"""Nobody judges what they did themselves: whom a finding is about, for every kind of subject and of evidence."""

import random
from collections.abc import Callable
from typing import Any, NamedTuple
from uuid import uuid4

import pytest

from audit.continuous.persons import KINDS
from audit.continuous.reporting import NAMES, deviations_report
from audit.continuous.services import finding_own, finding_resolve
from audit.findings import Severity, finding_raise
from audit.models import AuditFinding, AuditRecord
from audit.reconcile import Deviation
from audit.trail import audit_record
from casino.errors import Forbidden
from casino.permissions import Role
from casino.users.models import User
from games.halls.models import Hall
from games.rounds.models import Round, RoundSeat, RoundStep
from tests import playing
from wallets.models import Account, Transfer
from wallets.services import deposit_create, deposit_reverse

pytestmark = pytest.mark.django_db


class World(NamedTuple):
    """A hall in which an auditor has played a round, which somebody looked into, and a cashier has taken in money."""

    hall: Hall
    player: User
    cashier: User
    supervisor: User
    other_player: User
    stranger: User
    played: Round
    deposit: Transfer
    reversal: Transfer


@pytest.fixture
def world() -> World:
    hall = playing.halls()["first"]
    player, other_player, stranger = playing.player(hall), playing.player(hall), playing.user_with(Role.AUDITOR)
    cashier, supervisor = playing.user_with(Role.CASHIER, Role.AUDITOR, hall=hall), playing.user_with(Role.SUPERVISOR)
    played = Round.objects.get(commitment_id=playing.open_round(player, hall).round_id)
    playing.play_out(player, played.public_id, random.Random(4))
    subject: tuple[str, object] = ("rounds.round", played.public_id)
    audit_record(actor=supervisor, action="round_voided", subject=subject, before=None, after=None, reason="test")
    line = deposit_create(
        actor=cashier, hall_id=hall.public_id, amount_minor=500, currency="EUR", player_id=other_player.public_id
    )
    back = deposit_reverse(actor=supervisor, transfer_id=line.transfer.public_id, reason="test")
    return World(
        hall,
        player,
        cashier,
        supervisor,
        other_player,
        stranger,
        played,
        line.transfer,
        Transfer.objects.get(pk=back.transfer.pk),
    )


def judges(finding: AuditFinding, *of: User) -> list[bool]:
    """Whether each may take and, as the same, resolve a finding."""
    answers = []
    for each in of:
        told = set()
        for act in (finding_own, lambda **who: finding_resolve(resolution="x", **who)):
            try:
                act(actor=each, finding_id=finding.public_id)
                told.add(True)
            except Forbidden as refusal:
                assert refusal.code == "own_finding_forbidden"
                told.add(False)
            if AuditFinding.objects.get(pk=finding.pk).status == "resolved":
                break
        (answer,) = told
        answers.append(answer)
    return answers


def named(subject: tuple[str, object], evidence: dict[str, Any] | None = None) -> AuditFinding:
    return finding_raise(check="a_check", severity=Severity.CRITICAL, subject=subject, evidence=evidence or {})


Named = Callable[[World], tuple[str, object]]


def account_of(world: World) -> Account:
    return Account.objects.get(user=world.player)


OF_PLAYER: dict[str, Named] = {
    "user": lambda w: ("users.user", w.player.public_id),
    "account": lambda w: ("wallets.account", account_of(w).public_id),
    "account by its key": lambda w: ("wallets_account", account_of(w).pk),
    "escrow": lambda w: ("wallets.account", w.played.escrow.public_id),
    "round": lambda w: ("rounds.round", w.played.public_id),
    "round by its key": lambda w: ("rounds_round", w.played.pk),
    "record of a round by its key": lambda w: ("rounds_roundrecord", w.played.pk),
    "seat by its key": lambda w: ("rounds_roundseat", RoundSeat.objects.get(round=w.played).pk),
    "step by its key": lambda w: ("rounds.roundstep", RoundStep.objects.filter(round=w.played).latest("pk").pk),
    "step by its round and number": lambda w: ("rounds_roundstep", f"{w.played.pk}/1"),
    "transfer of a round": lambda w: ("wallets.transfer", Transfer.objects.get(code="hold.ante").public_id),
    "transfer between the house and the escrow": lambda w: (
        "wallets.transfer",
        Transfer.objects.filter(step_id__isnull=False).exclude(debit_account=account_of(w)).latest("pk").pk,
    ),
    "record of the trail": lambda w: ("audit_auditrecord", AuditRecord.objects.get(action="round_voided").pk),
    "finding": lambda w: ("audit.auditfinding", named(("wallets.account", account_of(w).public_id)).public_id),
}


@pytest.mark.parametrize("kind", OF_PLAYER)
@pytest.mark.parametrize("is_in_evidence", [False, True])
def test_who_owns_or_played_it_does_not_judge_it(world: World, kind: str, is_in_evidence: bool) -> None:
    subject = OF_PLAYER[kind](world)
    if is_in_evidence and str(subject[1]).replace("/", "").isdigit():
        rows = [{"table": subject[0], "key": str(subject[1])}]
        finding = named(("rounds_roundstep", "transaction 7 of another"), {"rows": rows, "rows_in_all": 1})
    else:
        finding = named(subject)
    assert judges(finding, world.player, world.stranger) == [False, True]


@pytest.mark.parametrize(
    "subject",
    [
        lambda w: ("wallets.transfer", w.deposit.public_id),
        lambda w: ("wallets.transfer", w.deposit.pk),
        lambda w: ("wallets_transfer", w.reversal.pk),
        lambda w: ("audit_auditrecord", AuditRecord.objects.get(action="deposit_created", actor=w.cashier).pk),
    ],
)
def test_whoever_moved_money_at_the_counter_and_whose_it_is_do_not_judge_it(world: World, subject: Named) -> None:
    finding = named(subject(world))
    assert judges(finding, world.cashier, world.other_player, world.player) == [False, False, True]


def test_the_author_is_known_by_the_trail_where_the_row_says_nothing(world: World) -> None:
    transfer = Transfer.objects.filter(created_by=None, code="deposit").earliest("pk")
    finding = named(("wallets.transfer", transfer.public_id))
    subject = ("wallets.transfer", transfer.public_id)
    audit_record(actor=world.cashier, action="deposit_created", subject=subject, before=None, after=None)
    assert judges(finding, world.cashier, world.stranger) == [False, True]


def test_who_intervened_in_a_round_does_not_judge_it(world: World) -> None:
    finding = named(("rounds.round", world.played.public_id))
    assert judges(finding, world.supervisor, world.stranger) == [False, True]


def test_the_owner_of_a_finding_does_not_judge_what_became_of_it(world: World) -> None:
    first = named(("test", 1))
    finding_resolve(actor=world.stranger, finding_id=first.public_id, resolution="x")
    other = playing.user_with(Role.AUDITOR)
    assert judges(named(("audit.auditfinding", first.public_id)), world.stranger, other) == [False, True]


@pytest.mark.parametrize(
    ("subject", "evidence"),
    [
        (("wallets.transfer", 2**40), {}),
        (("wallets.account", uuid4()), {}),
        (("check", "a_check"), {"subjects_in_all": 900, "subjects_told": 100}),
        (("wallets.transfers", "5 to 900"), {"rows": 800}),
        (("wallets_transfer", "transaction 7 of another"), {"rows": [], "rows_in_all": 800}),
    ],
)
def test_what_is_not_named_whole_is_judged_by_none_who_played_or_moved_money(
    world: World, subject: tuple[str, object], evidence: dict[str, Any]
) -> None:
    finding = named(subject, evidence)
    assert judges(finding, world.player, world.cashier, world.stranger) == [False, False, True]


def test_what_is_about_nobody_is_judged_by_whoever_plays_too(world: World) -> None:
    rows = [{"table": "currency", "key": "EUR"}]
    assert judges(named(("currency", "EUR"), {"rows": rows, "rows_in_all": 1}), world.player) == [True]


DEVIATING: dict[str, Callable[[World], object]] = {
    "wallets_account": lambda w: account_of(w).pk,
    "wallets_transfer": lambda w: Transfer.objects.get(code="hold.ante").pk,
    "rounds_round": lambda w: w.played.pk,
    "rounds_roundrecord": lambda w: w.played.pk,
    "rounds_roundseat": lambda w: RoundSeat.objects.get(round=w.played).pk,
    "rounds_roundstep": lambda w: f"{w.played.pk}/1",
    "audit_auditfinding": lambda w: named(("wallets.account", account_of(w).public_id)).pk,
}


@pytest.mark.parametrize("table", DEVIATING)
def test_a_finding_as_checks_raise_it_is_judged_by_whoever_plays_but_has_no_part_in_it(world: World, table: str) -> None:
    """It names one row twice: by its outside id as the subject, by its key in the evidence."""
    deviations_report([Deviation("a_row_deviates", table, str(DEVIATING[table](world)), "1", "2")])
    finding = AuditFinding.objects.get(check_name="a_row_deviates")
    assert judges(finding, world.player, world.other_player) == [False, True]


def test_rows_of_every_table_that_deviates_have_persons() -> None:
    assert NAMES.keys() - KINDS.keys() == {"rounds_roundrecord", "audit_storedreport"}, "the one by its round, the other nobody's"

"""Whose an account is: two that change hands are found by whatever touches them next, and all of them at night."""

import random
from collections.abc import Callable
from typing import Any

import pytest
from django.db import transaction

from audit.continuous.passes import pages_work, pass_begin
from audit.models import AuditFinding, AuditPass
from audit.reconcile import rounds_reconcile
from casino.permissions import Role
from casino.users.models import User
from tests import playing
from tests.services.audit.reading import begin, findings, read_on
from wallets.models import Account
from wallets.services import deposit_create

CHECK = ("account_is_its_players", "wallets.account")


@pytest.fixture
def swapped(committed_db: str, owner_connection: Any) -> Callable[[User, User], None]:
    """Let the accounts of two players change hands, as only the tables' owner can."""

    def swap(one: User, other: User) -> None:
        owner_connection.execute("ALTER TABLE wallets_account DISABLE TRIGGER USER")
        first, second = (Account.objects.get(user=each).pk for each in (one, other))
        for values in (("ABC", one.pk, first), ("EUR", one.pk, second), ("EUR", other.pk, first)):
            owner_connection.execute("UPDATE wallets_account SET currency = %s, user_id = %s WHERE id = %s", values)

    return swap


def players() -> tuple[Any, User, User]:
    hall = playing.halls()["first"]
    begin()
    return hall, playing.player(hall), playing.player(hall)


def named() -> set[str]:
    return set(AuditFinding.objects.filter(check_name=CHECK[0]).values_list("subject_id", flat=True))


@pytest.mark.parametrize("has_played", [False, True])
def test_accounts_that_changed_hands_are_found_when_they_are_touched_next(
    swapped: Callable[[User, User], None], has_played: bool
) -> None:
    hall, one, other = players()
    if has_played:
        for each in (one, other):
            playing.play_out(each, playing.open_round(each, hall).round_id, random.Random(4))
    read_on()
    swapped(one, other)
    read_on()
    assert findings() == set(), "nothing was touched"
    playing.open_round(one, hall)
    read_on()
    assert findings() == {CHECK}
    assert named() == {str(Account.objects.get(user=one).public_id)}
    (finding,) = AuditFinding.objects.all()
    told = finding.evidence["rows"][0]
    assert str(other.public_id) in told["expected"]
    assert str(one.public_id) in told["found"]


def test_accounts_that_changed_hands_are_found_at_night_and_both_are_named(swapped: Callable[[User, User], None]) -> None:
    hall, one, other = players()
    playing.play_out(one, playing.open_round(one, hall).round_id, random.Random(4))
    read_on()
    swapped(one, other)
    with transaction.atomic():
        pass_begin(cause=AuditPass.Cause.ASKED)
    pages_work()
    assert findings() == {CHECK, ("replay_round", "rounds.round")}
    assert named() == {str(account.public_id) for account in Account.objects.filter(user__in=[one, other])}


def test_cages_that_changed_halls_are_found(committed_db: str, plant: Callable[[str], None]) -> None:
    hall, one, _ = players()
    cashier = playing.user_with(Role.CASHIER, hall=hall)
    terms = {"hall_id": hall.public_id, "amount_minor": 500, "currency": "EUR", "player_id": one.public_id}
    deposit_create(actor=cashier, **terms)
    read_on()
    assert findings() == set()
    cage = Account.objects.get(kind="cage", hall=hall)
    plant(f"UPDATE wallets_account SET currency = 'ABC' WHERE kind = 'cage' AND id <> {cage.pk}")
    plant(f"UPDATE wallets_account SET hall_id = (SELECT max(id) FROM halls_hall) WHERE id = {cage.pk}")
    assert {(d.check, d.key) for d in rounds_reconcile()} == {("cage_is_its_halls", str(cage.pk))}


def test_a_record_of_the_counter_from_before_it_named_a_player_is_none_that_deviates(committed_db: str, plant: Any) -> None:
    players()
    plant("UPDATE audit_auditrecord SET after = after - 'player_id' - 'account_id' WHERE action = 'deposit_created'")
    assert rounds_reconcile() == []

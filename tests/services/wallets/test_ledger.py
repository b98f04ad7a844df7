"""Posting: what moves, in which order, and what is refused."""

from uuid import uuid4

import pytest
from django.db import IntegrityError, transaction

from casino.db import now
from casino.errors import Refused
from tests.wallet_builders import CURRENCY, account, balance, escrow, hall, house, move, pay_in, player
from wallets import ledger, locks
from wallets.ledger import Posting
from wallets.models import AMOUNT_MAX_MINOR, PAID_IN_MAX_MINOR, Account, Transfer

pytestmark = pytest.mark.django_db


def test_a_post_moves_money_in_its_order_and_tells_the_balances_after() -> None:
    purse, pot, bank = account(player(minor=100)), escrow(), house()
    staked, funded, released = move(
        Posting(purse.pk, pot.pk, 40, "ante"), Posting(bank.pk, pot.pk, 40, "win"), Posting(pot.pk, purse.pk, 80, "win")
    )
    assert (staked.debit_balance_after_minor, staked.debit_sequence) == (60, 2)
    assert (staked.credit_balance_after_minor, staked.credit_sequence) == (40, 1)
    assert (funded.debit_balance_after_minor, funded.debit_sequence) == (None, None)
    assert (released.debit_balance_after_minor, released.credit_balance_after_minor) == (0, 140)
    assert (released.debit_sequence, released.credit_sequence) == (3, 3)
    assert balance(purse) == 140
    assert balance(bank) == -40
    stored = Transfer.objects.get(public_id=funded.public_id)
    assert (stored.currency, stored.code, stored.index, stored.amount_minor) == (CURRENCY, "win", 1, 40)


def test_an_account_that_is_short_for_a_moment_is_short() -> None:
    purse, pot = account(player(minor=50)), escrow()
    move(Posting(purse.pk, pot.pk, 20, "ante"))
    with pytest.raises(Refused) as refusal:
        move(Posting(purse.pk, pot.pk, 40, "bet"), Posting(pot.pk, purse.pk, 20, "refund"))
    assert refusal.value.code == "insufficient_funds"
    assert (balance(purse), balance(pot)) == (30, 20)
    move(Posting(pot.pk, purse.pk, 20, "refund"), Posting(purse.pk, pot.pk, 40, "bet"))
    assert (balance(purse), balance(pot)) == (10, 40)


def test_a_refusal_tells_what_there_was_and_what_all_postings_need() -> None:
    purse, pot = account(player(minor=50)), escrow()
    with pytest.raises(Refused) as refusal:
        move(*[Posting(purse.pk, pot.pk, 20, "ante")] * 4)
    assert refusal.value.details == {"account_id": str(purse.public_id), "available_minor": 50, "required_minor": 80}
    assert balance(purse) == 50
    assert Transfer.objects.filter(code="ante").count() == 0


def test_an_escrow_that_is_short_is_nobodys_refusal_but_a_fault() -> None:
    purse, pot = account(player(minor=50)), escrow()
    move(Posting(purse.pk, pot.pk, 20, "ante"))
    with pytest.raises(RuntimeError, match=f"an escrow is short.*{pot.public_id}"):
        move(Posting(pot.pk, purse.pk, 21, "win"))
    assert (balance(purse), balance(pot)) == (30, 20)


@pytest.mark.parametrize("amount", [0, -1, AMOUNT_MAX_MINOR + 1, True, 5.0, "5"])
def test_what_is_no_amount_is_not_posted(amount: int) -> None:
    purse, pot = account(player(minor=50)), escrow()
    with pytest.raises(ValueError, match="no amount"):
        move(Posting(purse.pk, pot.pk, amount, "ante"))
    assert balance(purse) == 50


def test_money_is_paid_in_up_to_half_of_what_json_can_tell_and_won_up_to_all_of_it() -> None:
    purse, pot, bank = account(player(minor=PAID_IN_MAX_MINOR)), escrow(), house()
    with pytest.raises(Refused) as refusal:
        pay_in(purse, 1)
    assert refusal.value.code == "balance_too_large"
    room = AMOUNT_MAX_MINOR - PAID_IN_MAX_MINOR
    move(Posting(bank.pk, pot.pk, room, "fund.bet"), Posting(pot.pk, purse.pk, room, "release.bet"))
    assert balance(purse) == AMOUNT_MAX_MINOR
    with pytest.raises(Refused):
        move(Posting(bank.pk, pot.pk, 1, "fund.bet"), Posting(pot.pk, purse.pk, 1, "release.bet"))


def test_a_step_is_paid_once() -> None:
    purse, pot = account(player(minor=50)), escrow()
    move(Posting(purse.pk, pot.pk, 20, "ante"), step_id=7)
    with pytest.raises(IntegrityError, match="transfer_step_posted_once"):
        move(Posting(purse.pk, pot.pk, 20, "ante"), step_id=7)
    assert balance(purse) == 30


def test_nothing_to_post_is_nothing_posted() -> None:
    assert move() == []


def test_posting_and_locking_need_a_transaction(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transaction.get_connection(), "in_atomic_block", False)
    with pytest.raises(RuntimeError, match="transaction"):
        ledger.post([Posting(1, 2, 1, "ante")], step_id=None, now=now())
    with pytest.raises(RuntimeError, match="transaction"):
        locks.accounts_lock([1])


def test_only_stored_accounts_are_locked_in_ascending_order() -> None:
    purse, pot, bank = account(player()), escrow(), house()
    assert [found.pk for found in locks.accounts_lock([bank.pk, pot.pk, purse.pk])] == [purse.pk, pot.pk]


def test_there_is_one_account_of_a_kind() -> None:
    anna, room = player(), hall()
    assert ledger.player_account(anna.pk, "EUR").pk == ledger.player_account(anna.pk, "EUR").pk
    assert ledger.player_account(anna.pk, "EUR").pk != ledger.player_account(anna.pk, "USD").pk
    makers = (ledger.house_account, ledger.rake_account, ledger.cage_account)
    assert len({make(room.pk, "EUR").pk for make in makers for _ in range(2)}) == 3
    round_id = uuid4()
    escrow(round_id)
    with pytest.raises(IntegrityError, match="account_one_per_round"), transaction.atomic():
        escrow(round_id)


def test_an_escrow_closes_empty_and_once() -> None:
    purse, pot = account(player(minor=50)), escrow()
    move(Posting(purse.pk, pot.pk, 20, "ante"))
    with pytest.raises(IntegrityError, match="account_closed_empty"), transaction.atomic():
        ledger.escrow_close(pot.pk, now=now())
    move(Posting(pot.pk, purse.pk, 20, "refund"))
    ledger.escrow_close(pot.pk, now=now())
    with pytest.raises(RuntimeError, match="no open escrow"):
        ledger.escrow_close(pot.pk, now=now())
    with pytest.raises(IntegrityError, match="account_closed_empty"):
        move(Posting(purse.pk, pot.pk, 20, "ante"))
    assert balance(purse) == 50


def test_accounts_and_transfers_have_names_for_logs() -> None:
    purse = account(player(minor=5))
    assert str(Account.objects.get(pk=purse.pk)) == f"player EUR {purse.public_id}"
    assert str(Transfer.objects.get(credit_account=purse)) == "deposit 5 EUR"

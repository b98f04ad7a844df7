"""Many at once on the same money, and for each race a control: the same race with the protection taken away."""

import json
import random
from collections import Counter
from collections.abc import Iterator
from functools import partial
from typing import Any

import psycopg
import pytest
from django.db import transaction
from rest_framework.test import APIClient

from audit.reconcile import ledger_reconcile
from casino.db import now, unit_of_work
from casino.permissions import Role
from casino.users.models import User
from tests.concurrency.gate import kinds, patient, race_behind, without_balance_check, without_posting_lock
from tests.concurrency.racing import race
from tests.wallet_builders import CURRENCY, account, balance, escrow, hall, house, move, pay_in, player, user
from wallets import ledger
from wallets.ledger import Posting
from wallets.models import Account, AccountKind, Transfer
from wallets.selectors import statement
from wallets.services import deposit_create, withdrawal_create

pytestmark = pytest.mark.usefixtures("committed_db")


@pytest.fixture
def anna() -> Iterator[User]:
    yield player()


@pytest.fixture
def cashier() -> Iterator[User]:
    yield user("cashier", Role.CASHIER, at=hall())


def withdraw(by: User, of: User, amount_minor: int) -> object:
    return withdrawal_create(
        actor=by, hall_id=hall().public_id, player_id=of.public_id, amount_minor=amount_minor, currency=CURRENCY
    )


def hold(of: Account, into: Account, amount_minor: int) -> object:
    with unit_of_work():
        return ledger.post([Posting(of.pk, into.pk, amount_minor, "ante")], step_id=None, now=now())


def test_of_fifty_withdrawals_with_money_for_one_one_is_paid(
    owner_connection: psycopg.Connection, anna: User, cashier: User
) -> None:
    purse = account(anna)
    pay_in(purse, 100)
    results = race_behind(owner_connection, [purse.pk], [partial(withdraw, cashier, anna, 100)] * 50)
    assert kinds(results) == {"done": 1, "insufficient_funds": 49}
    assert balance(purse) == 0
    assert ledger_reconcile() == []


@pytest.mark.parametrize("has_check", [True, False])
def test_control_without_the_lock_the_check_is_the_last_line_and_without_both_money_is_made(
    owner_connection: psycopg.Connection, anna: User, cashier: User, has_check: bool
) -> None:
    purse = account(anna)
    pay_in(purse, 100)
    without_posting_lock(owner_connection)
    if not has_check:
        without_balance_check(owner_connection)
    results = race_behind(owner_connection, [purse.pk], [partial(withdraw, cashier, anna, 100)] * 8)
    assert kinds(results) == ({"done": 1, "IntegrityError": 7} if has_check else {"done": 8})
    assert balance(purse) == (0 if has_check else -700)


def test_holds_count_against_what_is_left(owner_connection: psycopg.Connection, anna: User) -> None:
    purse = account(anna)
    pay_in(purse, 100)
    pots = [escrow() for _ in range(50)]
    results = race_behind(owner_connection, [purse.pk], [partial(hold, purse, pot, 10) for pot in pots])
    assert kinds(results) == {"done": 10, "insufficient_funds": 40}
    assert balance(purse) == 0
    assert sum(balance(pot) or 0 for pot in pots) == 100
    assert ledger_reconcile() == []


def test_control_holds_that_are_not_counted_overdraw(owner_connection: psycopg.Connection, anna: User) -> None:
    purse = account(anna)
    pay_in(purse, 100)
    without_posting_lock(owner_connection)
    without_balance_check(owner_connection)
    works = [partial(hold, purse, escrow(), 10) for _ in range(14)]
    assert kinds(race_behind(owner_connection, [purse.pk], works)) == {"done": 14}
    assert balance(purse) == -40


def test_a_withdrawal_and_a_stake_that_fit_only_alone(owner_connection: psycopg.Connection, anna: User, cashier: User) -> None:
    purse, pot = account(anna), escrow()
    for _ in range(10):
        pay_in(purse, 100 - (balance(purse) or 0))
        works = [partial(withdraw, cashier, anna, 60), partial(hold, purse, pot, 60)]
        assert kinds(race_behind(owner_connection, [purse.pk], works)) == {"done": 1, "insufficient_funds": 1}
        assert balance(purse) == 40


def opposed(purses: list[Account], pots: list[Account]) -> list[Any]:
    """Two works that take the same two purses in opposite order, with a stop at a pot of their own in between."""
    first, second = purses
    return [
        partial(move, Posting(first.pk, pots[0].pk, 1, "ante"), Posting(second.pk, pots[0].pk, 1, "ante")),
        partial(move, Posting(second.pk, pots[1].pk, 1, "ante"), Posting(first.pk, pots[1].pk, 1, "ante")),
    ]


def two_purses() -> list[Account]:
    return [account(player(name, minor=100)) for name in ("berta", "carla")]


def test_opposite_orders_do_not_lock_each_other_out(owner_connection: psycopg.Connection) -> None:
    purses, pots = two_purses(), [escrow(), escrow()]
    results = race_behind(owner_connection, [pot.pk for pot in pots], opposed(purses, pots))
    assert kinds(results) == {"done": 2}
    assert [balance(purse) for purse in purses] == [98, 98]


def test_control_without_the_ascending_lock_they_do(owner_connection: psycopg.Connection) -> None:
    purses, pots = two_purses(), [escrow(), escrow()]
    without_posting_lock(owner_connection)
    results = race_behind(owner_connection, [pot.pk for pot in pots], opposed(purses, pots))
    assert kinds(results) == {"done": 1, "OperationalError": 1}
    (error,) = [result for result in results if isinstance(result, Exception)]
    assert "deadlock detected" in str(error)


def test_fifty_threads_of_random_postings_leave_an_exact_ledger() -> None:
    accounts = [account(player(f"player-{number}", minor=1000)) for number in range(4)] + [escrow() for _ in range(4)]
    bank = house()

    def play(seed: int) -> Counter[str]:
        chance = random.Random(seed)
        results: list[Any] = []
        for _ in range(6):
            postings = [_any_posting(chance, accounts, bank) for _ in range(4)]
            try:
                with unit_of_work():
                    ledger.post(postings, step_id=None, now=now())
                results.append(None)
            except Exception as error:
                results.append(error)
        return kinds(results)

    totals: Counter[str] = sum(race([patient(partial(play, seed)) for seed in range(50)]), Counter())
    assert set(totals) <= {"done", "insufficient_funds", "RuntimeError"}, "an escrow may be short here, nothing may lock up"
    assert totals["done"] > 0 and sum(totals.values()) == 300
    assert ledger_reconcile() == []


def _any_posting(chance: random.Random, accounts: list[Account], bank: Account) -> Posting:
    purse = chance.choice([each for each in accounts if each.kind == AccountKind.PLAYER])
    pot = chance.choice([each for each in accounts if each.kind == AccountKind.ESCROW])
    ways = [(purse, pot), (pot, purse), (bank, pot), (pot, bank)]
    debit, credit = chance.choice(ways)
    return Posting(debit.pk, credit.pk, chance.randint(1, 400), "play")


def test_the_houses_row_stays_out_of_play(owner_connection: psycopg.Connection, anna: User) -> None:
    """While one round's transfers from the house wait for their commit, others' go on and the row is free for anybody."""
    bank, pots = house(), [escrow(), escrow()]
    with transaction.atomic():
        ledger.post([Posting(bank.pk, pots[0].pk, 5, "win")], step_id=None, now=now())
        (other,) = race([partial(move, Posting(bank.pk, pots[1].pk, 5, "win"))])
        assert isinstance(other, list)
        with owner_connection.transaction():
            owner_connection.execute("SELECT FROM wallets_account WHERE id = %s FOR UPDATE NOWAIT", [bank.pk])
        with owner_connection.transaction(), pytest.raises(psycopg.errors.LockNotAvailable):
            owner_connection.execute("SELECT FROM wallets_account WHERE id = %s FOR UPDATE NOWAIT", [pots[0].pk])


def test_an_account_opened_by_many_at_once_is_one(anna: User) -> None:
    works = [lambda: ledger.player_account(anna.pk, "CHF").pk] * 20
    assert len(set(race(works))) == 1
    assert Account.objects.filter(currency="CHF").count() == 1


def deposit(by: User, of: User) -> Transfer:
    line = deposit_create(actor=by, hall_id=hall().public_id, player_id=of.public_id, amount_minor=500, currency=CURRENCY)
    return line.transfer


def posted(by: User, path: str, body: dict[str, Any], **headers: str) -> Any:
    client = APIClient()
    client.force_authenticate(by)
    return client.post(f"/api/v1/{path}", json.dumps(body, default=str), content_type="application/json", headers=headers)


def test_times_follow_sequences(owner_connection: psycopg.Connection, anna: User, cashier: User) -> None:
    purse = account(anna)
    assert kinds(race_behind(owner_connection, [purse.pk], [partial(deposit, cashier, anna)] * 20)) == {"done": 20}
    times = list(statement(account_id=purse.pk).order_by("sequence").values_list("transfer__at", flat=True))
    assert times == sorted(set(times))


def test_a_deposit_is_reversed_once_by_twenty_at_once(owner_connection: psycopg.Connection, anna: User, cashier: User) -> None:
    mistaken = deposit(cashier, anna)
    pay_in(account(anna), 10_000)
    work = partial(posted, cashier, f"transfers/{mistaken.public_id}/reversal", {"reason": "typed twice"})
    responses = race_behind(owner_connection, [account(anna).pk], [work] * 20)
    assert sorted(response.status_code for response in responses) == [201] + [409] * 19
    assert {response.json()["code"] for response in responses if response.status_code == 409} == {"transfer_already_reversed"}
    assert balance(account(anna)) == 10_000
    assert ledger_reconcile() == []


@pytest.mark.parametrize("is_unique", [True, False])
def test_control_a_reversal_that_looks_before_it_locks(
    owner_connection: psycopg.Connection, anna: User, cashier: User, is_unique: bool
) -> None:
    mistaken = deposit(cashier, anna)
    pay_in(account(anna), 10_000)
    if not is_unique:
        owner_connection.execute("DROP INDEX transfer_reversed_once")

    def reverse() -> object:
        if Transfer.objects.filter(reversal_of=mistaken).exists():
            return "reversed already"
        return move(
            Posting(mistaken.credit_account_id, mistaken.debit_account_id, 500, "deposit_reversal", reversal_of_id=mistaken.pk)
        )

    results = race_behind(owner_connection, [account(anna).pk], [reverse] * 8)
    assert kinds(results) == ({"done": 1, "IntegrityError": 7} if is_unique else {"done": 8})
    assert balance(account(anna)) == (10_000 if is_unique else 10_500 - 8 * 500)


def test_twenty_equal_deposits_with_one_key_are_one(anna: User, cashier: User) -> None:
    order = {"hall_id": hall().public_id, "player_id": anna.public_id, "amount_minor": 500, "currency": CURRENCY}
    responses = race([partial(posted, cashier, "deposits", order, **{"Idempotency-Key": "one"})] * 20)
    made = {response.content for response in responses if response.status_code == 201}
    assert len(made) == 1
    assert {response.status_code for response in responses} <= {201, 409}
    assert balance(account(anna)) == 500
    assert Transfer.objects.count() == 1


def test_control_without_a_common_key_each_is_its_own(anna: User, cashier: User) -> None:
    order = {"hall_id": hall().public_id, "player_id": anna.public_id, "amount_minor": 500, "currency": CURRENCY}
    works = [partial(posted, cashier, "deposits", order, **{"Idempotency-Key": f"key-{number}"}) for number in range(20)]
    responses = race(works)
    assert [response.status_code for response in responses] == [201] * 20
    assert balance(account(anna)) == 10_000

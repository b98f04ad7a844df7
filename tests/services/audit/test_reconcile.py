"""Reconciliation: silent on every ledger that the services make, and exact about every row that somebody tampered with."""

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from audit.reconcile import ACCOUNTS, TRANSFERS, Deviation, ledger_reconcile
from casino.db import now
from tests.wallet_builders import account, escrow, hall, house, move, pay_in, player
from wallets import ledger
from wallets.ledger import Posting
from wallets.models import Account, Transfer

TRIGGERS_OFF = ["ALTER TABLE wallets_account DISABLE TRIGGER USER", "ALTER TABLE wallets_transfer DISABLE TRIGGER USER"]


@pytest.fixture
def rows(committed_db: str) -> Iterator[dict[str, Any]]:
    """A round played and closed, one under way, a deposit reversed: 100 in, 30 staked and lost, 10 in play."""
    purse, bank = account(player()), house()
    cage = ledger.cage_account(hall().pk, "EUR")
    rake = ledger.rake_account(hall().pk, "EUR")
    deposit, mistaken = move(Posting(cage.pk, purse.pk, 100, "deposit"), Posting(cage.pk, purse.pk, 7, "deposit"))
    (reversal,) = move(Posting(purse.pk, cage.pk, 7, "deposit_reversal", reversal_of_id=mistaken.id))
    closed, pot = escrow(), escrow()
    (stake,) = move(Posting(purse.pk, closed.pk, 30, "ante"), step_id=1)
    (lost, raked) = move(Posting(closed.pk, bank.pk, 29, "lost"), Posting(closed.pk, rake.pk, 1, "rake"), step_id=2)
    ledger.escrow_close(closed.pk, now=now())
    move(Posting(purse.pk, pot.pk, 10, "ante"), step_id=3)
    yield {
        "purse": purse.pk,
        "house": bank.pk,
        "rake": rake.pk,
        "cage": cage.pk,
        "closed": closed.pk,
        "dollars": ledger.player_account(purse.user_id or 0, "USD").pk,
        "other": account(player("berta")).pk,
        "deposit": deposit.id,
        "mistaken": mistaken.id,
        "reversal": reversal.id,
        "stake": stake.id,
        "lost": lost.id,
        "raked": raked.id,
    }


def test_a_ledger_that_nobody_tampered_with_is_reconciled(rows: dict[str, Any]) -> None:
    assert ledger_reconcile() == []


TAMPERINGS = [
    (
        ["UPDATE wallets_account SET balance_minor = balance_minor + 1 WHERE id = {purse}"],
        {
            ("account_balance_is_the_sum_of_its_transfers", "purse", "60", "61"),
            ("currency_sums_to_zero", "EUR", "0", "1"),
        },
    ),
    (
        ["UPDATE wallets_account SET sequence = 6 WHERE id = {purse}"],
        {("account_sequence_counts_its_transfers", "purse", "5", "6")},
    ),
    (
        ["UPDATE wallets_transfer SET debit_sequence = 9 WHERE id = {stake}"],
        {
            ("sequence_has_no_gap", "stake", "6", "9"),
            ("sequence_has_no_gap", "last", "4", "5"),
            ("balance_after_follows_from_the_one_before", "stake", "30", "70"),
            ("balance_after_follows_from_the_one_before", "last", "90", "60"),
        },
    ),
    (
        ["UPDATE wallets_transfer SET debit_balance_after_minor = 71 WHERE id = {stake}"],
        {
            ("balance_after_follows_from_the_one_before", "stake", "70", "71"),
            ("balance_after_follows_from_the_one_before", "last", "61", "60"),
        },
    ),
    (
        ["UPDATE wallets_transfer SET debit_sequence = 1, debit_balance_after_minor = -7 WHERE id = {mistaken}"],
        {("hall_account_stores_no_balance", "mistaken", None, "-7")},
    ),
    (
        ["DELETE FROM wallets_transfer WHERE id = {raked}"],
        {
            ("account_balance_is_the_sum_of_its_transfers", "closed", "1", "0"),
            ("account_sequence_counts_its_transfers", "closed", "2", "3"),
            ("closed_escrow_is_empty", "closed", "0", "1"),
            ("currency_sums_to_zero", "EUR", "0", "-1"),
        },
    ),
    (
        ["UPDATE wallets_transfer SET credit_account_id = 0 WHERE id = {lost}"],
        {
            ("transfer_has_its_accounts", "lost", "two accounts", "{closed} and 0"),
            ("currency_sums_to_zero", "EUR", "0", "-29"),
        },
    ),
    (
        ["UPDATE wallets_transfer SET currency = 'USD' WHERE id = {lost}"],
        {("transfer_has_its_accounts_currency", "lost", "EUR", "USD")},
    ),
    (
        ["UPDATE wallets_transfer SET credit_account_id = {cage} WHERE id = {lost}"],
        {("transfer_goes_where_money_may_go", "lost", "an allowed pair", "escrow to cage")},
    ),
    (
        ["UPDATE wallets_transfer SET reversal_of_id = {deposit} WHERE id = {reversal}"],
        {("reversal_mirrors_its_transfer", "reversal", "100 {purse} {cage}", "7 {purse} {cage}")},
    ),
    (
        [
            "DROP INDEX transfer_reversed_once",
            "UPDATE wallets_transfer SET reversal_of_id = {mistaken} WHERE id = {stake}",
        ],
        {
            ("transfer_is_reversed_once", "mistaken", "1", "2"),
            ("reversal_mirrors_its_transfer", "stake", "7 {purse} {cage}", "30 {purse} {closed}"),
        },
    ),
    (
        ["DROP INDEX transfer_step_posted_once", "UPDATE wallets_transfer SET step_id = 2 WHERE id = {stake}"],
        {("step_is_paid_once", "2", "1", "2")},
    ),
    (
        [
            "ALTER TABLE wallets_account DROP CONSTRAINT account_balance_in_bounds",
            "UPDATE wallets_account SET balance_minor = -1 WHERE id = {other}",
        ],
        {
            ("account_balance_not_negative", "other", "0 or more", "-1"),
            ("account_balance_is_the_sum_of_its_transfers", "other", "0", "-1"),
            ("currency_sums_to_zero", "EUR", "0", "-1"),
        },
    ),
    (
        [
            "ALTER TABLE wallets_transfer DROP CONSTRAINT transfer_amount_in_bounds",
            "UPDATE wallets_transfer SET amount_minor = 0, credit_balance_after_minor = 100 WHERE id = {mistaken}",
            "UPDATE wallets_transfer SET amount_minor = 0 WHERE id = {reversal}",
        ],
        {
            ("transfer_amount_in_bounds", "mistaken", "1 to 9007199254740991", "0"),
            ("transfer_amount_in_bounds", "reversal", "1 to 9007199254740991", "0"),
        },
    ),
]


def test_every_tampering_is_found_and_its_rows_named(owner_connection: psycopg.Connection, rows: dict[str, Any]) -> None:
    """Tried in one transaction of the tables' owner each, with the triggers off, and taken back."""
    rows["last"] = Transfer.objects.latest("pk").pk
    for statements, expected in TAMPERINGS:
        with owner_connection.transaction(force_rollback=True):
            for statement in (*TRIGGERS_OFF, *statements):
                owner_connection.execute(statement.format(**rows).encode())
            found = {(d.check, d.key, d.expected, d.found) for d in _reconciled_by(owner_connection)}
        named = {
            (check, str(rows.get(key, key)), expected and expected.format(**rows), found_text and found_text.format(**rows))
            for check, key, expected, found_text in expected
        }
        assert found == named, statements


def _reconciled_by(owner: psycopg.Connection) -> list[Deviation]:
    """Run the same statements in the owner's transaction, which has not been committed."""
    cursor = psycopg.ClientCursor(owner)
    found = [*cursor.execute(ACCOUNTS).fetchall(), *cursor.execute(TRANSFERS, {"keys": None}).fetchall()]
    return [Deviation(*row) for row in found]


def test_of_many_lines_only_the_one_that_was_changed_is_named(rows: dict[str, Any], owner_connection: psycopg.Connection) -> None:
    purse = Account.objects.get(pk=rows["purse"])
    for _ in range(20):
        pay_in(purse, 5)
    changes = (*TRIGGERS_OFF, f"UPDATE wallets_transfer SET amount_minor = amount_minor + 1 WHERE id = {rows['deposit']}")
    for statement in changes:
        owner_connection.execute(statement.encode())
    assert {(d.check, d.key) for d in ledger_reconcile()} == {
        ("balance_after_follows_from_the_one_before", str(rows["deposit"])),
        ("account_balance_is_the_sum_of_its_transfers", str(rows["purse"])),
        ("currency_sums_to_zero", "EUR"),
    }


def test_deviations_come_in_the_order_of_their_rows(rows: dict[str, Any], owner_connection: psycopg.Connection) -> None:
    purse = Account.objects.get(pk=rows["purse"])
    for _ in range(12):
        pay_in(purse, 5)
    changes = (*TRIGGERS_OFF, "UPDATE wallets_transfer SET currency = 'USD'")
    for statement in changes:
        owner_connection.execute(statement.encode())
    keys = [int(d.key) for d in ledger_reconcile() if d.check == "transfer_has_its_accounts_currency"]
    assert len(keys) > 10
    assert keys == sorted(keys)

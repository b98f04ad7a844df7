"""What the database refuses, to the application's role and to the tables' owner alike: each constraint and trigger by name.

Many statements are tried in one test, since each test costs a database; a failure shows what went wrong with which.
"""

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from django.db import DatabaseError, connection

from casino.db import now
from casino.errors import Refused
from tests.wallet_builders import account, balance, escrow, hall, house, move, player
from wallets import ledger
from wallets.ledger import Posting
from wallets.models import Account, Transfer

ACCOUNT = """
    INSERT INTO wallets_account (kind, currency, user_id, hall_id, round_reference, balance_minor, sequence, closed_at) VALUES
"""
TRANSFER = """
    INSERT INTO wallets_transfer (at, index, reference, debit_account_id, credit_account_id, amount_minor, currency, code,
                                  step_id, reversal_of_id) VALUES (clock_timestamp(), 0, '',
"""
TRANSFER_WITH_BALANCES = """
    INSERT INTO wallets_transfer (at, index, reference, code, currency, debit_account_id, credit_account_id, amount_minor,
                                  debit_balance_after_minor, debit_sequence, credit_balance_after_minor, credit_sequence)
    VALUES (clock_timestamp(), 0, '', 'deposit', 'EUR',
"""


@pytest.fixture
def rows(committed_db: str) -> Iterator[dict[str, Any]]:
    """A hall with a round under way: the keys to write statements with."""
    anna, berta = player("anna"), player("berta")
    purse, pot, bank = account(anna), escrow(), house()
    cage = ledger.cage_account(hall().pk, "EUR")
    deposit, _ = move(Posting(cage.pk, purse.pk, 100, "deposit"), Posting(purse.pk, pot.pk, 40, "ante"), step_id=1)
    closed = escrow()
    ledger.escrow_close(closed.pk, now=now())
    yield {
        "anna": anna.pk,
        "berta": berta.pk,
        "hall": hall().pk,
        "purse": purse.pk,
        "other": account(berta).pk,
        "dollars": ledger.player_account(anna.pk, "USD").pk,
        "pot": pot.pk,
        "round": f"'{pot.round_reference}'",
        "new_round": f"'{uuid4()}'",
        "closed": closed.pk,
        "house": bank.pk,
        "rake": ledger.rake_account(hall().pk, "EUR").pk,
        "cage": cage.pk,
        "deposit": deposit.id,
    }


def assert_refused(owner: psycopg.Connection, name: str, statement: str) -> None:
    with pytest.raises(psycopg.Error) as refusal, owner.transaction():
        owner.execute(statement.encode())
    assert refusal.value.diag.constraint_name == name or name in str(refusal.value), (statement, refusal.value)


OPENINGS = [
    ("account_fits_kind", "('player', 'CHF', NULL, NULL, NULL, 0, 0, NULL)"),
    ("account_fits_kind", "('player', 'CHF', {anna}, {hall}, NULL, 0, 0, NULL)"),
    ("account_fits_kind", "('player', 'CHF', {anna}, NULL, NULL, NULL, NULL, NULL)"),
    ("account_fits_kind", "('escrow', 'EUR', NULL, NULL, NULL, 0, 0, NULL)"),
    ("account_fits_kind", "('escrow', 'EUR', {anna}, NULL, {new_round}, 0, 0, NULL)"),
    ("account_fits_kind", "('house', 'CHF', NULL, NULL, NULL, NULL, NULL, NULL)"),
    ("account_fits_kind", "('house', 'CHF', NULL, {hall}, NULL, 0, 0, NULL)"),
    ("account_fits_kind", "('purse', 'CHF', {anna}, NULL, NULL, 0, 0, NULL)"),
    ("account_currency_code", "('player', 'eur', {anna}, NULL, NULL, 0, 0, NULL)"),
    ("account_currency_code", "('player', 'EU', {anna}, NULL, NULL, 0, 0, NULL)"),
    ("account_opens_empty", "('player', 'CHF', {anna}, NULL, NULL, 5, 0, NULL)"),
    ("account_opens_empty", "('player', 'CHF', {anna}, NULL, NULL, 0, 1, NULL)"),
    ("account_opens_empty", "('escrow', 'EUR', NULL, NULL, {new_round}, 0, 0, clock_timestamp())"),
    ("account_one_per_player", "('player', 'EUR', {anna}, NULL, NULL, 0, 0, NULL)"),
    ("account_one_per_round", "('escrow', 'EUR', NULL, NULL, {round}, 0, 0, NULL)"),
    ("account_one_per_hall", "('house', 'EUR', NULL, {hall}, NULL, NULL, NULL, NULL)"),
]


def test_an_account_opens_as_its_kind_says(owner_connection: psycopg.Connection, rows: dict[str, Any]) -> None:
    before = Account.objects.count()
    for name, values in OPENINGS:
        assert_refused(owner_connection, name, f"{ACCOUNT} {values}".format(**rows))
    assert Account.objects.count() == before


CHANGES = [
    ("account_moves_by_transfer", "UPDATE wallets_account SET balance_minor = balance_minor + 1 WHERE id = {purse}"),
    ("account_moves_by_transfer", "UPDATE wallets_account SET balance_minor = 0, sequence = sequence + 1 WHERE id = {purse}"),
    ("account_moves_by_transfer", "UPDATE wallets_account SET sequence = sequence - 1 WHERE id = {purse}"),
    ("account_identity_fixed", "UPDATE wallets_account SET user_id = {berta} WHERE id = {dollars}"),
    ("account_identity_fixed", "UPDATE wallets_account SET currency = 'CHF' WHERE id = {purse}"),
    ("account_identity_fixed", "UPDATE wallets_account SET kind = 'rake' WHERE id = {house}"),
    ("account_identity_fixed", "UPDATE wallets_account SET round_reference = gen_random_uuid() WHERE id = {pot}"),
    ("account_identity_fixed", "UPDATE wallets_account SET closed_at = NULL WHERE id = {closed}"),
    ("account_closed_empty", "UPDATE wallets_account SET closed_at = clock_timestamp() WHERE id = {pot}"),
    ("account_closed_empty", "UPDATE wallets_account SET closed_at = clock_timestamp() WHERE id = {other}"),
    ("account_closed_empty", "UPDATE wallets_account SET closed_at = clock_timestamp() WHERE id = {house}"),
    ("account_no_delete", "DELETE FROM wallets_account WHERE id = {closed}"),
    ("account_no_truncate", "TRUNCATE wallets_account CASCADE"),
    ("wallets_transfer is append-only", "UPDATE wallets_transfer SET amount_minor = 1"),
    ("wallets_transfer is append-only", "DELETE FROM wallets_transfer"),
    ("wallets_transfer is append-only", "TRUNCATE wallets_transfer"),
]


def test_the_past_stays_and_balances_move_by_transfers_only(owner_connection: psycopg.Connection, rows: dict[str, Any]) -> None:
    for name, statement in CHANGES:
        assert_refused(owner_connection, name, statement.format(**rows))
    assert balance(Account(pk=rows["purse"])) == 60


IMPOSSIBLE = [
    ("transfer_amount_in_bounds", "{cage}, {purse}, 0, 'EUR', 'deposit', NULL, NULL"),
    ("transfer_amount_in_bounds", "{cage}, {purse}, -5, 'EUR', 'deposit', NULL, NULL"),
    ("balance too large", "{cage}, {purse}, 9007199254740991, 'EUR', 'deposit', NULL, NULL"),
    ("transfer_has_code", "{cage}, {purse}, 5, 'EUR', '', NULL, NULL"),
    ("transfer_accounts_exist", "{cage}, 0, 5, 'EUR', 'deposit', NULL, NULL"),
    ("transfer_accounts_exist", "0, {purse}, 5, 'EUR', 'deposit', NULL, NULL"),
    ("transfer_one_currency", "{cage}, {dollars}, 5, 'EUR', 'deposit', NULL, NULL"),
    ("transfer_one_currency", "{cage}, {purse}, 5, 'USD', 'deposit', NULL, NULL"),
    ("transfer_pair_allowed", "{purse}, {other}, 5, 'EUR', 'gift', NULL, NULL"),
    ("transfer_pair_allowed", "{purse}, {purse}, 5, 'EUR', 'gift', NULL, NULL"),
    ("transfer_pair_allowed", "{house}, {purse}, 5, 'EUR', 'gift', NULL, NULL"),
    ("transfer_pair_allowed", "{purse}, {house}, 5, 'EUR', 'gift', NULL, NULL"),
    ("transfer_pair_allowed", "{pot}, {cage}, 5, 'EUR', 'gift', NULL, NULL"),
    ("transfer_pair_allowed", "{rake}, {pot}, 5, 'EUR', 'gift', NULL, NULL"),
    ("insufficient funds", "{purse}, {pot}, 61, 'EUR', 'ante', NULL, NULL"),
    ("account_closed_empty", "{house}, {closed}, 5, 'EUR', 'win', NULL, NULL"),
    ("transfer_step_posted_once", "{house}, {pot}, 5, 'EUR', 'win', 1, NULL"),
    ("transfer_reversal_mirrors", "{purse}, {cage}, 50, 'EUR', 'deposit_reversal', NULL, {deposit}"),
    ("transfer_reversal_mirrors", "{pot}, {purse}, 40, 'EUR', 'deposit_reversal', NULL, {deposit}"),
]


def test_a_transfer_that_cannot_be_is_refused(owner_connection: psycopg.Connection, rows: dict[str, Any]) -> None:
    for name, values in IMPOSSIBLE:
        assert_refused(owner_connection, name, f"{TRANSFER} {values})".format(**rows))
    assert Transfer.objects.count() == 2
    assert balance(Account(pk=rows["purse"])) == 60


def test_a_reversal_happens_once_and_is_not_itself_reversed(owner_connection: psycopg.Connection, rows: dict[str, Any]) -> None:
    pay_back = "{purse}, {cage}, 100, 'EUR', 'deposit_reversal', NULL, {deposit})".format(**rows)
    move(Posting(rows["pot"], rows["purse"], 40, "refund"))
    owner_connection.execute(f"{TRANSFER} {pay_back}".encode())
    rows["reversal"] = Transfer.objects.latest("pk").pk
    move(Posting(rows["cage"], rows["purse"], 100, "deposit"))
    assert_refused(owner_connection, "transfer_reversed_once", f"{TRANSFER} {pay_back}")
    again = "{cage}, {purse}, 100, 'EUR', 'deposit', NULL, {reversal})".format(**rows)
    assert_refused(owner_connection, "transfer_reversal_mirrors", f"{TRANSFER} {again}")


def test_a_transfer_written_by_hand_moves_the_money_it_says(owner_connection: psycopg.Connection, rows: dict[str, Any]) -> None:
    forged = "{cage}, {purse}, 5, NULL, NULL, 1000000, 77)".format(**rows)
    owner_connection.execute(f"{TRANSFER_WITH_BALANCES} {forged}".encode())
    transfer = Transfer.objects.latest("pk")
    assert (transfer.credit_balance_after_minor, transfer.credit_sequence) == (65, 3)
    assert balance(Account(pk=rows["purse"])) == 65


BEHIND_TRIGGERS = [
    ("account_balance_in_bounds", "UPDATE wallets_account SET balance_minor = 9007199254740992 WHERE id = {purse}"),
    ("account_balance_in_bounds", "UPDATE wallets_account SET balance_minor = -1 WHERE id = {purse}"),
    ("account_fits_kind", "UPDATE wallets_account SET balance_minor = NULL WHERE id = {purse}"),
    ("account_fits_kind", "UPDATE wallets_account SET kind = 'rake' WHERE id = {purse}"),
    ("transfer_amount_in_bounds", TRANSFER_WITH_BALANCES + "{cage}, {purse}, 9007199254740992, NULL, NULL, NULL, NULL)"),
    ("transfer_between_two_accounts", TRANSFER_WITH_BALANCES + "{purse}, {purse}, 5, NULL, NULL, NULL, NULL)"),
    ("transfer_credit_sequence", TRANSFER_WITH_BALANCES + "{cage}, {purse}, 5, NULL, NULL, 105, 1)"),
    ("transfer_debit_sequence", TRANSFER_WITH_BALANCES + "{purse}, {cage}, 5, 55, 2, NULL, NULL)"),
]


def test_constraints_hold_behind_the_triggers(owner_connection: psycopg.Connection, rows: dict[str, Any]) -> None:
    owner_connection.execute("ALTER TABLE wallets_account DISABLE TRIGGER USER")
    owner_connection.execute("ALTER TABLE wallets_transfer DISABLE TRIGGER transfer_apply")
    for name, statement in BEHIND_TRIGGERS:
        assert_refused(owner_connection, name, statement.format(**rows))


NO_RIGHT = [
    "UPDATE wallets_account SET balance_minor = 5 WHERE id = {purse}",
    "UPDATE wallets_account SET sequence = 5 WHERE id = {purse}",
    "UPDATE wallets_account SET user_id = {berta} WHERE id = {purse}",
    "DELETE FROM wallets_account WHERE id = {closed}",
    "TRUNCATE wallets_account CASCADE",
    TRANSFER + "{cage}, {purse}, 5, 'EUR', 'deposit', NULL, NULL)",
    "UPDATE wallets_transfer SET amount_minor = 5",
    "DELETE FROM wallets_transfer",
    "TRUNCATE wallets_transfer",
    "ALTER TABLE wallets_account DISABLE TRIGGER account_moves_by_transfer",
    "ALTER TABLE wallets_transfer DISABLE TRIGGER wallets_transfer_append_only",
    "DROP TRIGGER transfer_apply ON wallets_transfer",
    "CREATE OR REPLACE FUNCTION transfer_apply() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RETURN NEW; END$$",
    "SET session_replication_role = replica",
]


def test_the_application_role_has_no_right_to_it(rows: dict[str, Any]) -> None:
    for statement in NO_RIGHT:
        with pytest.raises(DatabaseError, match=r"permission denied|must be owner"), connection.cursor() as cursor:
            cursor.execute(statement.format(**rows))


def test_the_application_role_cannot_pass_for_a_transfer(rows: dict[str, Any]) -> None:
    """A trigger on a table of one's own is as deep as the ledger's, but has no right to a balance."""
    with connection.cursor() as cursor:
        cursor.execute("CREATE TEMPORARY TABLE ladder (rung bigint)")
        cursor.execute("""
            CREATE FUNCTION pg_temp.climb() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN UPDATE wallets_account SET balance_minor = 1000000 WHERE kind = 'player'; RETURN NEW; END $$;
            CREATE TRIGGER climb BEFORE INSERT ON ladder FOR EACH ROW EXECUTE FUNCTION pg_temp.climb();
        """)
        with pytest.raises(DatabaseError, match="permission denied"):
            cursor.execute("INSERT INTO ladder VALUES (1)")


def test_posting_uses_the_ledgers_own_tables_whatever_the_caller_shadows(rows: dict[str, Any]) -> None:
    with connection.cursor() as cursor:
        cursor.execute("CREATE TEMPORARY TABLE wallets_account AS SELECT * FROM wallets_account")
        cursor.execute("UPDATE pg_temp.wallets_account SET balance_minor = 1000000")
    with pytest.raises(Refused) as refusal:
        move(Posting(rows["purse"], rows["pot"], 61, "ante"))
    assert refusal.value.details["available_minor"] == 60


def test_nobody_else_may_post(owner_connection: psycopg.Connection, rows: dict[str, Any]) -> None:
    asked = "SELECT has_function_privilege('public', 'ledger_post'::regproc::oid, 'EXECUTE')"
    assert owner_connection.execute(asked).fetchone() == (False,)


def test_the_orm_says_the_same(rows: dict[str, Any]) -> None:
    transfer = Transfer.objects.latest("pk")
    for attempt in (
        transfer.save,
        transfer.delete,
        Transfer.objects.all().delete,
        lambda: Transfer.objects.update(amount_minor=1),
    ):
        with pytest.raises(TypeError, match="append-only"):
            attempt()
    purse = Account.objects.get(pk=rows["purse"])
    for change in (lambda: Account.objects.update(balance_minor=1), purse.delete, purse.save):
        with pytest.raises(DatabaseError, match=r"permission denied|protected"):
            change()

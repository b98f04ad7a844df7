"""Recount the ledger from its transfers, and the rounds from their steps, and name every row that says otherwise."""

from dataclasses import dataclass
from pathlib import Path

from django.db import connection

LEDGER_CHECKS = Path(__file__).with_name("reconcile_ledger.sql").read_text()
ROUND_CHECKS = Path(__file__).with_name("reconcile_rounds.sql").read_text()


@dataclass(frozen=True, slots=True)
class Deviation:
    """A row that is not as the others say it must be. ``check`` names the rule, ``table`` and ``key`` the row."""

    check: str
    table: str
    key: str
    expected: str | None
    found: str | None

    def __str__(self) -> str:
        return f"{self.check}: {self.table} {self.key}: expected {self.expected}, found {self.found}"


def ledger_reconcile() -> list[Deviation]:
    """Find every deviation of accounts and transfers; none is the only good answer.

    **Rule** Balances and sequences follow from the transfers, step by step; all accounts of a currency together hold nothing; a
    closed escrow is empty; every transfer has its accounts, their currency, and a way that money may go.
    It is one statement, so that it sees one moment of a ledger in use.
    """
    return _found(LEDGER_CHECKS)


def rounds_reconcile() -> list[Deviation]:
    """Find every deviation of rounds from their steps and from the ledger.

    **Rule** Steps are numbered and chained without a gap; what a seat staked and got back is what moved; an open round's escrow
    holds what its seats hold, a closed one has none and a record; money enters and leaves an escrow by a step of its round only.
    """
    return _found(ROUND_CHECKS)


def books_reconcile() -> list[Deviation]:
    """Find every deviation of the ledger and of the rounds."""
    return [*ledger_reconcile(), *rounds_reconcile()]


def _found(checks: str) -> list[Deviation]:
    with connection.cursor() as cursor:
        cursor.execute(checks)
        return [Deviation(*row) for row in cursor.fetchall()]

"""Recount the ledger from its transfers and name every row that says otherwise."""

from dataclasses import dataclass
from pathlib import Path

from django.db import connection

LEDGER_CHECKS = Path(__file__).with_suffix(".sql").read_text()


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
    with connection.cursor() as cursor:
        cursor.execute(LEDGER_CHECKS)
        return [Deviation(*row) for row in cursor.fetchall()]

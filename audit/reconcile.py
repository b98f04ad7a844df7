"""Recount the ledger from its transfers, and the rounds from their steps, and name every row that says otherwise."""

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from django.db import DEFAULT_DB_ALIAS, connections


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


def _checks(name: str) -> str:
    return Path(__file__).with_name(f"reconcile_{name}.sql").read_text()


ACCOUNTS, LINES, OWNERS, TRANSFERS, TIES, ROUNDS, ACTS, KEPT = map(
    _checks, ("accounts", "lines", "owners", "transfers", "ties", "rounds", "acts", "kept")
)


def ledger_reconcile(*, using: str = DEFAULT_DB_ALIAS) -> list[Deviation]:
    """Find every deviation of accounts and transfers; none is the only good answer.

    **Rule** Balances and sequences follow from the transfers, step by step; all accounts of a currency together hold nothing; a
    closed escrow is empty; every transfer has its accounts, their currency, and a way that money may go.
    What holds between rows is one statement, so that it sees one moment of a ledger in use.
    """
    return [*_found(ACCOUNTS, using), *_found(TRANSFERS, using, keys=None)]


def rounds_reconcile(*, using: str = DEFAULT_DB_ALIAS) -> list[Deviation]:
    """Find every deviation of rounds from their steps and from the ledger.

    **Rule** Steps are numbered and chained without a gap; what a seat staked and got back is what moved; an open round's escrow
    holds what its seats hold, a closed one has none and a record; money enters and leaves an escrow by a step of its round only,
    and a cage by a movement over the counter that has exactly one audit record; an account belongs to the player whom its seats
    and those records name; what belongs to one act was written in one transaction.
    """
    return [found for checks in (ROUNDS, TIES, OWNERS, ACTS) for found in _found(checks, using, keys=None)]


def kept_reconcile(*, using: str = DEFAULT_DB_ALIAS) -> list[Deviation]:
    """Find every deviation of what the audit itself has kept.

    **Rule** A kept report has its hash and follows the version before it; a resolved finding has its record in the trail, and
    each finding the one before it.
    """
    return _found(KEPT, using)


def books_reconcile(*, using: str = DEFAULT_DB_ALIAS) -> list[Deviation]:
    """Find every deviation of the ledger, of the rounds and of what the audit has kept."""
    return [*ledger_reconcile(using=using), *rounds_reconcile(using=using), *kept_reconcile(using=using)]


def transfers_reconcile(keys: Collection[int]) -> list[Deviation]:
    """Find the deviations of some transfers and of the accounts that they touch, at a cost that follows from their number.

    **Rule** Each line of an account is held against the one before it. Where all are so looked at, one after the other, that says
    of an account what a recount says. Whose the account was at the line before is whose it must be.
    """
    return [found for checks in (LINES, TRANSFERS, TIES, OWNERS) for found in _found(checks, DEFAULT_DB_ALIAS, keys=keys)]


def some_rounds_reconcile(keys: Collection[int]) -> list[Deviation]:
    """Find the deviations of some rounds, at a cost that follows from their number."""
    return _found(ROUNDS, DEFAULT_DB_ALIAS, keys=keys)


def acts_reconcile(steps: Collection[int]) -> list[Deviation]:
    """Find which of the transfers and the records of some steps were not written in their steps' transactions."""
    return _found(ACTS, DEFAULT_DB_ALIAS, keys=steps)


def _found(checks: str, using: str, **scope: Collection[int] | None) -> list[Deviation]:
    with connections[using].cursor() as cursor:
        cursor.execute(checks, {name: None if keys is None else list(keys) for name, keys in scope.items()} or None)
        return sorted((Deviation(*row) for row in cursor.fetchall()), key=_place)


def _place(deviation: Deviation) -> tuple[str, str, list[str]]:
    """Where a deviation comes among others: what was written first is told of first, by the numbers of its keys."""
    return deviation.check, deviation.table, [part.zfill(20) for part in deviation.key.split("/")]

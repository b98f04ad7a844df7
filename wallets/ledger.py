"""The only code that moves money, and the accounts it moves between."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import accumulate
from typing import Any, Never
from uuid import UUID

from django.db import DatabaseError, connection
from psycopg import Error as PostgresError

from casino import metrics
from casino.errors import Refused
from casino.sql import Statement, together
from wallets.models import AMOUNT_MAX_MINOR, PAID_IN_MAX_MINOR, Account, AccountKind

_INSUFFICIENT_FUNDS = "CA001"
_BALANCE_TOO_LARGE = "CA002"
_POST = "SELECT * FROM ledger_post(%s::bigint[], %s::bigint[], %s::bigint[], %s::text[], %s::text[], %s::bigint[], %s, %s, %s)"


@dataclass(frozen=True, slots=True)
class Posting:
    """One amount to move from the debited account to the credited one. ``code`` says what for, ``reference`` is free text."""

    debit_account_id: int
    credit_account_id: int
    amount_minor: int
    code: str
    reference: str = ""
    reversal_of_id: int | None = None


@dataclass(frozen=True, slots=True)
class PostedTransfer:
    """What a posting became; balances and sequences are None on a side that stores none (house, rake, cage)."""

    posting: Posting
    id: int
    public_id: UUID
    at: datetime
    currency: str
    debit_balance_after_minor: int | None
    debit_sequence: int | None
    credit_balance_after_minor: int | None
    credit_sequence: int | None


def post(
    postings: Sequence[Posting],
    *,
    step_id: int | None,
    now: datetime | None,
    created_by_id: int | None = None,
    along: Sequence[Statement] = (),
) -> list[PostedTransfer]:
    """Move money: all postings in their order, or none; then carry out the statements ``along`` in the same round trip.

    **Rule** No balance is below zero after any of them, not even for a moment. A step's transfers are posted once. Without
    ``now`` the time is the database's, read under the locks.
    **Units** Integers of the currency's minor unit, 1 to 2^53 − 1; the currency is the accounts'.
    **Locks** The stored accounts, ascending by key. **Writes** One transfer per posting, in one call of the database.
    **Errors** Refused ``insufficient_funds`` (account_id, available_minor, required_minor), Refused ``balance_too_large``;
    ValueError for an amount that is none; RuntimeError outside a transaction, and when an escrow is short: no player's fault.
    """
    if not connection.in_atomic_block:
        raise RuntimeError("posting needs the transaction of what it pays for")
    for posting in postings:
        if type(posting.amount_minor) is not int or not 1 <= posting.amount_minor <= AMOUNT_MAX_MINOR:
            raise ValueError(f"{posting.amount_minor!r} is no amount")
    columns = (
        [p.debit_account_id for p in postings],
        [p.credit_account_id for p in postings],
        [p.amount_minor for p in postings],
        [p.code for p in postings],
        [p.reference for p in postings],
        [p.reversal_of_id for p in postings],
    )
    posted = Statement(_POST, [*columns, step_id, now, created_by_id])
    try:
        together(*([posted] if postings else []), *along)
    except DatabaseError as error:
        _refuse(error, postings)
    for code, number in Counter(columns[3]).items():
        metrics.count_on_commit(metrics.TRANSFERS_POSTED.labels(code), number)
    return [PostedTransfer(posting, *row) for posting, row in zip(postings, posted.rows, strict=True)]


def _refuse(error: DatabaseError, postings: Sequence[Posting]) -> Never:
    cause = error.__cause__
    if isinstance(cause, PostgresError) and cause.sqlstate == _INSUFFICIENT_FUNDS:
        found = json.loads(cause.diag.message_detail or "")
        if found.pop("kind") != AccountKind.PLAYER:
            raise RuntimeError(f"an escrow is short: {found}") from error
        raise _insufficient_funds(postings, **found) from error
    if isinstance(cause, PostgresError) and cause.sqlstate == _BALANCE_TOO_LARGE:
        raise Refused("balance_too_large", max_minor=PAID_IN_MAX_MINOR) from error
    raise error


def _insufficient_funds(postings: Sequence[Posting], account_id: str, index: int, balance_minor: int) -> Refused:
    """Tell what the account had before the first posting, and the most that the postings need of it at once."""
    account = postings[index].debit_account_id
    drawn = [p.amount_minor * ((p.debit_account_id == account) - (p.credit_account_id == account)) for p in postings]
    return Refused(
        "insufficient_funds",
        account_id=account_id,
        available_minor=balance_minor + sum(drawn[:index]),
        required_minor=max(accumulate(drawn)),
    )


def player_account(user_id: int, currency: str) -> Account:
    """Find or open a player's account in a currency."""
    return _account(kind=AccountKind.PLAYER, currency=currency, user_id=user_id)


def house_account(hall_id: int, currency: str) -> Account:
    """Find or open the account that a hall plays from."""
    return _account(kind=AccountKind.HOUSE, currency=currency, hall_id=hall_id)


def rake_account(hall_id: int, currency: str) -> Account:
    """Find or open the account that a hall's rake goes to."""
    return _account(kind=AccountKind.RAKE, currency=currency, hall_id=hall_id)


def cage_account(hall_id: int, currency: str) -> Account:
    """Find or open the account that a hall's players pay in from and are paid out to."""
    return _account(kind=AccountKind.CAGE, currency=currency, hall_id=hall_id)


def escrow_open(round_reference: UUID, currency: str) -> Account:
    """Open the account that holds what is staked in a round; ``round_reference`` is the round's public id."""
    return Account.objects.create(
        kind=AccountKind.ESCROW, currency=currency, round_reference=round_reference, balance_minor=0, sequence=0
    )


def escrow_close(escrow_id: int, *, now: datetime) -> None:
    """Close a round's escrow for good. The database refuses it (IntegrityError) while there is money in it."""
    if not Account.objects.filter(pk=escrow_id, kind=AccountKind.ESCROW, closed_at=None).update(closed_at=now):
        raise RuntimeError(f"account {escrow_id} is no open escrow")


def _account(**identity: Any) -> Account:
    """Find or open. Of two that open at once, one inserts and both find the same."""
    found = Account.objects.filter(**identity).first()
    if found is None:
        stored = 0 if identity["kind"] == AccountKind.PLAYER else None
        Account.objects.bulk_create([Account(**identity, balance_minor=stored, sequence=stored)], ignore_conflicts=True)
        found = Account.objects.get(**identity)
    return found

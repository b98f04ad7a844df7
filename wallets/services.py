"""Money over the counter: paid in, paid out, and a mistaken payment put right."""

from datetime import datetime
from typing import Any
from uuid import UUID

from audit.trail import audit_record
from casino.db import unit_of_work
from casino.errors import Conflict, Forbidden, NotFound, Refused
from casino.permissions import Role
from casino.users.models import User
from wallets import ledger, locks, selectors
from wallets.ledger import PostedTransfer, Posting
from wallets.models import Account, AccountKind, StatementLine, Transfer

DEPOSIT = "deposit"
WITHDRAWAL = "withdrawal"
DEPOSIT_REVERSAL = "deposit_reversal"


def deposit_create(
    *,
    actor: User,
    hall_id: UUID,
    amount_minor: int,
    currency: str,
    player_id: UUID | None = None,
    username: str | None = None,
    reference: str = "",
    now: datetime | None = None,
) -> StatementLine:
    """Credit a player with money that a hall's cashier has taken in.

    **Errors** NotFound (hall, player); Forbidden to others than the hall's cashiers, and for one's own account; Refused
    ``currency_not_of_hall``, ``user_disabled``, ``balance_too_large``.
    """
    with unit_of_work():
        hall = _hall_served(actor, hall_id)
        player = _player_served(actor, player_id, username)
        _check_currency(hall, currency)
        if not player.is_active:
            raise Refused("user_disabled", field="player_id" if player_id else "username")
        account = ledger.player_account(player.pk, currency)
        cage = ledger.cage_account(hall.pk, currency)
        posting = Posting(cage.pk, account.pk, amount_minor, DEPOSIT, reference)
        return _carry_out(posting, actor=actor, hall=hall, account=account, action="deposit_created", now=now)


def withdrawal_create(
    *,
    actor: User,
    hall_id: UUID,
    amount_minor: int,
    currency: str,
    player_id: UUID | None = None,
    username: str | None = None,
    reference: str = "",
    now: datetime | None = None,
) -> StatementLine:
    """Debit a player with money that a hall's cashier pays out. What is held in open rounds is not the player's to withdraw.

    **Rule** A disabled player is paid out too: the money is theirs.
    **Errors** NotFound (hall, player); Forbidden to others than the hall's cashiers, and for one's own account; Refused
    ``currency_not_of_hall``, ``insufficient_funds``.
    """
    with unit_of_work():
        hall = _hall_served(actor, hall_id)
        player = _player_served(actor, player_id, username)
        _check_currency(hall, currency)
        account = ledger.player_account(player.pk, currency)
        cage = ledger.cage_account(hall.pk, currency)
        posting = Posting(account.pk, cage.pk, amount_minor, WITHDRAWAL, reference)
        return _carry_out(posting, actor=actor, hall=hall, account=account, action="withdrawal_created", now=now)


def deposit_reverse(*, actor: User, transfer_id: UUID, reason: str, now: datetime | None = None) -> StatementLine:
    """Take a mistaken deposit back by a further transfer, once.

    **Errors** NotFound, also to others than the hall's cashiers and supervisors; Forbidden for one's own account; Conflict
    ``transfer_already_reversed``; Refused ``transfer_not_reversible`` for anything but a deposit, ``insufficient_funds`` when the
    player no longer has the money.
    **Locks** The player's account, before it looks for an earlier reversal.
    """
    with unit_of_work():
        halls = ("debit_account__hall", "credit_account__hall")
        deposit = Transfer.objects.select_related(*halls).filter(public_id=transfer_id).first()
        hall = deposit and (deposit.debit_account.hall or deposit.credit_account.hall)
        if deposit is None or not (actor.has_role(Role.SUPERVISOR) or hall is None or actor.has_role(Role.CASHIER, hall=hall)):
            raise NotFound("not_found")
        if deposit.code != DEPOSIT or deposit.debit_account.kind != AccountKind.CAGE:
            raise Refused("transfer_not_reversible", transfer_code=deposit.code)
        _refuse_own_account(actor, deposit.credit_account.user_id)
        locks.accounts_lock([deposit.credit_account_id])
        if Transfer.objects.filter(reversal_of=deposit).exists():
            raise Conflict("transfer_already_reversed")
        posting = Posting(
            deposit.credit_account_id,
            deposit.debit_account_id,
            deposit.amount_minor,
            DEPOSIT_REVERSAL,
            deposit.reference,
            reversal_of_id=deposit.pk,
        )
        return _carry_out(
            posting,
            actor=actor,
            hall=hall,
            account=deposit.credit_account,
            action="deposit_reversed",
            now=now,
            reason=reason,
            detail={"reversal_of": str(deposit.public_id)},
        )


def _hall_served(actor: User, hall_id: UUID) -> Any:
    hall = selectors.hall_get(viewer=actor, hall_id=hall_id)
    if not actor.has_role(Role.CASHIER, hall=hall):
        raise Forbidden("forbidden", field="hall_id")
    return hall


def _check_currency(hall: Any, currency: str) -> None:
    if hall.currency != currency:
        raise Refused("currency_not_of_hall", field="currency", currency=hall.currency)


def _player_served(actor: User, player_id: UUID | None, username: str | None) -> User:
    player = selectors.player_get(player_id=player_id, username=username)
    _refuse_own_account(actor, player.pk)
    return player


def _refuse_own_account(actor: User, owner_id: int | None) -> None:
    if owner_id == actor.pk:
        raise Forbidden("own_account_forbidden")


def _carry_out(
    posting: Posting,
    *,
    actor: User,
    hall: Any,
    account: Account,
    action: str,
    now: datetime | None,
    reason: str = "",
    detail: dict[str, str] | None = None,
) -> StatementLine:
    """Post one movement over the counter with its audit record."""
    (posted,) = ledger.post([posting], step_id=None, now=now, created_by_id=actor.pk)
    line = selectors.statement(account_id=account.pk).get(transfer=posted.id)
    audit_record(
        actor=actor,
        action=action,
        subject=line.transfer,
        before={"balance_minor": line.balance_before_minor},
        after=_after(line, posted) | (detail or {}),
        reason=reason,
        hall=hall,
    )
    return line


def _after(line: StatementLine, posted: PostedTransfer) -> dict[str, Any]:
    return {
        "balance_minor": line.balance_after_minor,
        "amount_minor": posted.posting.amount_minor,
        "currency": posted.currency,
        "account_id": str(line.account.public_id),
        "reference": posted.posting.reference,
    }

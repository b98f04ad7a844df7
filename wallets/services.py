"""Money over the counter: paid in, paid out, and a mistaken payment put right."""

from datetime import datetime
from typing import Any
from uuid import UUID

from audit.trail import audit_record
from casino.db import unit_of_work
from casino.errors import Conflict, Forbidden, InvalidInput, NotFound, Refused
from casino.permissions import Role
from casino.users.models import User
from wallets import ledger, locks, selectors
from wallets.ledger import PostedTransfer, Posting
from wallets.models import Account, AccountKind, Direction, StatementLine, Transfer

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
        player, account, cage = _counter(actor, hall_id, currency, player_id, username)
        if not player.is_active:
            raise Refused("user_disabled", field="player_id" if player_id else "username")
        posting = Posting(cage.pk, account.pk, amount_minor, DEPOSIT, reference)
        return _carry_out(posting, actor=actor, account=account, cage=cage, action="deposit_created", now=now)


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
        _, account, cage = _counter(actor, hall_id, currency, player_id, username)
        posting = Posting(account.pk, cage.pk, amount_minor, WITHDRAWAL, reference)
        return _carry_out(posting, actor=actor, account=account, cage=cage, action="withdrawal_created", now=now)


def deposit_reverse(*, actor: User, transfer_id: UUID, reason: str, now: datetime | None = None) -> StatementLine:
    """Take a mistaken deposit back by a further transfer, once.

    **Errors** NotFound, also to others than the hall's cashiers and supervisors; Forbidden for one's own account; Conflict
    ``transfer_already_reversed``; Refused ``transfer_not_reversible`` for anything but a deposit, ``insufficient_funds`` when the
    player no longer has the money.
    **Locks** The player's account, before it looks for an earlier reversal.
    """
    with unit_of_work():
        parties = ("debit_account__hall", "credit_account__hall", "credit_account__user")
        deposit = Transfer.objects.select_related(*parties).filter(public_id=transfer_id).first()
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
            account=deposit.credit_account,
            cage=deposit.debit_account,
            action="deposit_reversed",
            now=now,
            reason=reason,
            reversal_of=deposit,
        )


def _counter(
    actor: User, hall_id: UUID, currency: str, player_id: UUID | None, username: str | None
) -> tuple[User, Account, Account]:
    """Return the player whom a hall's cashier serves, the player's account and the hall's cage; open what is missing."""
    is_clear = (player_id is None) != (username is None)
    found = selectors.counter_find(
        viewer=actor,
        hall_id=hall_id,
        currency=currency,
        player_id=player_id,
        username=username if is_clear else None,
    )
    hall, player = found.hall, found.player
    if hall is None:
        raise NotFound("not_found", field="hall_id")
    if not actor.has_role(Role.CASHIER, hall=hall):
        raise Forbidden("forbidden", field="hall_id")
    if not is_clear:
        raise InvalidInput("invalid_input", "Name the player by player_id or by username, not both.", field="player_id")
    if player is None:
        raise NotFound("not_found", field="username" if player_id is None else "player_id")
    _refuse_own_account(actor, player.pk)
    if hall.currency != currency:
        raise Refused("currency_not_of_hall", field="currency", currency=hall.currency)
    account = found.account or ledger.player_account(player.pk, currency)
    cage = found.cage or ledger.cage_account(hall.pk, currency)
    account.user, cage.hall = player, hall
    return player, account, cage


def _refuse_own_account(actor: User, owner_id: int | None) -> None:
    if owner_id == actor.pk:
        raise Forbidden("own_account_forbidden")


def _carry_out(
    posting: Posting,
    *,
    actor: User,
    account: Account,
    cage: Account,
    action: str,
    now: datetime | None,
    reason: str = "",
    reversal_of: Transfer | None = None,
) -> StatementLine:
    """Post one movement over the counter with its audit record; return it as the player's account sees it."""
    (posted,) = ledger.post([posting], step_id=None, now=now, created_by_id=actor.pk)
    line = _line(posted, actor=actor, account=account, cage=cage, reversal_of=reversal_of)
    audit_record(
        actor=actor,
        action=action,
        subject=line.transfer,
        before={"balance_minor": line.balance_before_minor},
        after=_after(line) | ({"reversal_of": str(reversal_of.public_id)} if reversal_of else {}),
        reason=reason,
        hall=cage.hall_id,
    )
    return line


def _line(posted: PostedTransfer, *, actor: User, account: Account, cage: Account, reversal_of: Transfer | None) -> StatementLine:
    """Make the line that the transfer just posted is in the player's statement; nothing of it need be read again."""
    is_in = posted.posting.credit_account_id == account.pk
    transfer = Transfer(
        id=posted.id,
        public_id=posted.public_id,
        at=posted.at,
        index=0,
        debit_account=cage if is_in else account,
        credit_account=account if is_in else cage,
        amount_minor=posted.posting.amount_minor,
        currency=posted.currency,
        code=posted.posting.code,
        reference=posted.posting.reference,
        reversal_of=reversal_of,
        created_by=actor,
        debit_balance_after_minor=posted.debit_balance_after_minor,
        debit_sequence=posted.debit_sequence,
        credit_balance_after_minor=posted.credit_balance_after_minor,
        credit_sequence=posted.credit_sequence,
    )
    transfer._state.adding = False
    account.balance_minor = posted.credit_balance_after_minor if is_in else posted.debit_balance_after_minor
    account.sequence = posted.credit_sequence if is_in else posted.debit_sequence
    return StatementLine(
        transfer=transfer,
        account=account,
        counterpart=cage,
        direction=Direction.IN if is_in else Direction.OUT,
        amount_minor=transfer.amount_minor,
        sequence=account.sequence,
        balance_after_minor=account.balance_minor,
    )


def _after(line: StatementLine) -> dict[str, Any]:
    """Tell what a movement came to, and whose the account is: the audit holds the account's owner against it."""
    assert line.account.user is not None
    return {
        "balance_minor": line.balance_after_minor,
        "amount_minor": line.amount_minor,
        "currency": line.transfer.currency,
        "account_id": str(line.account.public_id),
        "player_id": str(line.account.user.public_id),
        "reference": line.transfer.reference,
    }

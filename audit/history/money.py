"""The money of a closed round's steps, from the ledger."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from games.rounds.models import Round, RoundStep
from wallets.models import Account, Transfer


@dataclass(frozen=True, slots=True)
class StepMoney:
    """What the ledger tells of a step: its transfers, and balances before and after it, of the escrow and of seats' accounts.

    **Rule** A seat's balance is told where the step moved its money, or was the seat's own; other rounds may have moved it in
    between.
    **Units** minor units.
    """

    transfers: list[dict[str, Any]]
    escrow: tuple[int, int]
    available: dict[int, tuple[int, int]]


def money_of_steps(row: Round, seqs: Sequence[int]) -> dict[int, StepMoney]:
    """Return the money of some steps of a round, by their numbers."""
    # From the opening on: what the escrow holds before a step, the transfers of those before it tell.
    steps = RoundStep.objects.filter(round=row, seq__lte=max(seqs, default=-1)).order_by("seq").defer("secret")
    seats = {seat.account_id: seat.index for seat in row.seats.all()}
    transfers: dict[int | None, list[Transfer]] = {}
    rows = Transfer.objects.filter(step_id__in=[step.pk for step in steps]).order_by("step_id", "index")
    for transfer in rows.select_related("debit_account", "credit_account"):
        transfers.setdefault(transfer.step_id, []).append(transfer)
    money, escrow = {}, 0
    for step in steps:
        made, before = transfers.get(step.pk, []), escrow
        for account, _, balance_after in chain.from_iterable(map(_sides, made)):
            escrow = balance_after if account.pk == row.escrow_id and balance_after is not None else escrow
        if step.seq in seqs:
            told = [_told(each, seats) for each in made]
            money[step.seq] = StepMoney(told, (before, escrow), _available(step, made, seats))
    return money


def _sides(transfer: Transfer) -> tuple[tuple[Account, int, int | None], ...]:
    """Return a transfer's two accounts, each with what it would have had less without the transfer, and its balance after."""
    return (
        (transfer.debit_account, -transfer.amount_minor, transfer.debit_balance_after_minor),
        (transfer.credit_account, transfer.amount_minor, transfer.credit_balance_after_minor),
    )


def _available(step: RoundStep, made: Sequence[Transfer], seats: dict[int, int]) -> dict[int, tuple[int, int]]:
    """Return what seats' accounts held before and after a step."""
    moved: dict[int, tuple[int, int]] = {}
    for account, gained, after in chain.from_iterable(map(_sides, made)):
        if account.pk in seats and after is not None:
            seat = seats[account.pk]
            moved[seat] = (moved.get(seat, (after - gained, after))[0], after)
    if step.seat is not None and step.available_minor is not None:
        moved.setdefault(step.seat, (step.available_minor, step.available_minor))
    return moved


def _told(transfer: Transfer, seats: dict[int, int]) -> dict[str, Any]:
    """Return a transfer with its two sides: whose account, and of a seat which one."""
    return {
        "id": str(transfer.public_id),
        "index": transfer.index,
        "code": transfer.code,
        "amount_minor": transfer.amount_minor,
        "from": _side(transfer.debit_account, transfer.debit_balance_after_minor, seats),
        "to": _side(transfer.credit_account, transfer.credit_balance_after_minor, seats),
    }


def _side(account: Account, balance_after_minor: int | None, seats: dict[int, int]) -> dict[str, Any]:
    return {"kind": account.kind, "seat": seats.get(account.pk), "balance_after_minor": balance_after_minor}

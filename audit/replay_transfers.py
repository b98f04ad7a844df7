"""A round's transfers, as the ledger has them and as its record tells them."""

from collections.abc import Collection, Iterator, Sequence
from typing import Any, NamedTuple
from uuid import UUID

from games.core.engine import Json
from games.rounds.models import Round, RoundSeat, RoundStep
from wallets.models import Transfer


class Moved(NamedTuple):
    """A transfer as the ledger has it, with what of its accounts a record tells."""

    public_id: UUID
    step_id: int
    place: int
    code: str
    amount_minor: int
    currency: str
    debit_account_id: int
    debit_kind: str
    debit_hall_id: int | None
    credit_account_id: int
    credit_kind: str
    credit_hall_id: int | None


_MOVED = (
    "public_id", "step_id", "index", "code", "amount_minor", "currency", "debit_account_id", "debit_account__kind",
    "debit_account__hall_id", "credit_account_id", "credit_account__kind", "credit_account__hall_id",
)  # fmt: skip


def transfers_moved(steps: Collection[int], *, using: str) -> Iterator[Moved]:
    """Read the transfers that steps made."""
    for values in Transfer.objects.using(using).filter(step_id__in=steps).values_list(*_MOVED):
        yield Moved(*values)


def transfer_deviations(
    row: Round, seats: Sequence[RoundSeat], steps: Sequence[RoundStep], transfers: Sequence[Moved], record: Json
) -> Iterator[str]:
    """Match the record's transfers one to one with the ledger's."""
    accounts = {seat.index: seat.account_id for seat in seats}
    numbers = {step.pk: step.seq for step in steps}
    ledger = {str(moved.public_id): moved for moved in transfers}
    for recorded in record["transfers"]:
        moved = ledger.pop(recorded["id"], None)
        if moved is None:
            yield f"transfer {recorded['id']} of round {row.public_id} is not in the ledger"
        elif _as_told(moved, numbers) != _told(recorded, row, accounts):
            yield f"transfer {recorded['id']} of round {row.public_id} is not what the record tells"
    for public_id in ledger:
        yield f"transfer {public_id} of round {row.public_id} is not in the record"


def _as_told(moved: Moved, steps: dict[int, int]) -> tuple[Any, ...]:
    """Return a transfer as a record tells it: players and escrows are accounts, the rest is the hall's."""
    debit, credit = (
        account if kind in ("player", "escrow") else (kind, hall)
        for account, kind, hall in (
            (moved.debit_account_id, moved.debit_kind, moved.debit_hall_id),
            (moved.credit_account_id, moved.credit_kind, moved.credit_hall_id),
        )
    )
    return (steps[moved.step_id], moved.place, moved.code, moved.amount_minor, moved.currency, debit, credit)


def _told(recorded: Json, row: Round, accounts: dict[int, int]) -> tuple[Any, ...]:
    player = accounts.get(recorded["seat"], 0)
    house, rake = ("house", row.hall_id), ("rake", row.hall_id)
    debit, credit = {
        "hold": (player, row.escrow_id),
        "fund": (house, row.escrow_id),
        "release": (row.escrow_id, player),
        "collect": (row.escrow_id, house),
        "rake": (row.escrow_id, rake),
    }[recorded["kind"]]
    code = f"{recorded['kind']}.{recorded['code']}"
    return (
        recorded["seq"], recorded["index"], code, recorded["amount_minor"], recorded["currency"], debit, credit,
    )  # fmt: skip

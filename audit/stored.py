"""Closed rounds as the database holds them, read with all that belongs to them."""

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import NamedTuple
from uuid import UUID

from django.db import DEFAULT_DB_ALIAS

from games.rounds.models import Round, RoundRecord, RoundSeat, RoundStep
from wallets.models import Transfer


class Moved(NamedTuple):
    """A transfer as the ledger has it, with what of its accounts a record tells."""

    public_id: UUID
    step_id: int
    place: int
    code: str
    amount_minor: int
    currency: str
    debit_account_id: UUID
    debit_kind: str
    debit_hall_id: UUID | None
    credit_account_id: UUID
    credit_kind: str
    credit_hall_id: UUID | None


_MOVED = (
    "public_id", "step_id", "index", "code", "amount_minor", "currency", "debit_account__public_id", "debit_account__kind",
    "debit_account__hall__public_id", "credit_account__public_id", "credit_account__kind", "credit_account__hall__public_id",
)  # fmt: skip


_BESIDE = (
    "round__hall", "round__table", "round__escrow", "round__limit_set", "round__pay_table", "round__commitment__user",
    "round__commitment__hall", "round__commitment__table",
)  # fmt: skip
"""Read apart, not joined, and so is the round: the replay of one that is gone, or that points to what is, must fail, not be
missing among the others."""


@dataclass(slots=True)
class Stored:
    """A closed round as the database holds it."""

    record: RoundRecord
    seats: list[RoundSeat] = field(default_factory=list)
    steps: list[RoundStep] = field(default_factory=list)
    transfers: list[Moved] = field(default_factory=list)

    @property
    def row(self) -> Round:
        return self.record.round


def rounds_stored(keys: Collection[int], *, using: str = DEFAULT_DB_ALIAS) -> list[Stored]:
    """Read closed rounds with all that belongs to them, in as many queries for many as for one.

    **Rule** Once a round's record is there nothing of it changes any more: it does not matter when each query reads.
    """
    records = RoundRecord.objects.using(using).filter(pk__in=keys).order_by("pk").prefetch_related(*_BESIDE)
    found = {record.pk: Stored(record) for record in records}
    seats = RoundSeat.objects.using(using).select_related("user", "hall", "table", "account__user").filter(round_id__in=found)
    for seat in seats.order_by("index"):
        found[seat.round_id].seats.append(seat)
    of_step: dict[int, Stored] = {}
    for step in RoundStep.objects.using(using).filter(round_id__in=found).order_by("seq"):
        found[step.round_id].steps.append(step)
        of_step[step.pk] = found[step.round_id]
    for values in Transfer.objects.using(using).filter(step_id__in=list(of_step)).values_list(*_MOVED):
        moved = Moved(*values)
        of_step[moved.step_id].transfers.append(moved)
    return list(found.values())

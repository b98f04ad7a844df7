"""A second look at closed rounds: the offline verifier over the record, and the record against what the database holds."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from casino.errors import Conflict, NotFound
from games.core.codec import parse
from games.core.engine import Json
from games.core.errors import InvalidData
from games.core.record import head_hash
from games.engines import engine_for
from games.rounds.cipher import Tampered
from games.rounds.models import Round, RoundRecord, RoundStep
from games.rounds.records import iso, step_unsealed
from games.verify import Divergence, verify
from wallets.models import Transfer


@dataclass(frozen=True, slots=True)
class ReplayReport:
    """What a replay found: nothing amiss, or each thing that is, naming its row."""

    round_id: UUID
    record_hash: str
    verdict: str | None
    deviations: tuple[str, ...]

    @property
    def is_clean(self) -> bool:
        return not self.deviations


def round_audit(*, round_id: UUID) -> ReplayReport:
    """Replay a closed round by the offline verifier, then match its record with the stored steps, totals and transfers.

    **Errors** NotFound; Conflict ``round_open``.
    """
    # Record and round in one statement: once the record is there, nothing of the round changes any more.
    related = ("round__commitment", "round__limit_set", "round__pay_table")
    stored = RoundRecord.objects.select_related(*related).filter(round__commitment_id=round_id).first()
    if stored is None:
        raise Conflict("round_open") if Round.objects.filter(commitment_id=round_id).exists() else NotFound("not_found")
    row = stored.round
    try:
        verdict = str(verify(stored.document.encode()))
    except Divergence as divergence:
        return ReplayReport(round_id, stored.record_hash, None, (f"record: {divergence}",))
    record = parse(stored.document.encode())
    deviations = (*_round_deviations(row, stored, record), *_step_deviations(row, record), *_transfer_deviations(row, record))
    return ReplayReport(round_id, stored.record_hash, verdict, deviations)


def _terms_complete(row: Round, setup: Json) -> Json:
    """Return the round's limit set and pay table as its game completes them; as they are, where they make no sense to it."""
    terms = {"limits": row.limit_set.data, "pay_table": row.pay_table.data}
    engine = engine_for(row.game, row.rules_version)
    try:
        return engine.dump_setup(engine.parse_setup({**setup, **terms}))
    except InvalidData:
        return terms


def _round_deviations(row: Round, stored: RoundRecord, record: Json) -> Iterator[str]:
    """Match the record with the round's own columns, its commitment and its seats."""
    head, last = record["head"], record["steps"][-1]
    terms = _terms_complete(row, head["setup"])
    pairs = {
        "record hash": (stored.record_hash, record["record_hash"]),
        "head": (row.head, head),
        "game": ((row.game, row.rules_version, row.engine_digest), (head["game"], head["rules_version"], head["engine_digest"])),
        "currency": (row.currency, head["currency"]),
        "status": (row.status, record["result"]["status"]),
        "last hash": (row.last_hash, last["hash"]),
        "closing time": (row.closed_at and iso(row.closed_at), last["at"]),
        "seed hash": (row.commitment.seed_hash, head["seed_hash"]),
        "limit set": (terms["limits"], head["setup"]["limits"]),
        "pay table": (terms["pay_table"], head["setup"]["pay_table"]),
        "chain": (head_hash(row.head), record["steps"][0]["previous_hash"]),
    }
    for name, (kept, recorded) in pairs.items():
        if kept != recorded:
            yield f"{name} of round {row.public_id}: the row has {kept}, the record {recorded}"
    seats = list(row.seats.order_by("index"))
    if len(seats) != len(head["seats"]):
        yield f"round {row.public_id} has {len(seats)} seats, its record {len(head['seats'])}"
    for seat, total in zip(seats, record["result"]["seats"], strict=False):
        kept = (seat.staked_minor, seat.returned_minor)
        if kept != (total["staked_minor"], total["returned_minor"]):
            yield f"seat {seat.index} of round {row.public_id}: the row has {kept}, the record {total}"


def _step_deviations(row: Round, record: Json) -> Iterator[str]:
    """Match the record's steps with the stored ones."""
    rows = list(RoundStep.objects.filter(round=row).order_by("seq"))
    if len(rows) != len(record["steps"]):
        yield f"round {row.public_id} has {len(rows)} steps, its record {len(record['steps'])}"
    for step, recorded in zip(rows, record["steps"], strict=False):
        kept = (step.seq, iso(step.at), step.seat, step.turn, step.origin, step.previous_hash, step.hash)
        if kept != tuple(recorded[key] for key in ("seq", "at", "seat", "turn", "origin", "previous_hash", "hash")):
            yield f"step {step.seq} of round {row.public_id}: the row is not the one of the record"
        elif not _same_secret(row, step, recorded):
            yield f"step {step.seq} of round {row.public_id}: what it hides is not what the record tells"


def _same_secret(row: Round, step: RoundStep, recorded: Json) -> bool:
    try:
        return step_unsealed(row, step) == recorded
    except Tampered:
        return False


def _transfer_deviations(row: Round, record: Json) -> Iterator[str]:
    """Match the record's transfers one to one with the ledger's."""
    seats = {seat.index: seat.account_id for seat in row.seats.all()}
    steps = dict(RoundStep.objects.filter(round=row).values_list("pk", "seq"))
    ledger = {
        str(made.public_id): made
        for made in Transfer.objects.filter(step_id__in=steps).select_related("debit_account", "credit_account")
    }
    for recorded in record["transfers"]:
        made = ledger.pop(recorded["id"], None)
        if made is None:
            yield f"transfer {recorded['id']} of round {row.public_id} is not in the ledger"
        elif _moved(made, steps) != _told(recorded, row, seats):
            yield f"transfer {recorded['id']} of round {row.public_id} is not what the record tells"
    for public_id in ledger:
        yield f"transfer {public_id} of round {row.public_id} is not in the record"


def _moved(made: Transfer, steps: dict[int, int]) -> tuple[Any, ...]:
    sides = [
        account.pk if account.kind in ("player", "escrow") else (account.kind, account.hall_id)
        for account in (made.debit_account, made.credit_account)
    ]
    return (steps[made.step_id or 0], made.index, made.code, made.amount_minor, made.currency, *sides)


def _told(recorded: Json, row: Round, seats: dict[int, int]) -> tuple[Any, ...]:
    player = seats.get(recorded["seat"], 0)
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

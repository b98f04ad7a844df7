"""The record of a round: its head before the first step, its document after the last."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from games.core import record
from games.core.codec import canonical
from games.core.engine import Engine, Json, Move
from games.rounds import cipher
from games.rounds.commitments import commitment_seed
from games.rounds.models import Round, RoundRecord, RoundSeat, RoundStep
from games.rounds.position import Position
from wallets.models import Transfer


def iso(moment: datetime) -> str:
    """Write a time as records do: UTC, six digits, ``Z``."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds")[: -len("+00:00")] + "Z"


def record_head(row: Round, seats: Sequence[RoundSeat], setup: Json) -> dict[str, Any]:
    """Return what is fixed before the first step."""
    return {
        "round_id": str(row.public_id),
        "game": row.game,
        "rules_version": row.rules_version,
        "engine_digest": row.engine_digest,
        "hall": {"id": str(row.hall.public_id), "name": row.hall.name},
        "currency": row.currency,
        "seats": [{"seat": s.index, "player": str(s.user.public_id), "client_seed": s.client_seed} for s in seats],
        "setup": setup,
        "seed_hash": row.commitment.seed_hash,
        "opened_at": iso(row.opened_at),
    }


def step_unsealed(row: Round, step: RoundStep) -> dict[str, Any]:
    """Return a step as the record keeps it."""
    hidden = cipher.unseal(row.public_id, f"step {step.seq}", step.secret)
    return {
        "seq": step.seq,
        "at": iso(step.at),
        "seat": step.seat,
        "turn": step.turn,
        "origin": step.origin,
        **hidden,
        "previous_hash": step.previous_hash,
        "hash": step.hash,
    }


def step_moves(step: Json) -> list[Move]:
    """Return the moves of a step of the record."""
    return [Move(move["kind"], move["seat"], move["amount_minor"], move["code"]) for move in step["moves"]]


def record_write(row: Round, seats: Sequence[RoundSeat], *, engine: Engine[Any, Any, Any], position: Position) -> RoundRecord:
    """Write the plain record of a round that has just closed, in the transaction that closes it."""
    rows = list(RoundStep.objects.filter(round=row).order_by("seq"))
    steps = [step_unsealed(row, step) for step in rows]
    transfers = Transfer.objects.filter(step_id__in=[step.pk for step in rows]).order_by("id")
    moves = [(step["seq"], index, move) for step in steps for index, move in enumerate(step_moves(step))]
    document = record.build_record(
        head=row.head,
        server_seed=commitment_seed(row.commitment).hex(),
        steps=steps,
        result=record.build_result(
            moves=[move for _, _, move in moves],
            seats=len(seats),
            outcome=engine.result(position.state) if position.status == Round.Status.SETTLED else None,
        ),
        transfers=[
            record.transfer_json(seq=seq, index=index, id=str(made.public_id), move=move, currency=row.currency)
            for (seq, index, move), made in zip(moves, transfers, strict=True)
        ],
    )
    return RoundRecord.objects.create(round=row, document=canonical(document).decode(), record_hash=document["record_hash"])

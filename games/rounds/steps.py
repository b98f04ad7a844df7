"""Steps inside a service's transaction: append one to a locked round, and close the round when nobody is left to act."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any
from uuid import UUID

from casino import metrics
from casino.sql import Statement, change, insertion
from casino.streams.publishing import stream_publish
from games.core import record
from games.core.engine import Engine, Event, Json, Move
from games.rounds import cipher
from games.rounds.models import Round, RoundSeat, RoundStep
from games.rounds.position import Position, SeatPosition
from games.rounds.records import iso, record_write
from wallets import ledger
from wallets.ledger import Posting


@dataclass(slots=True)
class LockedRound:
    """A round that this transaction holds: its seats in order, its engine, where it stands, and the account it is played from."""

    row: Round
    seats: list[RoundSeat]
    engine: Engine[Any, Any, Any]
    position: Position
    house_id: int


@dataclass(frozen=True, slots=True)
class StepTaken:
    """A step with the round as it stood right after it: what the answer to a request is made of, at once and at every retry."""

    row: Round
    seats: Sequence[RoundSeat]
    engine: Engine[Any, Any, Any]
    position: Position
    events: Sequence[Event]
    step: RoundStep

    @property
    def round_id(self) -> UUID:
        """The round's public id."""
        return self.row.public_id


def step_append(
    locked: LockedRound,
    *,
    position: Position,
    at: datetime,
    origin: RoundStep.Origin,
    seat: int | None,
    action: Json,
    events: Sequence[Event],
    moves: Sequence[Move],
    step_id: int,
) -> StepTaken:
    """Post a step's moves, chain the step, store where the round stands after it, and close the round when it is over.

    **Errors** Refused ``insufficient_funds``. **Locks** the accounts, ascending, after the round. **Writes** transfers, the step,
    the round and its seats, and at the end the record.
    """
    chained = record.build_step(
        seq=position.seq,
        at=iso(at),
        seat=seat,
        turn=None if seat is None else position.seats[seat].turn - 1,
        origin=origin.value,
        action=action,
        events=[locked.engine.dump_event(event) for event in events],
        moves=moves,
        state_hash=record.state_hash(locked.engine.dump(position.state)),
        previous_hash=locked.row.last_hash,
    )
    row = RoundStep(
        id=step_id,
        round=locked.row,
        seq=position.seq,
        at=at,
        seat=seat,
        turn=chained["turn"],
        origin=origin,
        secret=cipher.seal(locked.row.public_id, f"step {position.seq}", {key: chained[key] for key in HIDDEN}),
        previous_hash=chained["previous_hash"],
        hash=chained["hash"],
    )
    written = insertion(row, _available(locked, seat))
    ledger.post(_postings(locked, moves), step_id=step_id, now=at, along=[*_stored(locked, position, row), written])
    written.fill()
    _tell(locked.row)
    if position.status != Round.Status.OPEN:
        ledger.escrow_close(locked.row.escrow_id, now=at)
        record_write(locked.row, locked.seats, engine=locked.engine, position=position)
    return StepTaken(locked.row, locked.seats, locked.engine, position, events, row)


def _tell(row: Round) -> None:
    """Let those who watch the round, and those who count rounds, know when this is committed."""
    stream_publish("round", row.public_id, row.seq)
    if row.seq == 0:
        metrics.count_on_commit(metrics.ROUNDS_OPENED.labels(row.game))
    if row.status != Round.Status.OPEN:
        metrics.count_on_commit(metrics.ROUNDS_CLOSED.labels(row.game, row.status))


HIDDEN = ("action", "events", "moves", "state_hash")
"""What of a step is encrypted while its round is open."""


def _available(locked: LockedRound, seat: int | None) -> dict[str, Statement]:
    """State what the acting seat's account holds after the moves, for the step to be read with its answer."""
    if seat is None:
        return {}
    return {"available_minor": Statement(_BALANCE, [locked.seats[seat].account_id])}


_BALANCE = "(SELECT balance_minor FROM wallets_account WHERE id = %s)"


def _postings(locked: LockedRound, moves: Sequence[Move]) -> list[Posting]:
    row = locked.row
    kinds = {move.kind for move in moves}
    house = locked.house_id if kinds & {"fund", "collect"} else 0
    rake = ledger.rake_account(row.hall_id, row.currency).pk if "rake" in kinds else 0
    postings = []
    for move in moves:
        player = locked.seats[move.seat].account_id
        debit, credit = {
            "hold": (player, row.escrow_id),
            "fund": (house, row.escrow_id),
            "release": (row.escrow_id, player),
            "collect": (row.escrow_id, house),
            "rake": (row.escrow_id, rake),
        }[move.kind]
        postings.append(Posting(debit, credit, move.amount_minor, f"{move.kind}.{move.code}", str(row.public_id)))
    return postings


def _stored(locked: LockedRound, position: Position, step: RoundStep) -> list[Statement]:
    """Let the round and its seats stand at a position; return the statements that write it."""
    row, is_open = locked.row, position.status == Round.Status.OPEN
    row.status, row.seq, row.last_hash, row.acted_at = position.status, position.seq, step.hash, position.acted_at
    row.closed_at = None if is_open else step.at
    row.state_secret = state_seal(row, locked.engine, position)
    statements = [change(row, "status", "seq", "last_hash", "acted_at", "closed_at", "state_secret")]
    for seat, stands in zip(locked.seats, position.seats, strict=True):
        if stands != locked.position.seats[seat.index] or not is_open:
            statements.append(_stored_seat(seat, stands, is_open))
    locked.position = position
    return statements


SEAT_FIELDS = tuple(field.name for field in fields(SeatPosition))


def _stored_seat(seat: RoundSeat, stands: SeatPosition, is_open: bool) -> Statement:
    for name in SEAT_FIELDS:
        setattr(seat, name, getattr(stands, name))
    seat.is_open = is_open
    return change(seat, "is_open", *SEAT_FIELDS)


def state_seal(row: Round, engine: Engine[Any, Any, Any], position: Position) -> bytes:
    """Encrypt an engine's state as it stands after a step, with the version of its dump."""
    content = {"dump_version": engine.dump_version, "state": engine.dump(position.state)}
    return cipher.seal(row.public_id, f"state {position.seq}", content)

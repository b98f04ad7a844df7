"""Where a round stands after a step: the engine's state with turns, deadlines and what each seat has put in and got back.

The same fold serves play, where the position lies in the round's rows, and replay, where it starts from nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Protocol

from games.core.engine import UNPLACED, Engine, Move, Step, missed_after
from games.outages.gaps import Loss


@dataclass(frozen=True, slots=True)
class SeatPosition:
    """A seat's next turn number, its deadline and since when it is waited for, how many turns in a row the system played for it,
    how many of its steps nobody else was shown, and its money: staked in all, returned in all, still in escrow.

    **Units** minor units.
    """

    turn: int = 0
    deadline: datetime | None = None
    waiting_since: datetime | None = None
    missed: int = 0
    hidden_steps: int = 0
    staked_minor: int = 0
    returned_minor: int = 0
    held_minor: int = 0


@dataclass(frozen=True, slots=True)
class Position:
    """``seq`` is the last step's, ``acted_at`` the time of the last step by a player, moved on by outages."""

    seq: int
    acted_at: datetime
    state: Any
    status: str
    seats: tuple[SeatPosition, ...]

    def seq_for(self, viewer: int | None) -> int:
        """Return the number of the last step by a viewer's own count, which leaves out what others did unseen (RA-2.4)."""
        return seq_for(self.seq, self.seats, viewer)


class Hiding(Protocol):
    """Something that tells how many of a seat's steps nobody else was shown: its row, or its position."""

    @property
    def hidden_steps(self) -> int: ...


def seq_for(seq: int, seats: Sequence[Hiding], viewer: int | None) -> int:
    """Return a step's number as a viewer counts, given how many steps each seat had hidden by then."""
    return seq - sum(seat.hidden_steps for index, seat in enumerate(seats) if index != viewer)


def position_start(*, engine: Engine[Any, Any, Any], step: Step[Any], seats: int, opener: int | None, at: datetime) -> Position:
    """Return the position after the opening step."""
    return position_after(position_blank(seats, at), engine=engine, step=step, seat=opener, by_player=True, at=at)


def position_blank(seats: int, at: datetime) -> Position:
    """Return the position before the opening step."""
    return Position(seq=-1, acted_at=at, state=None, status="open", seats=(SeatPosition(),) * seats)


def position_after(
    before: Position, *, engine: Engine[Any, Any, Any], step: Step[Any], seat: int | None, by_player: bool, at: datetime
) -> Position:
    """Return the position after a step of an engine; the round is settled when nobody is left to act."""
    to_act = engine.to_act(step.state)
    acted_at = at if by_player else before.acted_at
    is_hidden = engine.seats[1] > 1 and _is_hidden(engine, step)
    seats = []
    for index, of in enumerate(before.seats):
        has_acted = index == seat
        missed = missed_after(of.missed, by_player=by_player) if has_acted else of.missed
        after = _with_moves(of, index, step.moves, is_over=not to_act)
        after = replace(after, turn=of.turn + has_acted, missed=missed, hidden_steps=of.hidden_steps + (has_acted and is_hidden))
        deadline, since = _wait(before, after, engine, step.state, index, at, acted_at) if index in to_act else (None, None)
        seats.append(replace(after, deadline=deadline, waiting_since=since))
    status = "open" if to_act else "settled"
    return Position(before.seq + 1, acted_at, step.state, status, tuple(seats))


def position_voided(before: Position, *, moves: Sequence[Move]) -> Position:
    """Return the position after a void: the state stands, the moves give the stakes back, nobody acts any more."""
    after = (_with_moves(of, index, moves, is_over=True) for index, of in enumerate(before.seats))
    seats = tuple(replace(seat, deadline=None, waiting_since=None) for seat in after)
    return replace(before, seq=before.seq + 1, status="voided", seats=seats)


def position_after_outage(before: Position, loss: Loss) -> Position:
    """Return the position with the deadlines that an outage moved."""
    seats = []
    for seat in before.seats:
        if seat.deadline is not None and seat.waiting_since is not None:
            seat = replace(seat, deadline=loss.deadline(seat.deadline, seat.waiting_since))
        seats.append(seat)
    return replace(before, acted_at=before.acted_at + loss.lost(before.acted_at), seats=tuple(seats))


def _is_hidden(engine: Engine[Any, Any, Any], step: Step[Any]) -> bool:
    """Say whether nobody but the seat that acts is shown anything of a step."""
    return bool(step.events) and all(engine.event_view(event, None) is None for event in step.events)


def _with_moves(seat: SeatPosition, index: int, moves: Sequence[Move], *, is_over: bool) -> SeatPosition:
    """Add a step's moves; money held for a stake that was then never placed counts neither as staked nor as returned.

    A round that is over holds nothing, whichever seat its pot went to.
    """
    staked, returned, held = seat.staked_minor, seat.returned_minor, seat.held_minor
    for move in moves:
        if move.seat != index:
            continue
        held += move.amount_minor if move.kind in ("hold", "fund") else -move.amount_minor
        if move.code == UNPLACED:
            staked -= move.amount_minor
        elif move.kind == "hold":
            staked += move.amount_minor
        elif move.kind == "release":
            returned += move.amount_minor
    return replace(seat, staked_minor=staked, returned_minor=returned, held_minor=0 if is_over else held)


def _wait(
    before: Position, after: SeatPosition, engine: Engine[Any, Any, Any], state: Any, index: int, at: datetime, acted_at: datetime
) -> tuple[datetime | None, datetime | None]:
    """Return until when a seat is waited for, and since when."""
    wait = engine.wait(state, index)
    if wait is None:
        return None, None
    allowed = timedelta(seconds=wait.allowed_seconds(after.missed))
    stood = before.seats[index]
    if wait.since == "action":
        has_waited = stood.waiting_since is not None and acted_at == before.acted_at
        return acted_at + allowed, stood.waiting_since if has_waited else at
    if stood.deadline is not None and wait.goes_on(
        engine.wait(before.state, index), has_acted=after.turn > stood.turn, missed=(stood.missed, after.missed)
    ):
        return stood.deadline, stood.waiting_since
    return at + allowed, at

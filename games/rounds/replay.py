"""Where a round stood after any of its steps, worked out again from its seed and actions."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from games.core.engine import Engine, Step
from games.core.record import OPEN, VOID
from games.core.shuffle import Seed
from games.outages.gaps import Loss
from games.outages.selectors import losses_since
from games.rounds import cipher
from games.rounds.commitments import commitment_seed
from games.rounds.models import Round, RoundSeat, RoundStep
from games.rounds.position import (
    Position,
    SeatPosition,
    position_after,
    position_after_outage,
    position_start,
    position_voided,
)
from games.rounds.records import step_moves, step_unsealed
from games.rounds.steps import SEAT_FIELDS, StepTaken


def round_seed(row: Round, seats: Sequence[RoundSeat]) -> Seed:
    """Return the seeds of a round."""
    return Seed(str(row.public_id), commitment_seed(row.commitment), tuple(seat.client_seed for seat in seats))


def round_replay(
    row: Round, seats: Sequence[RoundSeat], *, engine: Engine[Any, Any, Any], until_seq: int | None = None
) -> list[StepTaken]:
    """Play a round again from its stored actions, up to a step or to the last; outages move its deadlines as they did then."""
    rows = RoundStep.objects.filter(round=row).order_by("seq")
    if until_seq is not None:
        rows = rows.filter(seq__lte=until_seq)
    replayed: list[StepTaken] = []
    losses = losses_since(row.opened_at)
    for step_row in rows:
        before = position_until(replayed[-1], losses, step_row.at) if replayed else None
        replayed.append(step_replay(row, seats, engine=engine, before=before, step_row=step_row))
    return replayed


def steps_seen(steps: Sequence[StepTaken], viewer: int | None, *, after: int = -1) -> list[StepTaken]:
    """Return the steps that a viewer is shown, after a number of the viewer's own count."""
    seen: list[StepTaken] = []
    for index in range(len(steps) - 1, -1, -1):
        number = steps[index].position.seq_for(viewer)
        if number <= after:
            break
        if index == 0 or steps[index - 1].position.seq_for(viewer) < number:
            seen.append(steps[index])
    return seen[::-1]


def step_replay(
    row: Round, seats: Sequence[RoundSeat], *, engine: Engine[Any, Any, Any], before: Position | None, step_row: RoundStep
) -> StepTaken:
    """Play one stored step again, from where the round stood before it; before the opening it stood nowhere."""
    stored = step_unsealed(row, step_row)
    if before is None:
        assert stored["action"]["type"] == OPEN
        step: Step[Any] = engine.start(engine.parse_setup(row.head["setup"]), round_seed(row, seats))
        position = position_start(engine=engine, step=step, seats=len(seats), opener=step_row.seat, at=step_row.at)
    elif stored["action"]["type"] == VOID:
        return StepTaken(row, seats, engine, position_voided(before, moves=step_moves(stored)), (), step_row)
    else:
        by_clock = step_row.origin == RoundStep.Origin.TIMEOUT
        action = engine.timeout_action(before.state, stored["seat"]) if by_clock else engine.parse_action(stored["action"])
        step = engine.apply(before.state, stored["seat"], action)
        by_player = step_row.origin == RoundStep.Origin.PLAYER
        position = position_after(before, engine=engine, step=step, seat=step_row.seat, by_player=by_player, at=step_row.at)
    return StepTaken(row, seats, engine, position, step.events, step_row)


def position_until(taken: StepTaken, losses: Sequence[Loss], until: datetime) -> Position:
    """Return how a round stood after a step when the next one came: with the deadlines that outages in between moved."""
    position = taken.position
    for loss in losses:
        if taken.step.at < loss.gap.ended_at <= until:
            position = position_after_outage(position, loss)
    return position


def position_load(row: Round, seats: Sequence[RoundSeat], *, engine: Engine[Any, Any, Any]) -> Position:
    """Return where a round stands now; a state that another version dumped is worked out again instead."""
    stored = cipher.unseal(row.public_id, f"state {row.seq}", row.state_secret)
    if stored["dump_version"] == engine.dump_version:
        state = engine.load(stored["state"])
    else:
        state = round_replay(row, seats, engine=engine, until_seq=row.seq)[-1].position.state
    stands = tuple(SeatPosition(**{name: getattr(seat, name) for name in SEAT_FIELDS}) for seat in seats)
    return Position(row.seq, row.acted_at, state, row.status, stands)

"""A closed round played again from its record, by the rules alone: where it stood before and after every step.

Nothing stored is believed but the seeds, the setup and the actions; where the record tells otherwise, that is said.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from typing import Any

from games.core.engine import Engine, Event, Json, Move, Step
from games.core.errors import IllegalAction, InvalidData
from games.core.record import VOID, move_json, state_hash, void_moves
from games.core.shuffle import Seed, read_server_seed
from games.engines import engine_for
from games.rounds.position import Position, position_after, position_start, position_voided


@dataclass(frozen=True, slots=True)
class ReplayedStep:
    """A step of a record and what the rules make of it; ``after`` is None when they refuse it, ``before`` at the opening."""

    recorded: Json
    before: Position | None
    after: Position | None
    events: Sequence[Event]
    moves: Sequence[Move]
    divergence: str | None


def record_engine(record: Json) -> Engine[Any, Any, Any]:
    """Return the engine that played a recorded round."""
    return engine_for(record["head"]["game"], record["head"]["rules_version"])


def record_seed(record: Json) -> Seed:
    """Return the seeds of a recorded round."""
    head = record["head"]
    server_seed = read_server_seed(record["server_seed"], "server_seed")
    return Seed(head["round_id"], server_seed, tuple(seat["client_seed"] for seat in head["seats"]))


def record_replay(record: Json) -> Iterator[ReplayedStep]:
    """Play a recorded round again step by step; a step that the rules refuse is the last one."""
    engine, before = record_engine(record), None
    moves: list[Sequence[Move]] = []
    for recorded in record["steps"]:
        try:
            step, position = _played(engine, record, recorded, before, moves)
        except (IllegalAction, InvalidData) as error:
            yield ReplayedStep(recorded, before, None, (), (), f"the rules refuse this action: {error}")
            return
        yield ReplayedStep(recorded, before, position, step.events, step.moves, _divergence(engine, recorded, step))
        before = position
        moves.append(step.moves)


def _played(
    engine: Engine[Any, Any, Any], record: Json, recorded: Json, before: Position | None, moves: Sequence[Sequence[Move]]
) -> tuple[Step[Any], Position]:
    seat, at = recorded["seat"], datetime.fromisoformat(recorded["at"])
    if before is None:
        opening = engine.start(engine.parse_setup(record["head"]["setup"]), record_seed(record))
        seats = len(record["head"]["seats"])
        return opening, position_start(engine=engine, step=opening, seats=seats, opener=seat, at=at)
    if recorded["action"]["type"] == VOID:
        voided = Step(before.state, (), void_moves(list(chain.from_iterable(moves)), len(before.seats)))
        return voided, position_voided(before, moves=voided.moves)
    by_clock = recorded["origin"] == "timeout"
    if seat not in engine.to_act(before.state):
        raise IllegalAction("not_your_turn")
    action = engine.timeout_action(before.state, seat) if by_clock else engine.parse_action(recorded["action"])
    step = engine.apply(before.state, seat, action)
    by_player = recorded["origin"] == "player"
    return step, position_after(before, engine=engine, step=step, seat=seat, by_player=by_player, at=at)


def _divergence(engine: Engine[Any, Any, Any], recorded: Json, step: Step[Any]) -> str | None:
    """Say which parts of a recorded step are not what the rules made."""
    made = {
        "events": [engine.dump_event(event) for event in step.events],
        "moves": [move_json(move) for move in step.moves],
        "state_hash": state_hash(engine.dump(step.state)),
    }
    wrong = [name for name, value in made.items() if recorded[name] != value]
    return f"the record has other {', '.join(wrong)} than the rules make" if wrong else None

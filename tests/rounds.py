"""Rounds of any game for tests: actions drawn from what an engine says is legal, and the record of a round played so."""

import uuid
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

from games.core.codec import canonical
from games.core.digest import engine_digest
from games.core.engine import ActionSpec, Amount, Engine, Json, Move, OneOf, Parameter, Step
from games.core.record import (
    OPEN,
    VOID,
    build_record,
    build_result,
    build_step,
    head_hash,
    opening_origin,
    state_hash,
    transfer_json,
    void_moves,
)
from games.core.shuffle import Seed, commitment

AnyEngine = Engine[Any, Any, Any]
Choice = Mapping[str, Any] | None
"""An action as JSON; None for the system's."""


def value_of(parameter: Parameter, random: Random) -> Any:
    """Draw a value that a parameter takes, its bounds more often than others."""
    if isinstance(parameter, OneOf):
        return random.choice(parameter.options)
    if isinstance(parameter, Amount):
        between = random.randrange(parameter.min_minor, parameter.max_minor + 1, parameter.step_minor)
        return random.choice([parameter.min_minor, parameter.max_minor // parameter.step_minor * parameter.step_minor, between])
    return random.sample(parameter.options, random.randint(parameter.min, parameter.max))


def takes(parameter: Parameter, value: Any) -> bool:
    """Say whether a parameter takes a value."""
    if isinstance(parameter, OneOf):
        return value in parameter.options
    if isinstance(parameter, Amount):
        return parameter.min_minor <= value <= parameter.max_minor and value % parameter.step_minor == 0
    return parameter.min <= len(value) <= parameter.max and set(value) <= set(parameter.options)


def action_of(spec: ActionSpec, random: Random) -> dict[str, Any]:
    """Draw an action of a kind that is legal."""
    if spec.suggestions:
        return dict(random.choice(spec.suggestions))
    return drawn(spec, random)


def drawn(spec: ActionSpec, random: Random) -> dict[str, Any]:
    """Draw a value for each parameter of a kind of action; where it has suggestions, what comes of it may be refused."""
    return {"type": spec.type, **{name: value_of(parameter, random) for name, parameter in spec.parameters.items()}}


def allows(specs: tuple[ActionSpec, ...], action: Mapping[str, Any]) -> bool | None:
    """Say whether one of the kinds describes an action; None where only the rules can say it."""
    described = [
        spec
        for spec in specs
        if spec.type == action["type"]
        and action.keys() - {"type"} == spec.parameters.keys()
        and all(takes(parameter, action[name]) for name, parameter in spec.parameters.items())
    ]
    if described and all(spec.suggestions and action not in spec.suggestions for spec in described):
        return None
    return bool(described)


def identifier(random: Random) -> str:
    """Draw a UUID."""
    return str(uuid.UUID(int=random.getrandbits(128), version=4))


def seed_of(random: Random, seats: int) -> Seed:
    """Draw a round's seeds."""
    texts = ["", "lucky", "семь | 7 %"]
    return Seed(identifier(random), random.randbytes(32), tuple(random.choice(texts) for _ in range(seats)))


def record_of(
    engine: AnyEngine,
    setup_json: Mapping[str, Any],
    random: Random,
    *,
    choose: Callable[[Any, int], Choice] | None = None,
    void_after: int | None = None,
) -> dict[str, Any]:
    """Play a round and write its record.

    ``choose`` gives a seat's action by the state; left out, it is drawn. With ``void_after`` the round is voided after that many
    steps, if it is not over by then.
    """
    played = _Recorded(engine, engine.parse_setup(setup_json), random)
    while engine.to_act(played.state):
        if void_after == len(played.steps):
            played.void()
            return played.record(None)
        seat = random.choice(sorted(engine.to_act(played.state)))
        specs = engine.legal_actions(played.state, seat)
        played.act(seat, choose(played.state, seat) if choose else action_of(random.choice(specs), random))
    return played.record(engine.result(played.state))


class _Recorded:
    """A round and the steps that its record keeps."""

    def __init__(self, engine: AnyEngine, setup: Any, random: Random) -> None:
        self.engine = engine
        self.random = random
        self.seats = len(engine.exposure(setup).seats_minor)
        self.seed = seed_of(random, self.seats)
        self.head = _head(engine, engine.dump_setup(setup), self.seed, random)
        self.clock = datetime(2026, 1, 1, tzinfo=UTC)
        self.turns = [0] * self.seats
        self.missed = [0] * self.seats
        self.steps: list[dict[str, Any]] = []
        self.moves: list[Sequence[Move]] = []
        origin = opening_origin(engine)
        self._add(engine.start(setup, self.seed), 0 if origin == "player" else None, origin, {"type": OPEN})

    def act(self, seat: int, choice: Choice) -> None:
        """Play an action, or without one what the system plays."""
        engine = self.engine
        action = engine.timeout_action(self.state, seat) if choice is None else engine.parse_action(choice)
        origin = "timeout" if choice is None else "player"
        wait = engine.wait(self.state, seat) if choice is None else None
        self.clock += timedelta(seconds=wait.allowed_seconds(self.missed[seat]) if wait else 1)
        self.missed[seat] = self.missed[seat] + 1 if choice is None else 0
        self._add(engine.apply(self.state, seat, action), seat, origin, engine.dump_action(action))

    def void(self) -> None:
        """Void the round."""
        moves = void_moves([move for of_step in self.moves for move in of_step], self.seats)
        self._add(Step(self.state, (), moves), None, "system", {"type": VOID})

    def record(self, outcome: Json | None) -> dict[str, Any]:
        """Write the record of the round; a voided one has no outcome."""
        flat = [(seq, index, move) for seq, of_step in enumerate(self.moves) for index, move in enumerate(of_step)]
        return build_record(
            head=self.head,
            server_seed=self.seed.server_seed.hex(),
            steps=self.steps,
            result=build_result(moves=[move for _, _, move in flat], seats=self.seats, outcome=outcome),
            transfers=[
                transfer_json(seq=seq, index=index, id=identifier(self.random), move=move, currency="EUR")
                for seq, index, move in flat
            ],
        )

    def _add(self, step: Step[Any], seat: int | None, origin: str, action: Json) -> None:
        self.state = step.state
        self.moves.append(step.moves)
        self.steps.append(
            build_step(
                seq=len(self.steps),
                at=self.clock.strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
                seat=seat,
                turn=None if seat is None else self.turns[seat],
                origin=origin,
                action=action,
                events=[self.engine.dump_event(event) for event in step.events],
                moves=step.moves,
                state_hash=state_hash(self.engine.dump(step.state)),
                previous_hash=self.steps[-1]["hash"] if self.steps else head_hash(self.head),
            )
        )
        if seat is not None:
            self.turns[seat] += 1


def text_of(record: Mapping[str, Any]) -> bytes:
    """Write a record as its file is written."""
    return canonical(record)


def _head(engine: AnyEngine, setup_json: Mapping[str, Any], seed: Seed, random: Random) -> dict[str, Any]:
    return {
        "round_id": seed.round_id,
        "game": engine.code,
        "rules_version": engine.rules_version,
        "engine_digest": engine_digest(engine.package),
        "hall": {"id": identifier(random), "name": "First hall"},
        "currency": "EUR",
        "seats": [
            {"seat": seat, "player": identifier(random), "client_seed": text} for seat, text in enumerate(seed.client_seeds)
        ],
        "setup": setup_json,
        "seed_hash": commitment(seed.server_seed),
        "opened_at": "2026-01-01T00:00:00.000000Z",
    }

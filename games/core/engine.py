"""The contract between a game's pure rules and the services that run it.

An engine turns (state, action) into a Step: the new state, what happened, and which money moves. It knows no wallet, no clock and
no database. Amounts are positive integers of the currency's minor unit. What crosses the edge is JSON: objects of strings,
integers, booleans, nulls and lists, never a float.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, NamedTuple, Protocol, TypeVar

from games.core.shuffle import Shuffles

Json = Mapping[str, Any]
MoveKind = Literal["hold", "fund", "release", "collect", "rake"]
UNPLACED = "unplaced"
"""Code of a release of money that was held for a stake and never staked: totals count it as neither staked nor returned."""

AWAY_AFTER = 3
"""A seat for which the system played so many turns in a row is away until its player acts."""
AWAY_SECONDS = 2
"""How long a seat that is away may think: long enough to come back in."""

Setup = TypeVar("Setup")
State = TypeVar("State")
Action = TypeVar("Action")


class Move(NamedTuple):
    """One amount between a seat's account, the round's escrow and the house.

    hold: player to escrow; fund: house to escrow; release: escrow to player; collect: escrow to house; rake: escrow to rake.
    ``seat`` is whose stake or win it is, ``code`` what it is for ("ante", "insurance").
    """

    kind: MoveKind
    seat: int
    amount_minor: int
    code: str


@dataclass(frozen=True, slots=True)
class Event:
    """Base of a game's events; subclasses are frozen dataclasses named by a past participle."""

    @property
    def hides_origin(self) -> bool:
        """Whether other seats may not know, while the round is open, if its player or the system made this happen."""
        return False


class Step(NamedTuple, Generic[State]):
    """The state after, the events in order, the money moves in order."""

    state: State
    events: tuple[Event, ...]
    moves: tuple[Move, ...]


@dataclass(frozen=True, slots=True)
class OneOf:
    """A parameter that takes one of the options."""

    options: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class SubsetOf:
    """A parameter that takes between ``min`` and ``max`` different ones of the options, in any order."""

    options: tuple[Any, ...]
    min: int
    max: int


@dataclass(frozen=True, slots=True)
class Amount:
    """A parameter that takes an amount from ``min_minor`` to ``max_minor`` in multiples of ``step_minor``."""

    min_minor: int
    max_minor: int
    step_minor: int


Parameter = OneOf | SubsetOf | Amount


@dataclass(frozen=True, slots=True)
class ActionSpec:
    """One kind of action that a seat may take now: its type, least cost, and the values its parameters may take.

    Each parameter may take any of its values, whatever the others take. Where the rules bind them to one another more closely
    than several specs of one type can say, ``suggestions`` holds complete actions that are legal now, and other values may be
    refused.
    """

    type: str
    cost_minor: int
    parameters: Mapping[str, Parameter]
    suggestions: tuple[Json, ...] = ()


def spec_json(spec: ActionSpec) -> dict[str, Any]:
    """Return a spec as clients get it: each parameter with its ``kind`` and bounds."""
    return {
        "type": spec.type,
        "cost_minor": spec.cost_minor,
        "parameters": {name: _parameter_json(parameter) for name, parameter in spec.parameters.items()},
        "suggestions": list(spec.suggestions),
    }


def _parameter_json(parameter: Parameter) -> dict[str, Any]:
    if isinstance(parameter, OneOf):
        return {"kind": "one_of", "options": list(parameter.options)}
    if isinstance(parameter, SubsetOf):
        return {"kind": "subset_of", "options": list(parameter.options), "min": parameter.min, "max": parameter.max}
    bounds = {"min_minor": parameter.min_minor, "max_minor": parameter.max_minor, "step_minor": parameter.step_minor}
    return {"kind": "amount", **bounds}


@dataclass(frozen=True, slots=True)
class Wait:
    """How long a seat may think.

    ``timer`` names the setting that gave ``seconds``. With ``since`` "turn" the clock starts when the seat's turn begins; with
    "action" it starts at the round's last action by a player (the opening counts), so that a time-out does not restart it. One
    clock runs through all turns of the same ``period``; without one each turn has its own.
    """

    timer: str
    seconds: int
    since: Literal["turn", "action"]
    period: str = ""

    def allowed_seconds(self, missed: int) -> int:
        """Return how long a seat may think that has missed so many turns in a row: one that is away is not waited for."""
        return min(self.seconds, AWAY_SECONDS) if self.since == "turn" and missed >= AWAY_AFTER else self.seconds

    def goes_on(self, before: "Wait | None", *, has_acted: bool, missed: tuple[int, int]) -> bool:
        """Say whether a seat's clock runs on through a step, given its wait before and what it had ``missed`` before and after.

        One that was away and acts again starts anew.
        """
        was, now = missed
        if before is None or before.period != self.period or was >= AWAY_AFTER > now:
            return False
        return bool(self.period) or not has_acted


def missed_after(missed: int, *, by_player: bool) -> int:
    """Return how many turns in a row a seat has missed after one that its player took, or that the system took for it."""
    return 0 if by_player else missed + 1


@dataclass(frozen=True, slots=True)
class Stake:
    """An amount that the hall's limit of this ``kind`` bounds; ``field`` is its dotted path in the setup."""

    kind: str
    amount_minor: int
    field: str


@dataclass(frozen=True, slots=True)
class Exposure:
    """The most that each seat, and the house, can lose in a round."""

    seats_minor: tuple[int, ...]
    house_minor: int


class Engine(Protocol[Setup, State, Action]):
    """One game's rules in one version. Every member is pure and total over the values it declares."""

    code: str
    rules_version: int
    dump_version: int
    package: str
    """The importable package whose files, with ``games.core``, make the engine digest."""
    seats: tuple[int, int]
    """The fewest and the most seats."""
    stake_kinds: tuple[str, ...]
    """Kinds of stake that a hall's limit set bounds."""
    error_codes: frozenset[str]
    """Every code that an IllegalAction of this engine may carry."""
    max_steps: int
    """A bound on the steps of any round."""
    default_limits: Mapping[str, Json]
    """The limit set that each hall starts with, by the hall's code."""
    default_pay_table: Json
    """The pay table that every hall starts with."""

    def check_limits(self, limits: Json) -> None:
        """Refuse a limit set that makes no sense: InvalidData names the field."""

    def check_pay_table(self, pay_table: Json) -> None:
        """Refuse a pay table that makes no sense: InvalidData names the field."""

    def parse_setup(self, data: Json) -> Setup:
        """Build a setup from JSON, strictly: InvalidData for an unknown key, a wrong type or a nonsensical value."""

    def dump_setup(self, setup: Setup) -> Json:
        """The JSON that parse_setup accepts, complete (defaults filled in)."""

    def parse_action(self, data: Json) -> Action:
        """Build an action from JSON ``{"type": …}``, strictly: InvalidData as above."""

    def dump_action(self, action: Action) -> Json:
        """The JSON that parse_action accepts; or refuses, where only ``timeout_action`` gives such an action."""

    def dump_event(self, event: Event) -> Json:
        """An event in full, as the record keeps it: ``{"type": …}``."""

    def stakes(self, setup: Setup) -> tuple[Stake, ...]:
        """Amounts to check against the hall's limits."""

    def exposure(self, setup: Setup) -> Exposure:
        """The most each side can lose."""

    def start(self, setup: Setup, seed: Shuffles) -> Step[State]:
        """Open the round."""

    def to_act(self, state: State) -> frozenset[int]:
        """Seats that may act now; empty when the round is over."""

    def legal_actions(self, state: State, seat: int) -> tuple[ActionSpec, ...]:
        """What a seat may do now; empty for a seat that is not to act."""

    def apply(self, state: State, seat: int, action: Action) -> Step[State]:
        """Carry out an action, or raise IllegalAction and change nothing."""

    def timeout_action(self, state: State, seat: int) -> Action:
        """What the system plays for a seat that is to act; always legal."""

    def wait(self, state: State, seat: int) -> Wait | None:
        """The timer of a seat that is to act; None for no limit."""

    def view(self, state: State, viewer: int | None) -> Json:
        """What a seat, or with None anybody, may see."""

    def event_view(self, event: Event, viewer: int | None) -> Json | None:
        """What a seat, or with None anybody, sees of an event at its moment; None for nothing at all."""

    def permute_hidden(self, state: State, viewer: int | None, order: Callable[[Sequence[Any]], Sequence[Any]]) -> State:
        """The state with the cards that the viewer cannot know re-ordered; what a rule has settled already stays.

        ``order`` takes cards that may change places with one another, and may be asked several times: for each own deck once.
        """

    def cards(self, state: State) -> tuple[Any, ...]:
        """Every card of the round wherever it lies, in any order; its text tells a card apart from others, if anything does."""

    def result(self, state: State) -> Json:
        """How a finished round ended, for people and reports."""

    def dump(self, state: State) -> Json:
        """The whole state with its seed; load gives it back exactly."""

    def load(self, data: Json) -> State:
        """The state that was dumped."""

"""Rapira as an engine; the rules are in RULES.md, their clauses RA-… cited where they are carried out."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from games.core.engine import ActionSpec, Event, Exposure, Json, Stake, Step, Wait
from games.core.limits import check_no_pay_table, parse_table_limits
from games.core.shuffle import Shuffles
from games.rapira.engine import actions, rules
from games.rapira.engine import events as happenings
from games.rapira.engine import setup as setups
from games.rapira.engine import state as states
from games.rapira.engine import view as views
from games.rapira.engine.actions import Action
from games.rapira.engine.errors import Refusal
from games.rapira.engine.play import start
from games.rapira.engine.setup import Setup
from games.rapira.engine.state import State

BONUSES_IN_A_PHASE = 89
"""One, four won hands, four high cards, 52 cards played or discarded, 28 blue ones kept (RA-6.2)."""


class Rapira:
    """Two to six players, a deck each, hands for points and bonuses for cards."""

    code = "rapira"
    rules_version = 1
    dump_version = 1
    package = __name__
    seats: tuple[int, int] = setups.SEATS
    stake_kinds: tuple[str, ...] = setups.STAKE_KINDS
    error_codes: frozenset[str] = frozenset(code.value for code in Refusal)
    max_steps = 1 + setups.MOST_CYCLES * setups.SEATS[1] * (states.HANDS * (states.DISCARDS + 1) + BONUSES_IN_A_PHASE)
    """The opening; in each cycle for each seat four hands of four discards and a play, and the bonuses."""
    default_limits: Mapping[str, Json] = setups.DEFAULT_LIMITS
    default_pay_table: Json = setups.DEFAULT_PAY_TABLE

    def check_limits(self, limits: Json) -> None:
        parse_table_limits(limits, "entry")

    def check_pay_table(self, pay_table: Json) -> None:
        check_no_pay_table(pay_table)

    def parse_setup(self, data: Json) -> Setup:
        return setups.parse_setup(data)

    def dump_setup(self, setup: Setup) -> Json:
        return setups.dump_setup(setup)

    def parse_action(self, data: Json) -> Action:
        return actions.parse_action(data)

    def dump_action(self, action: Action) -> Json:
        return actions.dump_action(action)

    def dump_event(self, event: Event) -> Json:
        return happenings.event_json(event)

    def stakes(self, setup: Setup) -> tuple[Stake, ...]:
        return setups.stakes(setup)

    def exposure(self, setup: Setup) -> Exposure:
        return setups.exposure(setup)

    def start(self, setup: Setup, seed: Shuffles) -> Step[State]:
        return start(setup, seed)

    def to_act(self, state: State) -> frozenset[int]:
        return states.to_act(state)

    def legal_actions(self, state: State, seat: int) -> tuple[ActionSpec, ...]:
        return rules.legal_actions(state, seat)

    def apply(self, state: State, seat: int, action: Action) -> Step[State]:
        return rules.apply(state, seat, action)

    def timeout_action(self, state: State, seat: int) -> Action:
        return rules.timeout_action(state, seat)

    def wait(self, state: State, seat: int) -> Wait | None:
        return rules.wait(state, seat)

    def view(self, state: State, viewer: int | None) -> Json:
        return views.view(state, viewer)

    def event_view(self, event: Event, viewer: int | None) -> Json | None:
        return happenings.event_view(event, viewer)

    def permute_hidden(self, state: State, viewer: int | None, order: Callable[[Sequence[Any]], Sequence[Any]]) -> State:
        return views.permute_hidden(state, viewer, order)

    def cards(self, state: State) -> tuple[str, ...]:
        """Name every slot, wherever it lies, by seat and number: bonuses change which card a slot is, never the slots."""
        held = [(index, seat.deck + seat.hand + seat.pile) for index, seat in enumerate(state.seats)]
        return tuple([f"{index}:{slot}" for index, slots in held for slot in slots])

    def result(self, state: State) -> Json:
        return views.result(state)

    def dump(self, state: State) -> Json:
        return states.dump_state(state)

    def load(self, data: Json) -> State:
        return states.load_state(data)

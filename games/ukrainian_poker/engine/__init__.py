"""Ukrainian rospysnyi poker as an engine; the rules are in RULES.md, their clauses UP-… cited where they are carried out."""

from collections.abc import Callable, Mapping, Sequence

from games.core.cards import Card
from games.core.engine import ActionSpec, Event, Exposure, Json, Stake, Step, Wait
from games.core.limits import check_no_pay_table, parse_table_limits
from games.core.shuffle import Shuffles
from games.ukrainian_poker.engine import actions, events, play, rules
from games.ukrainian_poker.engine import setup as setups
from games.ukrainian_poker.engine import state as states
from games.ukrainian_poker.engine import view as views
from games.ukrainian_poker.engine.actions import Action
from games.ukrainian_poker.engine.errors import Refusal
from games.ukrainian_poker.engine.schedule import schedule
from games.ukrainian_poker.engine.setup import MOST_SEATS, Setup
from games.ukrainian_poker.engine.state import State


class UkrainianPoker:
    """Two to six players for a pot, over 20 rounds and one more for each of them."""

    code = "ukrainian_poker"
    rules_version = 1
    dump_version = 1
    package = __name__
    seats = (setups.FEWEST_SEATS, setups.MOST_SEATS)
    stake_kinds: tuple[str, ...] = setups.STAKE_KINDS
    error_codes: frozenset[str] = frozenset(code.value for code in Refusal)
    max_steps = 1 + MOST_SEATS * sum([each.has_bids + each.cards for each in schedule(MOST_SEATS)])
    """The opening, then a bid and all cards of every seat in every round."""
    default_limits: Mapping[str, Json] = setups.DEFAULT_LIMITS
    default_pay_table: Json = setups.DEFAULT_PAY_TABLE

    def check_limits(self, limits: Json) -> None:
        parse_table_limits(limits, "ante")

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
        return events.event_json(event)

    def stakes(self, setup: Setup) -> tuple[Stake, ...]:
        return setups.stakes(setup)

    def exposure(self, setup: Setup) -> Exposure:
        return setups.exposure(setup)

    def start(self, setup: Setup, seed: Shuffles) -> Step[State]:
        return play.start(setup, seed)

    def to_act(self, state: State) -> frozenset[int]:
        return _ACTING[state.turn]

    def legal_actions(self, state: State, seat: int) -> tuple[ActionSpec, ...]:
        return rules.legal_actions(state, seat)

    def apply(self, state: State, seat: int, action: Action) -> Step[State]:
        return play.apply(state, seat, action)

    def timeout_action(self, state: State, seat: int) -> Action:
        return rules.timeout_action(state)

    def wait(self, state: State, seat: int) -> Wait | None:
        return rules.wait(state)

    def view(self, state: State, viewer: int | None) -> Json:
        return views.view(state, viewer)

    def event_view(self, event: Event, viewer: int | None) -> Json | None:
        return events.event_view(event, viewer)

    def permute_hidden(self, state: State, viewer: int | None, order: Callable[[Sequence[Card]], Sequence[Card]]) -> State:
        return views.permute_hidden(state, viewer, order)

    def cards(self, state: State) -> tuple[Card, ...]:
        lying = (*state.tricks, state.trick)
        shown = () if state.turned is None else (state.turned,)
        return (
            *[card for hand in state.hands for card in hand],
            *[card for trick in lying for card in trick.cards],
            *shown,
            *state.stock,
        )

    def result(self, state: State) -> Json:
        return views.result(state)

    def dump(self, state: State) -> Json:
        return states.dump_state(state)

    def load(self, data: Json) -> State:
        return states.load_state(data)


_ACTING = (*[frozenset({seat}) for seat in range(MOST_SEATS)], frozenset[int]())
"""By the seat to act; the last one stands at ``NOBODY``."""

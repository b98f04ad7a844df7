"""Thirteen-card poker as an engine; the rules are in RULES.md, their clauses CP-… cited where they are carried out."""

from collections.abc import Callable, Mapping, Sequence

from games.chinese_poker.engine import actions, play, rules
from games.chinese_poker.engine import setup as setups
from games.chinese_poker.engine import state as states
from games.chinese_poker.engine import view as views
from games.chinese_poker.engine.actions import Action
from games.chinese_poker.engine.errors import Refusal
from games.chinese_poker.engine.events import event_json
from games.chinese_poker.engine.setup import FEWEST_SEATS, MOST_SEATS, MOST_TARGET, Setup, most_deals
from games.chinese_poker.engine.state import State
from games.core.cards import DECK_52, Card
from games.core.engine import ActionSpec, Event, Exposure, Json, Stake, Step, Wait
from games.core.limits import check_no_pay_table, parse_table_limits
from games.core.shuffle import Shuffles


class ChinesePoker:
    """Two to four players, deal after deal to a target of points, each settling with each."""

    code = "chinese_poker"
    rules_version = 1
    dump_version = 1
    package = __name__
    seats = (FEWEST_SEATS, MOST_SEATS)
    stake_kinds: tuple[str, ...] = setups.STAKE_KINDS
    error_codes: frozenset[str] = frozenset(code.value for code in Refusal)
    max_steps = max(1 + seats * most_deals(seats, MOST_TARGET) + 2 * seats for seats in range(FEWEST_SEATS, MOST_SEATS + 1))
    """The opening, every seat's arrangement in every deal, and two windows, which only the last deal can have (CP-4.4)."""
    default_limits: Mapping[str, Json] = setups.DEFAULT_LIMITS
    default_pay_table: Json = {}

    def check_limits(self, limits: Json) -> None:
        parse_table_limits(limits, "point_price")

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
        return event_json(event)

    def stakes(self, setup: Setup) -> tuple[Stake, ...]:
        return setups.stakes(setup)

    def exposure(self, setup: Setup) -> Exposure:
        return setups.exposure(setup)

    def start(self, setup: Setup, seed: Shuffles) -> Step[State]:
        return play.start(setup, seed)

    def to_act(self, state: State) -> frozenset[int]:
        return rules.to_act(state)

    def legal_actions(self, state: State, seat: int) -> tuple[ActionSpec, ...]:
        return rules.legal_actions(state, seat)

    def apply(self, state: State, seat: int, action: Action) -> Step[State]:
        return rules.apply(state, seat, action)

    def timeout_action(self, state: State, seat: int) -> Action:
        return rules.timeout_action(state)

    def wait(self, state: State, seat: int) -> Wait | None:
        return rules.wait(state, seat)

    def view(self, state: State, viewer: int | None) -> Json:
        return views.view(state, viewer)

    def event_view(self, event: Event, viewer: int | None) -> Json | None:
        return views.event_view(event, viewer)

    def permute_hidden(self, state: State, viewer: int | None, order: Callable[[Sequence[Card]], Sequence[Card]]) -> State:
        return views.permute_hidden(state, viewer, order)

    def cards(self, state: State) -> tuple[Card, ...]:
        """The deal's pack, and once more a whole one for the deals before and after.

        A step that ends a deal tells of its opened hands and deals the same cards anew: no text tells a card of this deal apart.
        """
        return (*[card for hand in state.deal.hands for card in hand], *state.rest, *DECK_52)

    def result(self, state: State) -> Json:
        return views.result(state)

    def dump(self, state: State) -> Json:
        return states.dump_state(state)

    def load(self, data: Json) -> State:
        return states.load_state(data)

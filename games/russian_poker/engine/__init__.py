"""Russian poker as an engine; the rules are in RULES.md, their clauses RP-… cited where they are carried out."""

from collections.abc import Callable, Mapping, Sequence

from games.core.cards import Card
from games.core.engine import ActionSpec, Event, Exposure, Json, Stake, Step, Wait
from games.core.shuffle import Shuffles
from games.russian_poker.engine import actions, rules
from games.russian_poker.engine import setup as setups
from games.russian_poker.engine import state as states
from games.russian_poker.engine import view as views
from games.russian_poker.engine.actions import Action
from games.russian_poker.engine.errors import Refusal
from games.russian_poker.engine.events import event_json
from games.russian_poker.engine.play import start
from games.russian_poker.engine.settlement import SEAT
from games.russian_poker.engine.setup import Setup
from games.russian_poker.engine.state import Phase, State


class RussianPoker:
    """One player, one to four boxes, against the dealer."""

    code = "russian_poker"
    rules_version = 1
    dump_version = 2
    package = __name__
    seats = (1, 1)
    stake_kinds: tuple[str, ...] = setups.STAKE_KINDS
    error_codes: frozenset[str] = frozenset(code.value for code in Refusal)
    max_steps = 15
    """The deal, two draws and two decisions, four insurances, the dealer's opening, four purchases, the end."""
    default_limits: Mapping[str, Json] = setups.DEFAULT_LIMITS
    default_pay_table: Json = setups.DEFAULT_PAY_TABLE

    def check_limits(self, limits: Json) -> None:
        setups.parse_limits(limits)

    def check_pay_table(self, pay_table: Json) -> None:
        setups.parse_pay_table(pay_table)

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
        return start(setup, seed)

    def to_act(self, state: State) -> frozenset[int]:
        return _NOBODY if state.phase is Phase.OVER else _PLAYER

    def legal_actions(self, state: State, seat: int) -> tuple[ActionSpec, ...]:
        return rules.legal_actions(state) if seat == SEAT else ()

    def apply(self, state: State, seat: int, action: Action) -> Step[State]:
        return rules.apply(state, seat, action)

    def timeout_action(self, state: State, seat: int) -> Action:
        return rules.timeout_action(state)

    def wait(self, state: State, seat: int) -> Wait | None:
        return rules.wait(state)

    def view(self, state: State, viewer: int | None) -> Json:
        return views.view(state)

    def event_view(self, event: Event, viewer: int | None) -> Json | None:
        return event_json(event)

    def permute_hidden(self, state: State, viewer: int | None, order: Callable[[Sequence[Card]], Sequence[Card]]) -> State:
        return views.permute_hidden(state, order)

    def cards(self, state: State) -> tuple[Card, ...]:
        held = [card for box in state.boxes for card in box.cards]
        return (*held, *state.dealer, *state.deck, *state.discarded, *state.replaced)

    def result(self, state: State) -> Json:
        return views.result(state)

    def dump(self, state: State) -> Json:
        return states.dump_state(state)

    def load(self, data: Json) -> State:
        return states.load_state(data)


_NOBODY: frozenset[int] = frozenset()
_PLAYER = frozenset({SEAT})

"""What may be done when (CP-2.4, CP-4.1, CP-4.2), and what the system does when the time is over."""

from functools import lru_cache

from games.chinese_poker.engine import play
from games.chinese_poker.engine.actions import NAMES, Action, Arrange, CompareNext, Doezd, ForfeitDeal, dump_action
from games.chinese_poker.engine.arranging import arrangements
from games.chinese_poker.engine.errors import Refusal
from games.chinese_poker.engine.scoring import SIZES, Position, in_order
from games.chinese_poker.engine.state import Phase, Standing, State
from games.core.cards import Card, texts
from games.core.engine import ActionSpec, Step, SubsetOf, Wait
from games.core.errors import IllegalAction

NOBODY: frozenset[int] = frozenset()
IN_A_WINDOW = (ActionSpec(NAMES[Doezd], 0, {}), ActionSpec(NAMES[CompareNext], 0, {}))


def to_act(state: State) -> frozenset[int]:
    """Return the seats that the game waits for."""
    if state.phase is Phase.ARRANGING:
        standings = enumerate(state.deal.standings)
        return frozenset([seat for seat, standing in standings if standing is Standing.ARRANGING])
    return frozenset(state.may_press).difference(state.continued) if state.phase is Phase.DECIDING else NOBODY


def legal_actions(state: State, seat: int) -> tuple[ActionSpec, ...]:
    """Return what a seat may do now."""
    if seat not in to_act(state):
        return ()
    return _arranging(state.deal.hands[seat]) if state.phase is Phase.ARRANGING else IN_A_WINDOW


@lru_cache(maxsize=1024)
def _arranging(hand: tuple[Card, ...]) -> tuple[ActionSpec, ...]:
    """Return the one kind of action on a hand; it is asked for again as long as the hand is not arranged."""
    held = tuple(texts(hand))
    parameters = {position.code: SubsetOf(held, SIZES[position], SIZES[position]) for position in Position}
    suggestions = tuple([dump_action(Arrange(*hands)) for hands in arrangements(hand)])
    return (ActionSpec(NAMES[Arrange], 0, parameters, suggestions),)


def apply(state: State, seat: int, action: Action) -> Step[State]:
    """Carry out an action.

    **Errors** IllegalAction with a ``Refusal``.
    """
    refusal = why_not(state, seat, action)
    if refusal is not None:
        raise IllegalAction(refusal)
    if isinstance(action, Arrange):
        return play.arrange(state, seat, action)
    if isinstance(action, ForfeitDeal):
        return play.forfeit(state, seat)
    return play.doezd(state, seat) if isinstance(action, Doezd) else play.compare_next(state, seat)


def why_not(state: State, seat: int, action: Action) -> Refusal | None:
    """Return why a seat may not take an action, None if it may."""
    if state.phase is Phase.OVER:
        return Refusal.ROUND_OVER
    if not 0 <= seat < state.setup.seats:
        return Refusal.SEAT_NOT_TO_ACT
    if isinstance(action, (Arrange, ForfeitDeal)):
        if state.phase is not Phase.ARRANGING:
            return Refusal.NOT_ARRANGING
        if state.deal.standings[seat] is not Standing.ARRANGING:
            return Refusal.ALREADY_ARRANGED
        return _why_not_so(state.deal.hands[seat], action) if isinstance(action, Arrange) else None
    if state.phase is not Phase.DECIDING:
        return Refusal.WINDOW_NOT_OPEN
    if seat not in state.may_press:
        return Refusal.TARGET_NOT_REACHED
    return Refusal.ALREADY_CONTINUED if seat in state.continued else None


def _why_not_so(hand: tuple[Card, ...], action: Arrange) -> Refusal | None:
    """Return what is wrong with an arrangement of a hand (CP-2.4)."""
    named = {*action.first, *action.second, *action.third}
    if len(named) < len(hand):
        return Refusal.CARD_NAMED_TWICE
    if not named.issubset(hand):
        return Refusal.CARD_NOT_HELD
    first_holds, second_holds = in_order(action.first, action.second, action.third)
    if not first_holds:
        return Refusal.FIRST_BELOW_SECOND
    return None if second_holds else Refusal.SECOND_BELOW_THIRD


def timeout_action(state: State) -> Action:
    """Return what the system plays: no arrangement (CP-2.5), or that the next position be opened (CP-4.2)."""
    return ForfeitDeal() if state.phase is Phase.ARRANGING else CompareNext()


def wait(state: State, seat: int) -> Wait | None:
    """Return how long a seat may think: one clock for a deal's arrangement, one for each window."""
    if seat not in to_act(state):
        return None
    deal = f"deal {state.deal.number}"
    if state.phase is Phase.ARRANGING:
        return Wait("arrange_timeout_seconds", state.setup.arrange_timeout_seconds, "turn", deal)
    return Wait("compare_timeout_seconds", state.setup.compare_timeout_seconds, "turn", f"{deal} {state.position.code}")

"""What may be done when (RP-5 to RP-7)."""

from games.core.engine import ActionSpec, Amount, OneOf, Step, SubsetOf, Wait
from games.core.errors import IllegalAction
from games.russian_poker.engine.actions import (
    NAMES,
    ON_A_BOX,
    ON_THE_TABLE,
    Action,
    Bet,
    BuyGame,
    Continue,
    Exchange,
    Fold,
    Insure,
    OpenDealer,
    SixthCard,
)
from games.russian_poker.engine.errors import Refusal
from games.russian_poker.engine.play import carry_out
from games.russian_poker.engine.scoring import LOWEST_GAME
from games.russian_poker.engine.settlement import SEAT, insurance_bounds
from games.russian_poker.engine.state import Box, Decision, Draw, Phase, State


def why_not(state: State, kind: type[Action], number: int = 0) -> Refusal | None:
    """Return why an action of this kind is not possible, on box ``number`` where it is about one; None when it is.

    What an action names beyond its box (cards, an amount) is checked where it is carried out.
    """
    if state.phase is Phase.OVER:
        return Refusal.ROUND_OVER
    if kind is OpenDealer:
        return None if state.phase is Phase.INSURING else Refusal.DEALER_NOT_READY
    if kind is Continue:
        return None if state.phase is Phase.BUYING else Refusal.NOTHING_TO_CONTINUE
    box = state.box(number)
    if box is None:
        return Refusal.BOX_NOT_PLAYED
    if kind is Insure:
        return _why_not_insure(state, box)
    if kind is BuyGame:
        return _why_not_buy(state, box)
    return _why_not_decide(state, box, draws=kind in (Exchange, SixthCard))


def _why_not_decide(state: State, box: Box, *, draws: bool) -> Refusal | None:
    if box.blind:
        return Refusal.BOX_BLIND
    if box.decision is not Decision.NONE:
        return Refusal.BOX_DECIDED
    if box is not state.undecided:
        return Refusal.BOX_NOT_ITS_TURN
    return Refusal.ALREADY_DREW if draws and box.draw is not Draw.NONE else None


def _why_not_insure(state: State, box: Box) -> Refusal | None:
    if box.decision is Decision.FOLD:
        return Refusal.BOX_FOLDED
    if state.phase is not Phase.INSURING:
        return Refusal.INSURANCE_NOT_OPEN
    if box.insurance_minor:
        return Refusal.ALREADY_INSURED
    return None if insurance_bounds(state.setup, box) else Refusal.INSURANCE_NOT_OFFERED


def _why_not_buy(state: State, box: Box) -> Refusal | None:
    if box.decision is Decision.FOLD:
        return Refusal.BOX_FOLDED
    if state.phase is not Phase.BUYING:
        return Refusal.GAME_NOT_FOR_SALE
    return Refusal.ALREADY_BOUGHT if box.game_bought else None


def legal_actions(state: State) -> tuple[ActionSpec, ...]:
    """Return what may be done now, box by box, then what concerns the whole table."""
    specs = []
    for box in state.boxes:
        for kind in ON_A_BOX:
            if why_not(state, kind, box.number) is None:
                specs.append(_spec(state, kind, box))
    for kind in ON_THE_TABLE:
        if why_not(state, kind) is None:
            specs.append(ActionSpec(NAMES[kind], 0, {}))
    return tuple(specs)


def _spec(state: State, kind: type[Action], box: Box) -> ActionSpec:
    on_box = OneOf((box.number,))
    if kind is Exchange:
        options = tuple([card.text for card in box.cards])
        return ActionSpec(NAMES[kind], box.ante_minor, {"box": on_box, "cards": SubsetOf(options, 1, 5)})
    bounds = insurance_bounds(state.setup, box) if kind is Insure else None
    if bounds:
        amount = Amount(*bounds, state.setup.limits.ante.step_minor)
        return ActionSpec(NAMES[kind], amount.min_minor, {"box": on_box, "amount_minor": amount})
    return ActionSpec(NAMES[kind], 0 if kind in (Fold, Bet) else box.ante_minor, {"box": on_box})


def apply(state: State, seat: int, action: Action) -> Step[State]:
    """Carry out an action.

    **Errors** IllegalAction with a ``Refusal``.
    """
    if seat != SEAT:
        raise IllegalAction(Refusal.SEAT_NOT_TO_ACT)
    kind = type(action)
    number = 0 if isinstance(action, (OpenDealer, Continue)) else action.box
    refusal = why_not(state, kind, number)
    if refusal is not None:
        raise IllegalAction(refusal)
    return carry_out(state, action)


def timeout_action(state: State) -> Action:
    """Return what the system plays for an absent player (RP-7.1)."""
    if state.phase is Phase.INSURING:
        return OpenDealer()
    box = state.undecided
    if box is None:
        return Continue()
    return Bet(box.number) if box.hand.first.category >= LOWEST_GAME else Fold(box.number)


def wait(state: State) -> Wait | None:
    """Return how long the round waits for its player (RP-7.1)."""
    if state.phase is Phase.OVER:
        return None
    return Wait("abandon_after_seconds", state.setup.limits.abandon_after_seconds, "action")

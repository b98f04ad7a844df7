"""What may be seen of a round: everything but the deck and, until they open, the dealer's first four cards (RP-3.2, RP-5.9).

There is one player and nothing is hidden from anybody else that the player sees, so every viewer sees the same.
"""

from collections.abc import Callable, Sequence
from typing import Any

from games.core.cards import Card, texts
from games.russian_poker.engine.scoring import LOWEST_GAME, Combination, evaluate, shown
from games.russian_poker.engine.settlement import insurance_bounds
from games.russian_poker.engine.setup import PayTable
from games.russian_poker.engine.state import Box, Decision, Phase, State


def view(state: State) -> dict[str, Any]:
    """Return the round as its table shows it."""
    undecided = state.undecided
    return {
        "phase": state.phase.value,
        "deciding_box": undecided.number if undecided and state.phase is Phase.DECIDING else None,
        "boxes": [_box(state, box) for box in state.boxes],
        "dealer": _dealer(state),
        "staked_minor": sum(box.staked_minor for box in state.boxes),
        "returned_minor": sum(box.returned_minor for box in state.boxes),
    }


def result(state: State) -> dict[str, Any]:
    """Return how the round ended: each box's outcome with its final cards, and the dealer's as far as they were shown."""
    return {"boxes": [_outcome(state, box) for box in state.boxes], "dealer": _dealer(state)}


def _outcome(state: State, box: Box) -> dict[str, Any]:
    hand = box.hand
    return {
        "box": box.number,
        "cards": texts(box.cards),
        "first": hand.first.category.code,
        "second": hand.second.category.code if hand.second else None,
        "multiple": hand.multiple(state.setup.pay_table.bet),
        "outcome": box.outcome.value,
        "staked_minor": box.staked_minor,
        "returned_minor": box.returned_minor,
    }


def permute_hidden(state: State, order: Callable[[Sequence[Card]], Sequence[Card]]) -> State:
    """Return the state with the hidden cards in another order."""
    face_down = () if state.dealer_opened else state.dealer[:-1]
    cards = tuple(order((*face_down, *state.deck)))
    count = len(face_down)
    return state._replace(dealer=cards[:count] + state.dealer[count:], deck=cards[count:])


def _box(state: State, box: Box) -> dict[str, Any]:
    pay_table = state.setup.pay_table
    first, second = shown(box.hand, box.cards)
    return {
        "box": box.number,
        "blind": box.blind,
        "cards": texts(box.cards),
        "first": _combination(first, pay_table),
        "second": _combination(second, pay_table) if second else None,
        "multiple": box.hand.multiple(pay_table.bet),
        "draw": box.draw.value,
        "decision": box.decision.value,
        "ante_minor": box.ante_minor,
        "bonus_minor": box.bonus_minor,
        "bet_minor": box.bet_minor,
        "insurance_minor": box.insurance_minor,
        "insurance_bounds": _insurance_bounds(state, box),
        "game_bought": box.game_bought,
        "outcome": box.outcome.value,
        "staked_minor": box.staked_minor,
        "returned_minor": box.returned_minor,
    }


def _combination(combination: Combination, pay_table: PayTable) -> dict[str, Any]:
    return {
        "category": combination.category.code,
        "cards": texts(combination.cards),
        "pay": pay_table.bet[combination.category],
    }


def _insurance_bounds(state: State, box: Box) -> dict[str, int] | None:
    """The bounds while the window is open, for a playing box that may be insured."""
    if state.phase is not Phase.INSURING or box.decision is not Decision.BET:
        return None
    bounds = insurance_bounds(state.setup, box)
    if bounds is None:
        return None
    return {"min_minor": bounds[0], "max_minor": bounds[1], "step_minor": state.setup.limits.ante.step_minor}


def _dealer(state: State) -> dict[str, Any]:
    if not state.dealer_opened:
        return {"cards": [None] * 4 + [state.dealer[-1].text], "first": None, "has_game": None, "replaced": []}
    first, _ = shown(evaluate(state.dealer), state.dealer)
    return {
        "cards": texts(state.dealer),
        "first": {"category": first.category.code, "cards": texts(first.cards)},
        "has_game": first.category >= LOWEST_GAME,
        "replaced": texts(state.replaced),
    }

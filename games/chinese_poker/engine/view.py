"""What may be seen of a game: one's own cards, and what is open. The only place where anything is hidden.

Lists of points and scores have one item for each seat.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from games.chinese_poker.engine.events import HandDealt, event_json
from games.chinese_poker.engine.scoring import HAND_SIZE, POSITION_CODES, SIZES, SPANS, Points, Position
from games.chinese_poker.engine.settlement import accounts
from games.chinese_poker.engine.state import Deal, Phase, Standing, State
from games.core.cards import Card, texts
from games.core.engine import Event


def view(state: State, viewer: int | None) -> dict[str, Any]:
    """Return the game as a seat, or with None anybody, may see it."""
    setup = state.setup
    return {
        "phase": state.phase.value,
        "target": setup.target,
        "point_price_minor": setup.point_price_minor,
        "rake": setup.rake.dump(),
        "hold_minor": setup.hold_minor,
        "scores": list(state.scores),
        "deal": _deal(state.deal),
        "own": None if viewer is None else _own(state, viewer),
        "window": _window(state) if state.phase is Phase.DECIDING else None,
        "last_deal": _deal(state.last) if state.last else None,
        "result": result(state) if state.phase is Phase.OVER else None,
    }


def event_view(event: Event, viewer: int | None) -> Mapping[str, Any] | None:
    """Return an event as a seat, or with None anybody, sees it: dealt cards are for their own seat alone."""
    return None if isinstance(event, HandDealt) and event.seat != viewer else event_json(event)


def result(state: State) -> dict[str, Any]:
    """Return how the game ended, for each seat."""
    settled = enumerate(zip(state.scores, accounts(state.setup, state.scores), strict=True))
    return {
        "ending": state.ending.value if state.ending else None,
        "pressed_by": state.pressed_by,
        "timed_out": list(state.deal.timed_out),
        "deals": state.deal.number,
        "seats": [
            {
                "seat": seat,
                "score": score,
                "won_minor": account.won_minor,
                "rake_minor": account.rake_minor,
                "net_minor": account.net_minor,
            }
            for seat, (score, account) in settled
        ],
    }


def permute_hidden(state: State, viewer: int | None, order: Callable[[Sequence[Card]], Sequence[Card]]) -> State:
    """Return the state with the cards that the viewer does not see in another order; points that were given stay."""
    shown = [_shown(state, seat, viewer) for seat in range(state.setup.seats)]
    hidden = [card for hand, seen in zip(state.deal.hands, shown, strict=True) for card in hand[seen:]]
    cards = tuple(order((*hidden, *state.rest)))
    hands, at = [], 0
    for hand, seen in zip(state.deal.hands, shown, strict=True):
        hands.append(hand[:seen] + cards[at : at + HAND_SIZE - seen])
        at += HAND_SIZE - seen
    return state._replace(deal=state.deal._replace(hands=tuple(hands)), rest=cards[at:])


def _shown(state: State, seat: int, viewer: int | None) -> int:
    """Return how many cards of a hand the viewer sees: its first ones, since they lie in the order of opening.

    A seat sees its own until the game is over or its time to arrange is; then there is nothing but what is open (CP-2.5, CP-4.3).
    """
    if state.deal.standings[seat] is Standing.TIMED_OUT:
        return 0
    if seat == viewer and state.phase is not Phase.OVER:
        return HAND_SIZE
    return sum(SIZES[: len(state.deal.opened)])


def _deal(deal: Deal) -> dict[str, Any]:
    return {
        "number": deal.number,
        "standings": [standing.value for standing in deal.standings],
        "positions": [_position(deal, Position(place), points) for place, points in enumerate(deal.opened)],
    }


def _position(deal: Deal, position: Position, points: Points) -> dict[str, Any]:
    return {
        "position": position.code,
        "hands": [hand and texts(hand) for hand in deal.shown(position)],
        "comparison_points": list(points.comparison),
        "prize_points": list(points.prize),
        "two_positions_points": list(points.two_positions),
    }


def _own(state: State, viewer: int) -> dict[str, Any]:
    """What a seat sees of its own cards: as they were dealt, then as it arranged them."""
    hand, standing = state.deal.hands[viewer], state.deal.standings[viewer]
    whole = _shown(state, viewer, viewer) == HAND_SIZE
    arranged = dict(zip(POSITION_CODES, [texts(hand[span]) for span in SPANS], strict=True))
    return {
        "seat": viewer,
        "cards": texts(hand) if whole and standing is Standing.ARRANGING else None,
        "arrangement": arranged if whole and standing is Standing.ARRANGED else None,
    }


def _window(state: State) -> dict[str, Any]:
    return {"position": state.position.code, "may_press": list(state.may_press), "continued": list(state.continued)}

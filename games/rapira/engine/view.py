"""What each seat may see (RA-2.4): its own cards, of the others only what is open, and of no deck its order."""

from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter
from typing import Any

from games.rapira.engine.cards import SLOTS, ColouredCard, card_texts
from games.rapira.engine.play import ALL_SLOTS
from games.rapira.engine.scoring import Place, place_of
from games.rapira.engine.state import DISCARDS, LastHand, Phase, Seat, ShownHand, State, winners

Order = Callable[[Sequence[Any]], Sequence[Any]]


def view(state: State, viewer: int | None) -> dict[str, Any]:
    """Return the game as a seat, or with None anybody, sees it."""
    setup = state.setup
    pot_minor = setup.entry_minor * setup.seats
    return {
        "phase": state.phase.value,
        "cycle": state.cycle,
        "max_cycles": setup.max_cycles,
        "hand": state.hand,
        "seats": [_public(state, index, seat) for index, seat in enumerate(state.seats)],
        "own": None if viewer is None else _own(state.phase, state.seats[viewer]),
        "last_hand": None if state.last is None else _last_hand(state.last),
        "pot_minor": pot_minor,
        "rake_minor": setup.rake.of(pot_minor),
        "winners": winners(state) if state.phase is Phase.OVER else None,
    }


def result(state: State) -> dict[str, Any]:
    """Return how the game ended: who won, and every seat's points."""
    return {
        "cycle": state.cycle,
        "hand": state.hand,
        "winners": winners(state),
        "points": [seat.points for seat in state.seats],
    }


def permute_hidden(state: State, viewer: int | None, order: Order) -> State:
    """Return the state with each deck's hidden cards in another order.

    Of its own deck a seat knows the contents and not the order; of another seat's cards it knows none, wherever they lie. What
    they have brought already, points, bonuses and open hands, stays.
    """
    seats = [
        _own_hidden(seat, order) if index == viewer else seat._replace(slots=seat.cards(tuple(order(ALL_SLOTS))))
        for index, seat in enumerate(state.seats)
    ]
    return state._replace(seats=tuple(seats))


def _own_hidden(seat: Seat, order: Order) -> Seat:
    shown = seat.shown
    return seat._replace(deck=shown + tuple(order(seat.deck[len(shown) :])))


def _public(state: State, index: int, seat: Seat) -> dict[str, Any]:
    """What all see of a seat; its counts as they stood when the hand began (RA-2.4)."""
    phase = state.phase
    playing = phase is Phase.HAND and seat.in_play
    hand, pile = _counted(state, index, seat)
    return {
        "seat": index,
        "points": seat.points,
        "is_out": not seat.in_play,
        "has_played": playing and seat.played is not None,
        "has_finished_bonuses": phase is Phase.BONUSES and seat.in_play and not seat.bonuses,
        "hand_count": hand,
        "deck_count": SLOTS - hand - pile,
        "pile_count": pile,
    }


def _counted(state: State, index: int, seat: Seat) -> tuple[int, int]:
    """Return what others count as a seat's hand and pile.

    The cards of a seat that is out lie still since its last hand (RA-4.2), so they count as they lie: unless it was the game's
    last hand too, after which no other began.
    """
    fell_at_the_end = state.phase is Phase.OVER and state.last is not None and index in [each.seat for each in state.last.shown]
    if seat.in_play or fell_at_the_end:
        return seat.counted_hand, seat.counted_pile
    return len(seat.hand), len(seat.pile)


def _own(phase: Phase, seat: Seat) -> dict[str, Any]:
    """What only the owner sees: the deck sorted, so that its order stays hidden."""
    return {
        "hand": card_texts(seat.cards(seat.hand)),
        "deck": _sorted(seat.cards(seat.deck)),
        "pile": card_texts(seat.cards(seat.pile)),
        "played": None if seat.played is None else card_texts(seat.cards(seat.played)),
        "discards_left": DISCARDS - seat.discards if phase is Phase.HAND and seat.in_play else 0,
        "bonuses_earned": seat.earned,
        "bonuses_left": seat.bonuses,
        "bonus_cards": card_texts(seat.cards(seat.shown)),
    }


def _sorted(cards: Iterable[ColouredCard]) -> list[str]:
    return card_texts(sorted(cards, key=attrgetter("index")))


def _last_hand(last: LastHand) -> dict[str, Any]:
    return {"cycle": last.cycle, "hand": last.hand, "seats": [_shown(each) for each in last.shown]}


def _shown(each: ShownHand) -> dict[str, Any]:
    return {
        "seat": each.seat,
        "cards": card_texts(each.cards),
        "combination": Place(each.strength[0]).code if each.cards else None,
        "place": place_of(each.strength),
        "ranks": list(each.strength[1:]),
        "won": each.won,
        "points_lost": each.points_lost,
        "points": each.points,
    }

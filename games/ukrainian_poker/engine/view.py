"""What may be seen of a game: one's own hand, what lies open, bids as far as they are shown; never the stock (UP-3.2, UP-4.5)."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any

from games.core.cards import DECK_54, Card, texts
from games.core.pot import pot_moves
from games.ukrainian_poker.engine.events import suit_text
from games.ukrainian_poker.engine.rules import legal_cards
from games.ukrainian_poker.engine.schedule import Kind, Round, schedule
from games.ukrainian_poker.engine.scoring import winners
from games.ukrainian_poker.engine.state import NOBODY, Score, State, Trick


def view(state: State, viewer: int | None) -> dict[str, Any]:
    """Return the table as a seat, or with None anybody, sees it."""
    setup, (kind, cards, _) = state.setup, state.round
    is_over = state.turn == NOBODY
    return {
        "phase": "over" if is_over else "bidding" if state.is_bidding else "playing",
        "round": state.number,
        "rounds": len(schedule(setup.seats)),
        "kind": kind.value,
        "cards_per_hand": cards,
        "dealer": state.dealer,
        "turned": state.turned.text if state.turned else None,
        "trump": suit_text(state.trump),
        "acting_seat": None if is_over else state.turn,
        "seats": [_seat(state, seat, viewer) for seat in range(setup.seats)],
        "hand": None if viewer is None else texts(state.hands[viewer]),
        "trick": None if is_over else _trick(state.trick),
        "last_trick": _trick(state.last_trick) if state.last_trick else None,
        "scores": score_table(state),
        "ante_minor": setup.ante_minor,
        "pot_minor": setup.pot_minor,
        "rake_minor": setup.rake.of(setup.pot_minor),
        "winners": list(winners(state.totals)) if is_over else None,
    }


def result(state: State) -> dict[str, Any]:
    """Return how the game ended: totals, who shared the pot and what each seat got of it, and the score table."""
    setup, best = state.setup, winners(state.totals)
    shares = [0] * setup.seats
    for move in pot_moves(setup.ante_minor, setup.seats, best, setup.rake):
        if move.kind == "release":
            shares[move.seat] += move.amount_minor
    return {
        "totals": list(state.totals),
        "winners": list(best),
        "pot_minor": setup.pot_minor,
        "rake_minor": setup.rake.of(setup.pot_minor),
        "shares_minor": shares,
        "scores": score_table(state),
    }


def score_table(state: State) -> list[dict[str, Any]]:
    """Return a row for each finished round with a column for each seat (UP-5.3)."""
    rounds = schedule(state.setup.seats)
    return [_row(number, rounds[number - 1], score) for number, score in enumerate(state.scores, start=1)]


def _row(number: int, played: Round, score: Score) -> dict[str, Any]:
    columns = zip(score.bids, score.taken, score.points, score.totals, strict=True)
    return {
        "round": number,
        "kind": played.kind.value,
        "cards_per_hand": played.cards,
        "seats": [{"bid": bid, "taken": taken, "points": earned, "total": total} for bid, taken, earned, total in columns],
    }


def _seat(state: State, seat: int, viewer: int | None) -> dict[str, Any]:
    bid = state.bids[seat]
    is_secret = state.round.kind is Kind.BLIND and state.is_bidding and seat != viewer
    return {
        "seat": seat,
        "has_bid": bid is not None,
        "bid": None if is_secret else bid,
        "taken": state.taken[seat],
        "cards_left": len(state.hands[seat]),
        "total": state.totals[seat],
    }


def _trick(trick: Trick) -> dict[str, Any]:
    return {
        "leader": trick.leader,
        "cards": texts(trick.cards),
        "by_highest": trick.by_highest,
        "winner": None if trick.winner == NOBODY else trick.winner,
    }


def permute_hidden(state: State, viewer: int | None, order: Callable[[Sequence[Card]], Sequence[Card]]) -> State:
    """Return the state with cards in other hands and in the stock re-ordered, as far as what was played leaves it open.

    A seat that did not follow has no card that it should have played instead, and a card played to a claim had none above it.
    Two cards may change places if every seat that may still have the one may have the other, so that order asks once for each
    such set of cards.
    """
    hidden = [seat for seat, hand in enumerate(state.hands) if seat != viewer and hand]
    barred = [_barred_from(state, seat) for seat in hidden]
    cards = [*[card for seat in hidden for card in state.hands[seat]], *state.stock]
    kept_from = [tuple([mask >> card.index & 1 for mask in barred]) for card in cards]
    sets: dict[tuple[int, ...], list[Card]] = {}
    for card, hands_without in zip(cards, kept_from, strict=True):
        sets.setdefault(hands_without, []).append(card)
    ordered = {hands_without: iter(order(alike)) for hands_without, alike in sets.items()}
    placed = iter([next(ordered[hands_without]) for hands_without in kept_from])
    hands = list(state.hands)
    for seat in hidden:
        hands[seat] = tuple(islice(placed, len(hands[seat])))
    return state._replace(hands=tuple(hands), stock=tuple(placed))


def _barred_from(state: State, seat: int) -> int:
    """Return the cards that a seat cannot have, by what it has played in the round, as a set of bits."""
    barred = 0
    for trick in (*state.tricks, state.trick):
        place = (seat - trick.leader) % state.setup.seats
        if 0 < place < len(trick.cards):
            barred |= _preferred(trick.cards[place], trick.cards[0], state.trump, trick.by_highest, state.setup.joker_any_time)
    return barred


@lru_cache(maxsize=4096)
def _preferred(card: Card, led: Card, trump: int, by_highest: bool, joker_any_time: bool) -> int:
    """Return the cards that would have to be played before this one, as a set of bits."""
    barred = 0
    for other in DECK_54:
        if card not in legal_cards((card, other), led, trump, by_highest=by_highest, joker_any_time=joker_any_time):
            barred |= 1 << other.index
    return barred

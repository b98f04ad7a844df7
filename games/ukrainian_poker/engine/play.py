"""What each action does (UP-1 to UP-5); that it may be done is settled in ``rules``."""

from games.core.cards import DECK_54, Card
from games.core.engine import Event, Move, Step
from games.core.errors import IllegalAction
from games.core.pot import pot_moves
from games.core.shuffle import ExplicitDecks, Shuffles
from games.ukrainian_poker.engine import events
from games.ukrainian_poker.engine.actions import Action, Bid, PlayCard
from games.ukrainian_poker.engine.errors import Refusal
from games.ukrainian_poker.engine.rules import why_not_bid, why_not_play
from games.ukrainian_poker.engine.schedule import Kind, schedule
from games.ukrainian_poker.engine.scoring import trump_of, winners, winning_place
from games.ukrainian_poker.engine.setup import Setup
from games.ukrainian_poker.engine.state import NOBODY, Score, State, Trick, scored


def start(setup: Setup, seed: Shuffles) -> Step[State]:
    """Take the antes, choose the first dealer and deal round 1 (UP-1.2, UP-1.3)."""
    dealer = setup.first_dealer
    if dealer is None:
        dealer = seed.shuffled(range(setup.seats), 0)[0]
    state, dealt = _deal(setup, seed, 1, dealer, None, ())
    holds = tuple([Move("hold", seat, setup.ante_minor, "ante") for seat in range(setup.seats)])
    return Step(state, (events.GameOpened(setup.ante_minor, setup.pot_minor), *dealt), holds)


def apply(state: State, seat: int, action: Action) -> Step[State]:
    """Carry out an action.

    **Errors** IllegalAction with a ``Refusal``.
    """
    if seat != state.turn or seat == NOBODY:
        raise IllegalAction(Refusal.GAME_OVER if state.turn == NOBODY else Refusal.SEAT_NOT_TO_ACT)
    refusal = why_not_bid(state, action.tricks) if isinstance(action, Bid) else why_not_play(state, action)
    if refusal is not None:
        raise IllegalAction(refusal)
    return _bid(state, action.tricks) if isinstance(action, Bid) else _play(state, action)


def _deal(
    setup: Setup, seed: Shuffles, number: int, dealer: int, last_trick: Trick | None, scores: tuple[Score, ...]
) -> tuple[State, list[Event]]:
    """Deal a round, one card at a time from the dealer's left, and turn a card (UP-2.2, UP-2.3)."""
    seats = setup.seats
    kind, cards, _ = schedule(seats)[number - 1]
    deck = _deck(setup, seed, number)
    first, used = (dealer + 1) % seats, seats * cards
    hands = tuple([deck[(seat - first) % seats : used : seats] for seat in range(seats)])
    turned = None
    if kind is not Kind.NO_TRUMP and used < len(deck):
        turned = deck[used]
        used += 1
    blank = (None,) * seats
    none_taken = (0,) * seats
    state = State(
        setup, seed, number, dealer, hands, turned, deck[used:], blank, none_taken, first, Trick(first), (), last_trick, scores
    )
    trump = events.suit_text(trump_of(turned))
    happened: list[Event] = [events.RoundDealt(number, kind, cards, dealer, turned, trump)]
    happened += [events.HandDealt(seat, hand) for seat, hand in enumerate(hands)]
    return state, happened


def _deck(setup: Setup, seed: Shuffles, number: int) -> tuple[Card, ...]:
    """Return the pack of a round: its shuffle, or, laid out by hand for a named dealer, the deck one place earlier (UP-1.3)."""
    has_no_first = setup.first_dealer is not None and isinstance(seed, ExplicitDecks)
    return seed.shuffled(DECK_54, number - has_no_first)


def _bid(state: State, tricks: int) -> Step[State]:
    """UP-3.1; after the last bid the dealer's left leads, in the blind round once all bids are shown (UP-3.2)."""
    seat = state.turn
    bids = (*state.bids[:seat], tricks, *state.bids[seat + 1 :])
    is_blind = state.round.kind is Kind.BLIND
    happened: list[Event] = [events.BidMade(seat, tricks, is_blind)]
    if is_blind and seat == state.dealer:
        happened.append(events.BidsShown(tuple([bid for bid in bids if bid is not None])))
    after = state._replace(bids=bids, turn=(seat + 1) % state.setup.seats)
    return Step(after, tuple(happened), ())


def _play(state: State, action: PlayCard) -> Step[State]:
    """UP-4."""
    seat, (card, by_highest) = state.turn, action
    hand = state.hands[seat]
    place = hand.index(card)
    hands = (*state.hands[:seat], hand[:place] + hand[place + 1 :], *state.hands[seat + 1 :])
    leader, cards, claimed, _ = state.trick
    trick = Trick(leader, (*cards, card), claimed or by_highest)
    played = events.CardPlayed(seat, card, by_highest)
    seats = state.setup.seats
    if len(trick.cards) < seats:
        return Step(state._replace(hands=hands, trick=trick, turn=(seat + 1) % seats), (played,), ())
    return _finish_trick(state._replace(hands=hands), trick, played)


def _finish_trick(state: State, trick: Trick, played: Event) -> Step[State]:
    """The winner leads to the next trick (UP-4.1), or the round is over."""
    place = winning_place(trick.cards, state.trump, by_highest=trick.by_highest)
    winner = (trick.leader + place) % state.setup.seats
    trick = trick._replace(winner=winner)
    tricks = state.taken[winner] + 1
    taken = (*state.taken[:winner], tricks, *state.taken[winner + 1 :])
    happened = (played, events.TrickTaken(winner, tricks))
    after = state._replace(taken=taken, turn=winner, trick=Trick(winner), tricks=(*state.tricks, trick), last_trick=trick)
    return Step(after, happened, ()) if after.hands[winner] else _finish_round(after, happened)


def _finish_round(state: State, happened: tuple[Event, ...]) -> Step[State]:
    """Score the round (UP-5), then deal the next one to the left, or share the pot (UP-1.2)."""
    setup, number = state.setup, state.number
    score = scored(number, state.bids, state.taken, state.totals)
    scores = (*state.scores, score)
    happened = (*happened, events.RoundScored(number, score.bids, score.taken, score.points, score.totals))
    if number < len(schedule(setup.seats)):
        after, dealt = _deal(setup, state.seed, number + 1, (state.dealer + 1) % setup.seats, state.last_trick, scores)
        return Step(after, (*happened, *dealt), ())
    best = winners(score.totals)
    shared = events.PotShared(score.totals, best, setup.pot_minor, setup.rake.of(setup.pot_minor))
    moves = pot_moves(setup.ante_minor, setup.seats, best, setup.rake)
    return Step(state._replace(turn=NOBODY, scores=scores), (*happened, shared), moves)

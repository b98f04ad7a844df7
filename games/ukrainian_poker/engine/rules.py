"""What may be done when (UP-3, UP-4, UP-6)."""

from games.core.cards import Card
from games.core.engine import ActionSpec, OneOf, Wait
from games.ukrainian_poker.engine.actions import BID, PLAY_CARD, Action, Bid, PlayCard
from games.ukrainian_poker.engine.errors import Refusal
from games.ukrainian_poker.engine.schedule import Kind
from games.ukrainian_poker.engine.scoring import NO_TRUMP, height, is_joker
from games.ukrainian_poker.engine.state import NOBODY, State

_NO_CLAIM = OneOf((False,))
_CLAIM_OR_NOT = OneOf((False, True))
_UP_TO = tuple([tuple(range(most + 1)) for most in range(10)])


def legal_cards(
    hand: tuple[Card, ...], led: Card | None, trump: int, *, by_highest: bool, joker_any_time: bool
) -> tuple[Card, ...]:
    """Return which cards of a hand may be played on the card that is led (None: the hand leads), in the hand's order."""
    if led is None:
        return hand
    if by_highest:
        highest = max(map(height, hand))
        return tuple([card for card in hand if height(card) == highest])
    suit = led.suit
    if suit != trump and not is_joker(led):
        following = [card for card in hand if card.suit == suit]
        if following:
            return tuple([card for card in hand if card.suit == suit or (joker_any_time and is_joker(card))])
    if trump == NO_TRUMP:
        return hand
    return tuple([card for card in hand if card.suit == trump or is_joker(card)]) or hand


def cards_to_play(state: State) -> tuple[Card, ...]:
    """Return which cards the seat to act may play."""
    trick = state.trick
    return legal_cards(
        state.hands[state.turn],
        trick.cards[0] if trick.cards else None,
        state.trump,
        by_highest=trick.by_highest,
        joker_any_time=state.setup.joker_any_time,
    )


def banned_bid(state: State) -> int | None:
    """Return the bid that the seat to act may not make; None if there is no such bid (UP-3.1, UP-3.2)."""
    kind, cards, _ = state.round
    if state.turn != state.dealer or (kind is Kind.BLIND and not state.setup.blind_ban):
        return None
    left = cards - sum([bid for bid in state.bids if bid is not None])
    return left if left >= 0 else None


def bids_to_make(state: State) -> tuple[int, ...]:
    """Return which bids the seat to act may make."""
    banned, every = banned_bid(state), _UP_TO[state.round.cards]
    return every if banned is None else every[:banned] + every[banned + 1 :]


def why_not_bid(state: State, tricks: int) -> Refusal | None:
    """Return why the seat to act may not bid so many tricks; None if it may."""
    if not state.is_bidding:
        return Refusal.BIDS_NOT_OPEN
    if not 0 <= tricks <= state.round.cards:
        return Refusal.BID_OUT_OF_RANGE
    return Refusal.BID_MAKES_SUM_EQUAL_CARDS if tricks == banned_bid(state) else None


def why_not_play(state: State, action: PlayCard) -> Refusal | None:
    """Return why the seat to act may not play a card; None if it may."""
    if state.is_bidding:
        return Refusal.BIDS_NOT_COMPLETE
    card, trick = action.card, state.trick
    if card not in state.hands[state.turn]:
        return Refusal.CARD_NOT_IN_HAND
    if action.by_highest and (trick.cards or not is_joker(card)):
        return Refusal.CLAIM_NOT_POSSIBLE
    legal = cards_to_play(state)
    if card in legal:
        return None
    if trick.by_highest:
        return Refusal.MUST_PLAY_HIGHEST
    suit = trick.cards[0].suit
    return Refusal.MUST_FOLLOW_SUIT if any(each.suit == suit for each in legal if not is_joker(each)) else Refusal.MUST_PLAY_TRUMP


def legal_actions(state: State, seat: int) -> tuple[ActionSpec, ...]:
    """Return what a seat may do now; a joker that is led may be played with the claim or without it."""
    if seat != state.turn or seat == NOBODY:
        return ()
    if state.is_bidding:
        return (ActionSpec(BID, 0, {"tricks": OneOf(bids_to_make(state))}),)
    cards = cards_to_play(state)
    if state.trick.cards:
        return (_play_spec(cards, _NO_CLAIM),)
    jokers = tuple([card for card in cards if is_joker(card)])
    if not jokers:
        return (_play_spec(cards, _NO_CLAIM),)
    others = tuple([card for card in cards if not is_joker(card)])
    claims = _play_spec(jokers, _CLAIM_OR_NOT)
    return (_play_spec(others, _NO_CLAIM), claims) if others else (claims,)


def _play_spec(cards: tuple[Card, ...], claim: OneOf) -> ActionSpec:
    return ActionSpec(PLAY_CARD, 0, {"card": OneOf(tuple([card.text for card in cards])), "by_highest": claim})


def timeout_action(state: State) -> Action:
    """Return what the system plays for an absent player: the lowest legal bid or card, never a claim (UP-6.1)."""
    if state.is_bidding:
        return Bid(bids_to_make(state)[0])
    return PlayCard(min(cards_to_play(state), key=lambda card: (height(card), card.index)))


def wait(state: State) -> Wait:
    """Return how long the seat to act may think (UP-6.1)."""
    if state.is_bidding:
        return Wait("bid_timeout_seconds", state.setup.bid_timeout_seconds, "turn")
    return Wait("play_timeout_seconds", state.setup.play_timeout_seconds, "turn")

"""What may be done when (RA-2, RA-6, RA-7)."""

from functools import cache

from games.core.cards import SUITS
from games.core.engine import ActionSpec, OneOf, Step, SubsetOf, Wait
from games.core.errors import IllegalAction
from games.rapira.engine.actions import (
    COUNTS,
    HAND,
    NAMES,
    Action,
    BonusColour,
    BonusPipette,
    BonusSkip,
    BonusSuit,
    Discard,
    PlayHand,
)
from games.rapira.engine.bonuses import use_bonus
from games.rapira.engine.cards import COLOURS, SETS
from games.rapira.engine.errors import Refusal
from games.rapira.engine.play import Play, discard, play_hand
from games.rapira.engine.scoring import strongest
from games.rapira.engine.state import DISCARDS, Phase, Seat, State


def apply(state: State, index: int, action: Action) -> Step[State]:
    """Carry out an action.

    **Errors** IllegalAction with a ``Refusal``, the first one that holds in the order of their list.
    """
    refusal = why_not(state, index, action)
    if refusal is not None:
        raise IllegalAction(refusal)
    play = Play(state)
    if isinstance(action, PlayHand):
        play_hand(play, index, action)
    elif isinstance(action, Discard):
        discard(play, index, action)
    else:
        use_bonus(play, index, action)
    return play.step()


def why_not(state: State, index: int, action: Action) -> Refusal | None:
    """Return why an action is not possible; None when it is."""
    if state.phase is Phase.OVER:
        return Refusal.GAME_OVER
    if not 0 <= index < len(state.seats):
        return Refusal.SEAT_NOT_TO_ACT
    seat = state.seats[index]
    if not seat.in_play:
        return Refusal.SEAT_OUT
    if isinstance(action, (Discard, PlayHand)):
        return _why_not_in_hand(state, seat, action)
    if state.phase is Phase.HAND:
        return Refusal.HAND_RUNNING
    if not seat.bonuses:
        return Refusal.BONUSES_FINISHED
    if isinstance(action, BonusColour) and seat.slots[seat.shown[action.position]].colours & COLOURS[action.colour]:
        return Refusal.COLOUR_ALREADY_THERE
    return None


def _why_not_in_hand(state: State, seat: Seat, action: Discard | PlayHand) -> Refusal | None:
    if state.phase is Phase.BONUSES:
        return Refusal.BONUS_PHASE_RUNNING
    if seat.played is not None:
        return Refusal.HAND_ALREADY_PLAYED
    if isinstance(action, Discard):
        if seat.discards == DISCARDS:
            return Refusal.NO_DISCARDS_LEFT
        if not seat.deck:
            return Refusal.DECK_EMPTY
    return Refusal.NO_CARD_AT_POSITION if action.positions[-1] >= len(seat.hand) else None


def legal_actions(state: State, index: int) -> tuple[ActionSpec, ...]:
    """Return what a seat may do now."""
    if not state.waits_for(index):
        return ()
    seat = state.seats[index]
    if state.phase is Phase.BONUSES:
        return _BONUSES + _colours(seat)
    play = _PLAY[len(seat.hand)]
    return (_DISCARD[len(seat.hand)], play) if seat.discards < DISCARDS and seat.deck else (play,)


def timeout_action(state: State, index: int) -> Action:
    """Return what the system plays for a seat whose time is up (RA-7.1)."""
    seat = state.seats[index]
    return BonusSkip() if state.phase is Phase.BONUSES else PlayHand(strongest(seat.cards(seat.hand)))


def wait(state: State, index: int) -> Wait | None:
    """Return a seat's clock: one for a hand, one for a whole bonus phase (RA-7.1)."""
    if not state.waits_for(index):
        return None
    if state.phase is Phase.BONUSES:
        return Wait("bonus_timeout_seconds", state.setup.bonus_timeout_seconds, "turn", f"bonuses {state.cycle}")
    return Wait("hand_timeout_seconds", state.setup.hand_timeout_seconds, "turn", f"hand {state.cycle}.{state.hand}")


def _of_positions(kind: type[Action], cards: int) -> SubsetOf:
    least, most = COUNTS[kind]
    return SubsetOf(tuple(range(cards)), least, min(most, cards))


def _colours(seat: Seat) -> tuple[ActionSpec, ...]:
    """Return a spec for each colour that some card shown lacks: which ones may take it differs from colour to colour."""
    held = 0
    for position, card in enumerate(seat.cards(seat.shown)):
        held |= _LANES[card.colours] << position
    found = [_colour(name, ~(held >> lane) & _EIGHT) for lane, name in _LANE_OF]
    return tuple([spec for spec in found if spec])


@cache
def _colour(name: str, lacking: int) -> ActionSpec | None:
    """Return the spec of a colour for the positions whose bits are set: 5 x 256 at most."""
    positions = tuple([position for position in range(HAND) if lacking >> position & 1])
    return ActionSpec(NAMES[BonusColour], 0, {"position": OneOf(positions), "colour": OneOf((name,))}) if positions else None


_EIGHT = (1 << HAND) - 1
_LANE_OF = tuple(zip(range(0, HAND * len(COLOURS), HAND), COLOURS, strict=True))
_LANES = tuple([sum([1 << lane for lane, name in _LANE_OF if colours & COLOURS[name]]) for colours in range(SETS)])
"""A set of colours with eight bits' room for each, so that those of eight cards fit into one number."""
_DISCARD, _PLAY = (
    tuple([ActionSpec(NAMES[kind], 0, {"positions": _of_positions(kind, cards)}) for cards in range(HAND + 1)])
    for kind in (Discard, PlayHand)
)
"""By the number of cards in the hand."""
_BONUSES = (
    ActionSpec(NAMES[BonusSuit], 0, {"positions": _of_positions(BonusSuit, HAND), "suit": OneOf(tuple(SUITS))}),
    ActionSpec(NAMES[BonusPipette], 0, {"positions": _of_positions(BonusPipette, HAND)}),
    ActionSpec(NAMES[BonusSkip], 0, {}),
)

"""What a bonus does to the cards shown for it (RA-6.3)."""

from games.core.engine import Event
from games.rapira.engine import events
from games.rapira.engine.actions import BonusAction, BonusColour, BonusPipette, BonusSkip, BonusSuit
from games.rapira.engine.cards import COLOURS, ColouredCard, with_colour, with_suit
from games.rapira.engine.play import Play, show_bonus
from games.rapira.engine.state import Seat

Cards = tuple[ColouredCard, ...]


def use_bonus(play: Play, index: int, action: BonusAction) -> None:
    """Use a seat's present bonus, then show the cards for the next one, with the changes made (RA-6.2)."""
    seat = play.seats[index]
    event = events.BonusSkipped(index) if isinstance(action, BonusSkip) else _change_cards(play, index, action)
    play.change(index, bonuses=seat.bonuses - 1, shuffle=seat.shuffle + 1)
    play.events.append(event)
    show_bonus(play, index)


def _change_cards(play: Play, index: int, action: BonusSuit | BonusPipette | BonusColour) -> Event:
    seat = play.seats[index]
    positions = (action.position,) if isinstance(action, BonusColour) else action.positions
    changed = [seat.shown[position] for position in positions]
    before = seat.cards(changed)
    if isinstance(action, BonusSuit):
        after = tuple([with_suit(card, action.suit) for card in before])
        event: Event = events.SuitChanged(index, action.suit, before, after)
    elif isinstance(action, BonusPipette):
        after = (before[1], before[1])
        event = events.CardCopied(index, before, after)
    else:
        after = (with_colour(before[0], COLOURS[action.colour]),)
        event = events.ColourAdded(index, action.colour, before, after)
    play.change(index, slots=_replaced(seat, changed, after))
    return event


def _replaced(seat: Seat, changed: list[int], after: Cards) -> Cards:
    slots = list(seat.slots)
    for slot, card in zip(changed, after, strict=True):
        slots[slot] = card
    return tuple(slots)

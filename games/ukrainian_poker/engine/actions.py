"""What a player asks (UP-6.2)."""

from typing import Any, NamedTuple

from games.core.cards import Card, read_cards
from games.core.codec import MAX_INTEGER, Fields
from games.core.engine import Json
from games.core.errors import InvalidData


class Bid(NamedTuple):
    """Announce how many tricks to take (UP-3.1)."""

    tricks: int


class PlayCard(NamedTuple):
    """Play a card; ``by_highest`` claims the trick with a joker that is led (UP-4.4)."""

    card: Card
    by_highest: bool = False


Action = Bid | PlayCard

BID, PLAY_CARD = "bid", "play_card"


def parse_action(data: Json) -> Action:
    """Read an action. A number of tricks that no hand has room for is not malformed: the rules refuse it.

    **Errors** InvalidData: an unknown type, a missing or unknown key, something that is not a card.
    """
    fields = Fields(data)
    action: Action
    match fields.text("type"):
        case "bid":
            action = Bid(fields.integer("tricks", -MAX_INTEGER))
        case "play_card":
            action = PlayCard(_card(fields), _claim(fields))
        case _:
            raise InvalidData("type", f"must be one of {BID}, {PLAY_CARD}")
    fields.end()
    return action


def dump_action(action: Action) -> dict[str, Any]:
    """Return an action as JSON."""
    if isinstance(action, Bid):
        return {"type": BID, "tricks": action.tricks}
    return {"type": PLAY_CARD, "card": action.card.text, "by_highest": action.by_highest}


def _card(fields: Fields) -> Card:
    try:
        return read_cards([fields.value("card")], "card")[0]
    except InvalidData as error:
        raise InvalidData("card", "must be a card such as Th or X1") from error


def _claim(fields: Fields) -> bool:
    claim = fields.value("by_highest") if "by_highest" in fields else False
    if type(claim) is not bool:
        raise InvalidData("by_highest", "must be true or false")
    return claim

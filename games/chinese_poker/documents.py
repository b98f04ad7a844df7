"""What a viewer of thirteen-card poker gets, for the API's reference: the table's view and its events."""

from typing import Any

from rest_framework import serializers

from casino.api.fields import StrictChoiceField, StrictIntegerField, StrictSerializer
from games.chinese_poker.engine import events
from games.chinese_poker.engine.scoring import POSITION_CODES, Position
from games.chinese_poker.engine.setup import MOST_SEATS
from games.chinese_poker.engine.state import Ending, Phase, Standing
from games.core.cards import DECK_52, Card
from games.rounds.game import event_documents
from games.rounds.serializers import RakeSerializer

CARDS = [card.text for card in DECK_52]


def _count(**kwargs: Any) -> StrictIntegerField:
    return StrictIntegerField(min_value=0, **kwargs)


def _seat(**kwargs: Any) -> StrictIntegerField:
    return _count(max_value=MOST_SEATS - 1, **kwargs)


def _seats(**kwargs: Any) -> serializers.ListField:
    return serializers.ListField(child=_seat(), **kwargs)


def _by_seat(**kwargs: Any) -> serializers.ListField:
    return serializers.ListField(child=_count(), **kwargs)


def _cards(**kwargs: Any) -> serializers.ListField:
    return serializers.ListField(child=StrictChoiceField(choices=CARDS, component="Card"), **kwargs)


def _position() -> StrictChoiceField:
    return StrictChoiceField(choices=POSITION_CODES, component="ChinesePokerPosition")


def _ending() -> StrictChoiceField:
    return StrictChoiceField(choices=[each.value for each in Ending], component="ChinesePokerEnding")


class ChinesePokerOpenPosition(StrictSerializer):
    """An open position: each seat's hand, null where it was not arranged in time, and what it gave each seat."""

    position = _position()
    hands = serializers.ListField(child=_cards(allow_null=True))
    comparison_points = _by_seat()
    prize_points = _by_seat()
    two_positions_points = _by_seat()


class ChinesePokerDeal(StrictSerializer):
    """A deal: what has become of each seat's cards, and the positions that are open."""

    number = StrictIntegerField(min_value=1)
    standings = serializers.ListField(
        child=StrictChoiceField(choices=[each.value for each in Standing], component="ChinesePokerStanding")
    )
    positions = ChinesePokerOpenPosition(many=True)


class ChinesePokerArrangement(StrictSerializer):
    """Thirteen cards as three hands."""

    first = _cards()
    second = _cards()
    third = _cards()


class ChinesePokerOwnCards(StrictSerializer):
    """The viewer's own cards: as dealt, and after that as arranged; neither once time was over or the game is."""

    seat = _seat()
    cards = _cards(allow_null=True)
    arrangement = ChinesePokerArrangement(allow_null=True)


class ChinesePokerWindow(StrictSerializer):
    """The window after a position: who may settle the game, and which of them have continued."""

    position = _position()
    may_press = _seats()
    continued = _seats()


class ChinesePokerSeatResult(StrictSerializer):
    """How a seat came out of the game: what it won or, below zero, lost; the rake of a win; and what is left."""

    seat = _seat()
    score = _count()
    won_minor = StrictIntegerField()
    rake_minor = _count()
    net_minor = StrictIntegerField()


class ChinesePokerResult(StrictSerializer):
    """How the game ended: by whom, if somebody pressed or did not arrange in time."""

    ending = _ending()
    pressed_by = _seat(allow_null=True)
    timed_out = _seats()
    deals = StrictIntegerField(min_value=1)
    seats = ChinesePokerSeatResult(many=True)


class ChinesePokerView(StrictSerializer):
    """The table as a seat, or a spectator, sees it."""

    phase = StrictChoiceField(choices=[each.value for each in Phase], component="ChinesePokerPhase")
    target = StrictIntegerField(min_value=1)
    point_price_minor = StrictIntegerField(min_value=1)
    rake = RakeSerializer()
    hold_minor = StrictIntegerField(min_value=1, help_text="What each seat has in the game's escrow: the most it can lose.")
    scores = _by_seat()
    deal = ChinesePokerDeal()
    own = ChinesePokerOwnCards(allow_null=True)
    window = ChinesePokerWindow(allow_null=True)
    last_deal = ChinesePokerDeal(allow_null=True)
    result = ChinesePokerResult(allow_null=True)


def _field(hint: Any) -> serializers.Field[Any, Any, Any, Any]:
    made: dict[Any, serializers.Field[Any, Any, Any, Any]] = {
        int: _count(),
        Position: _position(),
        Ending: _ending(),
        tuple[Card, ...]: _cards(),
        tuple[tuple[Card, ...] | None, ...]: serializers.ListField(child=_cards(allow_null=True)),
        tuple[int, ...]: serializers.ListField(child=StrictIntegerField()),
    }
    return made[hint]


EVENTS = event_documents(events, "ChinesePoker", _field)

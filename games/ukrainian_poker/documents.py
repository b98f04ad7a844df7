"""What a viewer of Ukrainian poker gets, for the API's reference: the table's view and its events."""

from typing import Any

from rest_framework import serializers

from casino.api.fields import StrictBooleanField, StrictChoiceField, StrictIntegerField, StrictSerializer
from games.core.cards import DECK_54, SUITS, Card
from games.rounds.game import event_documents
from games.ukrainian_poker.engine import events
from games.ukrainian_poker.engine.schedule import Kind

PHASES = ["bidding", "playing", "over"]


def _count(**kwargs: Any) -> StrictIntegerField:
    return StrictIntegerField(min_value=0, **kwargs)


def _card(**kwargs: Any) -> StrictChoiceField:
    return StrictChoiceField(choices=[card.text for card in DECK_54], component="CardOrJoker", **kwargs)


def _cards(**kwargs: Any) -> serializers.ListField:
    return serializers.ListField(child=_card(), **kwargs)


def _kind() -> StrictChoiceField:
    return StrictChoiceField(choices=[kind.value for kind in Kind], component="UkrainianPokerRoundKind")


def _suit() -> StrictChoiceField:
    return StrictChoiceField(choices=list(SUITS), component="TrumpSuit", allow_null=True)


class UkrainianPokerSeat(StrictSerializer):
    """A seat in the round: its bid and tricks (x / y), cards in hand, and points so far. A hidden bid is null."""

    seat = _count()
    has_bid = StrictBooleanField()
    bid = _count(allow_null=True)
    taken = _count()
    cards_left = _count()
    total = StrictIntegerField()


class UkrainianPokerTrick(StrictSerializer):
    """A trick: its cards in the order of play from the leader's on, the claim, and who took it."""

    leader = _count()
    cards = _cards()
    by_highest = StrictBooleanField()
    winner = _count(allow_null=True)


class UkrainianPokerScore(StrictSerializer):
    """A seat's column in a row of the score table."""

    bid = _count(allow_null=True)
    taken = _count()
    points = StrictIntegerField()
    total = StrictIntegerField()


class UkrainianPokerScoreRow(StrictSerializer):
    """A finished round in the score table, with a column for each seat."""

    round = _count()
    kind = _kind()
    cards_per_hand = _count()
    seats = UkrainianPokerScore(many=True)


class UkrainianPokerView(StrictSerializer):
    """The table as a seat or a spectator sees it."""

    phase = StrictChoiceField(choices=PHASES, component="UkrainianPokerPhase")
    round = _count()
    rounds = _count()
    kind = _kind()
    cards_per_hand = _count()
    dealer = _count()
    turned = _card(allow_null=True)
    trump = _suit()
    acting_seat = _count(allow_null=True)
    seats = UkrainianPokerSeat(many=True)
    hand = _cards(allow_null=True)
    trick = UkrainianPokerTrick(allow_null=True)
    last_trick = UkrainianPokerTrick(allow_null=True)
    scores = UkrainianPokerScoreRow(many=True)
    ante_minor = _count()
    pot_minor = _count()
    rake_minor = _count()
    winners = serializers.ListField(child=_count(), allow_null=True)


def _field(hint: Any) -> serializers.Field[Any, Any, Any, Any]:
    made: dict[Any, serializers.Field[Any, Any, Any, Any]] = {
        int: StrictIntegerField(),
        int | None: StrictIntegerField(allow_null=True),
        bool: StrictBooleanField(),
        str | None: _suit(),
        Kind: _kind(),
        Card: _card(),
        Card | None: _card(allow_null=True),
        tuple[Card, ...]: _cards(),
        tuple[int, ...]: serializers.ListField(child=StrictIntegerField()),
        tuple[int | None, ...]: serializers.ListField(child=StrictIntegerField(allow_null=True)),
    }
    return made[hint]


EVENTS = event_documents(events, "UkrainianPoker", _field)

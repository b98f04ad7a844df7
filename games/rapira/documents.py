"""What a viewer of Rapira gets, for the API's reference: the table's view and its events."""

from typing import Any

from rest_framework import serializers

from casino.api.fields import CodeField, StrictBooleanField, StrictChoiceField, StrictIntegerField, StrictSerializer
from games.core.cards import SUITS
from games.rapira.engine import events
from games.rapira.engine.actions import HAND
from games.rapira.engine.cards import COLOURS, SLOTS, ColouredCard
from games.rapira.engine.scoring import FULL, Place
from games.rapira.engine.setup import MOST_CYCLES, SEATS
from games.rapira.engine.state import DISCARDS, HANDS, START_POINTS, Phase
from games.rounds.game import event_documents


def _number(most: int | None = None, *, least: int = 0) -> StrictIntegerField:
    return StrictIntegerField(min_value=least) if most is None else StrictIntegerField(min_value=least, max_value=most)


def _seat() -> StrictIntegerField:
    return _number(SEATS[1] - 1)


def _card() -> CodeField:
    return CodeField(
        r"^[2-9TJQKA][cdhs](\.[rygbp]{1,5})?$",
        message="A card is a rank, a suit and, after a dot, the letters of its colours.",
        max_length=8,
        help_text="Rank, suit and, after a dot, the colours red, yellow, green, blue, pink by their first letters.",
    )


def _cards(**kwargs: Any) -> serializers.ListField:
    return serializers.ListField(child=_card(), **kwargs)


def _combination(**kwargs: Any) -> StrictChoiceField:
    return StrictChoiceField(choices=[place.code for place in Place], component="RapiraCombination", **kwargs)


def _ranks() -> serializers.ListField:
    return serializers.ListField(
        child=_number(14, least=1),
        max_length=FULL,
        help_text="What the cards count as, in the order in which they compare; a low ace counts 1.",
    )


class RapiraSeatView(StrictSerializer):
    """What all see of a seat; the counts as they stood when the hand began."""

    seat = _seat()
    points = _number(START_POINTS)
    is_out = StrictBooleanField()
    has_played = StrictBooleanField()
    has_finished_bonuses = StrictBooleanField()
    hand_count = _number(HAND)
    deck_count = _number(SLOTS)
    pile_count = _number(SLOTS)


class RapiraOwnView(StrictSerializer):
    """What a seat sees of itself: its hand in order of positions, its deck sorted, and the cards shown for a bonus."""

    hand = _cards()
    deck = _cards()
    pile = _cards()
    played = _cards(allow_null=True)
    discards_left = _number(DISCARDS)
    bonuses_earned = _number()
    bonuses_left = _number()
    bonus_cards = _cards()


class RapiraShownHand(StrictSerializer):
    """What a seat played in the last hand, and what came of it; an empty hand is no combination."""

    seat = _seat()
    cards = _cards()
    combination = _combination(allow_null=True)
    place = _number(max(Place).value)
    ranks = _ranks()
    won = StrictBooleanField()
    points_lost = _number(START_POINTS)
    points = _number(START_POINTS)


class RapiraLastHand(StrictSerializer):
    """The hand that was settled last."""

    cycle = _number(MOST_CYCLES, least=1)
    hand = _number(HANDS, least=1)
    seats = RapiraShownHand(many=True)


class RapiraView(StrictSerializer):
    """The table as a viewer sees it."""

    phase = StrictChoiceField(choices=[each.value for each in Phase], component="RapiraPhase")
    cycle = _number(MOST_CYCLES, least=1)
    max_cycles = _number(MOST_CYCLES, least=1)
    hand = _number(HANDS, least=1)
    seats = RapiraSeatView(many=True)
    own = RapiraOwnView(allow_null=True)
    last_hand = RapiraLastHand(allow_null=True)
    pot_minor = _number()
    rake_minor = _number()
    winners = serializers.ListField(child=_seat(), allow_null=True)


def _field(hint: Any) -> serializers.Field[Any, Any, Any, Any]:
    made: dict[Any, serializers.Field[Any, Any, Any, Any]] = {
        int: _number(),
        str: StrictChoiceField(choices=[*SUITS, *COLOURS], component="RapiraSuitOrColour"),
        Place | None: _combination(allow_null=True),
        events.Ending: StrictChoiceField(choices=[each.value for each in events.Ending], component="RapiraEnding"),
        tuple[ColouredCard, ...]: _cards(),
        tuple[int, ...]: serializers.ListField(child=_number()),
    }
    return made[hint]


EVENTS = event_documents(events, "Rapira", _field)

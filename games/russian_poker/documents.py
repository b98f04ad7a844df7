"""What a viewer of Russian poker gets, for the API's reference: the table's view and its events."""

from typing import Any

from rest_framework import serializers

from casino.api.fields import StrictBooleanField, StrictChoiceField, StrictIntegerField, StrictSerializer
from games.core.cards import DECK_52, Card
from games.rounds.game import event_documents
from games.russian_poker.engine import events
from games.russian_poker.engine.scoring import Category, Combination
from games.russian_poker.engine.state import Decision, Draw, Outcome, Phase

CATEGORIES = [category.code for category in Category]
CARDS = [card.text for card in DECK_52]


def _minor(**kwargs: Any) -> StrictIntegerField:
    return StrictIntegerField(min_value=0, **kwargs)


def _card(**kwargs: Any) -> StrictChoiceField:
    return StrictChoiceField(choices=CARDS, component="Card", **kwargs)


def _category() -> StrictChoiceField:
    return StrictChoiceField(choices=CATEGORIES, component="RussianPokerCategory")


def _outcome() -> StrictChoiceField:
    return StrictChoiceField(choices=[each.value for each in Outcome], component="RussianPokerOutcome")


def _cards(**kwargs: Any) -> serializers.ListField:
    return serializers.ListField(child=_card(), **kwargs)


class RussianPokerCombination(StrictSerializer):
    """A combination and the cards that make it."""

    category = _category()
    cards = _cards()


class RussianPokerPaidCombination(RussianPokerCombination):
    """A combination with what it pays on the Bet, to 1."""

    pay = StrictIntegerField(min_value=0)


class RussianPokerInsuranceBounds(StrictSerializer):
    """From how much to how much, in which steps, a box may be insured."""

    min_minor = _minor()
    max_minor = _minor()
    step_minor = _minor()


class RussianPokerBoxView(StrictSerializer):
    """A played box: its cards, combinations, stakes and how it ended."""

    box = StrictIntegerField(min_value=1, max_value=5)
    blind = StrictBooleanField()
    cards = _cards()
    first = RussianPokerPaidCombination()
    second = RussianPokerPaidCombination(allow_null=True)
    multiple = StrictIntegerField(min_value=0)
    draw = StrictChoiceField(choices=[each.value for each in Draw])
    decision = StrictChoiceField(choices=[each.value for each in Decision])
    ante_minor = _minor()
    bonus_minor = _minor()
    bet_minor = _minor()
    insurance_minor = _minor()
    insurance_bounds = RussianPokerInsuranceBounds(allow_null=True)
    game_bought = StrictBooleanField()
    outcome = _outcome()
    staked_minor = _minor()
    returned_minor = _minor()


class RussianPokerDealerView(StrictSerializer):
    """The dealer's cards, null while face down, and after they opened the combination and the cards replaced."""

    cards = serializers.ListField(child=_card(allow_null=True))
    first = RussianPokerCombination(allow_null=True)
    has_game = StrictBooleanField(allow_null=True)
    replaced = _cards()


class RussianPokerView(StrictSerializer):
    """The table as its player sees it."""

    phase = StrictChoiceField(choices=[each.value for each in Phase])
    deciding_box = StrictIntegerField(min_value=1, max_value=5, allow_null=True)
    boxes = RussianPokerBoxView(many=True)
    dealer = RussianPokerDealerView()
    staked_minor = _minor()
    returned_minor = _minor()


def _field(hint: Any) -> serializers.Field[Any, Any, Any, Any]:
    made: dict[Any, serializers.Field[Any, Any, Any, Any]] = {
        int: StrictIntegerField(min_value=0),
        bool: StrictBooleanField(),
        Card: _card(),
        Category: _category(),
        Outcome: _outcome(),
        Combination: RussianPokerCombination(),
        Combination | None: RussianPokerCombination(allow_null=True),
        tuple[Card, ...]: _cards(),
        tuple[int, ...]: serializers.ListField(child=StrictIntegerField(min_value=1)),
    }
    return made[hint]


EVENTS = event_documents(events, "RussianPoker", _field)

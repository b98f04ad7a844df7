"""Shapes of Russian poker's bodies. What they mean, and whether it is allowed, is the engine's to say."""

from typing import Any

from casino.api.fields import BoundedListField, MinorAmountField, StrictChoiceField, StrictIntegerField, StrictSerializer
from games.core.cards import DECK_52
from games.rounds.serializers import RoundOpening

BOXES = {"min_value": 1, "max_value": 5}


class RussianPokerBox(StrictSerializer):
    """A box to play: its Ante and, where wanted, its Bonus."""

    box = StrictIntegerField(**BOXES)
    ante_minor = MinorAmountField()
    bonus_minor = MinorAmountField(min_value=0, default=0)


class RussianPokerOpening(RoundOpening):
    """Bet on one to four boxes and have the cards dealt."""

    game = StrictChoiceField(choices=["russian_poker"])
    boxes = BoundedListField(child=RussianPokerBox(), min_length=1, max_length=4)


def _action(type_: str) -> Any:
    return StrictChoiceField(choices=[type_])


class ExchangeAction(StrictSerializer):
    """Exchange one to five cards of a box for a fee of one Ante."""

    type = _action("exchange")
    box = StrictIntegerField(**BOXES)
    cards = BoundedListField(
        child=StrictChoiceField(choices=[card.text for card in DECK_52], component="Card"), min_length=1, max_length=5
    )


class SixthCardAction(StrictSerializer):
    """Buy a sixth card for a box for a fee of one Ante."""

    type = _action("sixth_card")
    box = StrictIntegerField(**BOXES)


class FoldAction(StrictSerializer):
    """Give a box up."""

    type = _action("fold")
    box = StrictIntegerField(**BOXES)


class BetAction(StrictSerializer):
    """Bet twice the Ante on a box."""

    type = _action("bet")
    box = StrictIntegerField(**BOXES)


class InsureAction(StrictSerializer):
    """Insure a box against a dealer without a game."""

    type = _action("insure")
    box = StrictIntegerField(**BOXES)
    amount_minor = MinorAmountField()


class OpenDealerAction(StrictSerializer):
    """End the insurance window: the dealer's cards are opened."""

    type = _action("open_dealer")


class BuyGameAction(StrictSerializer):
    """Buy the dealer a game for a box for a fee of one Ante."""

    type = _action("buy_game")
    box = StrictIntegerField(**BOXES)


class ContinueAction(StrictSerializer):
    """Settle a deal in which the dealer had no game."""

    type = _action("continue")


ACTIONS: dict[str, type[StrictSerializer]] = {
    "exchange": ExchangeAction,
    "sixth_card": SixthCardAction,
    "fold": FoldAction,
    "bet": BetAction,
    "insure": InsureAction,
    "open_dealer": OpenDealerAction,
    "buy_game": BuyGameAction,
    "continue": ContinueAction,
}

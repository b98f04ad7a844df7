"""Shapes of Ukrainian poker's bodies. What they mean, and whether it is allowed, is the engine's to say."""

from casino.api.fields import MinorAmountField, StrictBooleanField, StrictChoiceField, StrictIntegerField, StrictSerializer
from games.core.cards import DECK_54
from games.ukrainian_poker.engine.setup import DEFAULT_WAIT_SECONDS, LONGEST_WAIT_SECONDS


def _seconds(help_text: str) -> StrictIntegerField:
    return StrictIntegerField(min_value=1, max_value=LONGEST_WAIT_SECONDS, default=DEFAULT_WAIT_SECONDS, help_text=help_text)


class UkrainianPokerConvention(StrictSerializer):
    """What a table settles before anybody joins it: the ante, its rules and times."""

    ante_minor = MinorAmountField(help_text="What every seat pays into the pot.")
    blind_ban = StrictBooleanField(default=True, help_text="Whether the last bidder is bound in the blind round too.")
    joker_any_time = StrictBooleanField(default=False, help_text="Whether one who could follow may play a joker instead.")
    bid_timeout_seconds = _seconds("Time for each bid.")
    play_timeout_seconds = _seconds("Time for each card.")


class BidAction(StrictSerializer):
    """Announce how many tricks to take."""

    type = StrictChoiceField(choices=["bid"])
    tricks = StrictIntegerField()


class PlayCardAction(StrictSerializer):
    """Play a card; leading a joker, perhaps with the claim that others play their highest."""

    type = StrictChoiceField(choices=["play_card"])
    card = StrictChoiceField(choices=[card.text for card in DECK_54], component="CardOrJoker")
    by_highest = StrictBooleanField(default=False)


ACTIONS: dict[str, type[StrictSerializer]] = {"bid": BidAction, "play_card": PlayCardAction}

"""Shapes of Rapira's bodies. What they mean, and whether it is allowed, is the engine's to say."""

from typing import Any

from casino.api.fields import BoundedListField, MinorAmountField, StrictChoiceField, StrictIntegerField, StrictSerializer
from games.core.cards import SUITS
from games.rapira.engine import setup
from games.rapira.engine.actions import COUNTS, HAND, Action, BonusPipette, BonusSuit, Discard, PlayHand
from games.rapira.engine.cards import COLOURS
from games.rapira.engine.scoring import Place


class RapiraConvention(StrictSerializer):
    """What a table of Rapira fixes for its games."""

    entry_minor = MinorAmountField(help_text="What every seat pays into the pot.")
    max_cycles = StrictIntegerField(
        min_value=1,
        max_value=setup.MOST_CYCLES,
        default=setup.DEFAULT_CYCLES,
        help_text="After so many cycles the most points win.",
    )
    discard_scope = StrictChoiceField(
        choices=[scope.value for scope in setup.DiscardScope],
        default=setup.DiscardScope.HAND.value,
        help_text="Whether the four discards are for each hand or for a whole cycle.",
    )
    min_loss = StrictIntegerField(
        min_value=0, max_value=max(Place).value, default=0, help_text="What a loser loses whose combination equals the winner's."
    )
    max_bonuses = StrictIntegerField(
        min_value=0,
        max_value=setup.MOST_BONUSES,
        allow_null=True,
        default=None,
        help_text="The most bonuses of a seat and phase.",
    )
    hand_timeout_seconds = StrictIntegerField(min_value=1, max_value=setup.LONGEST_WAIT_SECONDS, default=setup.HAND_SECONDS)
    bonus_timeout_seconds = StrictIntegerField(min_value=1, max_value=setup.LONGEST_WAIT_SECONDS, default=setup.BONUS_SECONDS)


def _action(type_: str) -> Any:
    return StrictChoiceField(choices=[type_])


def _positions(kind: type[Action]) -> BoundedListField:
    least, most = COUNTS[kind]
    return BoundedListField(child=_position(), min_length=least, max_length=most)


def _position() -> StrictIntegerField:
    return StrictIntegerField(min_value=0, max_value=HAND - 1)


class DiscardAction(StrictSerializer):
    """Change one to five cards of the hand, by their positions, for new ones."""

    type = _action("discard")
    positions = _positions(Discard)


class PlayHandAction(StrictSerializer):
    """Play one to five cards of the hand, by their positions."""

    type = _action("play_hand")
    positions = _positions(PlayHand)


class BonusSuitAction(StrictSerializer):
    """Give one to three of the eight cards shown one suit."""

    type = _action("bonus_suit")
    positions = _positions(BonusSuit)
    suit = StrictChoiceField(choices=list(SUITS), component="Suit")


class BonusPipetteAction(StrictSerializer):
    """Make the left one of two cards shown a copy of the right one."""

    type = _action("bonus_pipette")
    positions = _positions(BonusPipette)


class BonusColourAction(StrictSerializer):
    """Add a colour to one of the eight cards shown."""

    type = _action("bonus_colour")
    position = _position()
    colour = StrictChoiceField(choices=list(COLOURS), component="RapiraColour")


class BonusSkipAction(StrictSerializer):
    """Let a bonus go."""

    type = _action("bonus_skip")


ACTIONS: dict[str, type[StrictSerializer]] = {
    "discard": DiscardAction,
    "play_hand": PlayHandAction,
    "bonus_suit": BonusSuitAction,
    "bonus_pipette": BonusPipetteAction,
    "bonus_colour": BonusColourAction,
    "bonus_skip": BonusSkipAction,
}

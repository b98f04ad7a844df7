"""Shapes of thirteen-card poker's bodies. What they mean, and whether it is allowed, is the engine's to say."""

from typing import Any

from casino.api.fields import BoundedListField, MinorAmountField, StrictChoiceField, StrictIntegerField, StrictSerializer
from games.chinese_poker.engine.scoring import SIZES, Position
from games.chinese_poker.engine.setup import (
    DEFAULT_ARRANGE_SECONDS,
    DEFAULT_COMPARE_SECONDS,
    DEFAULT_TARGET,
    LONGEST_WAIT_SECONDS,
    MOST_TARGET,
)
from games.core.cards import DECK_52


class ChinesePokerConvention(StrictSerializer):
    """What a table agrees on before a game: to how many points, for how much each, and how long seats may think."""

    target = StrictIntegerField(min_value=1, max_value=MOST_TARGET, default=DEFAULT_TARGET)
    point_price_minor = MinorAmountField()
    arrange_timeout_seconds = StrictIntegerField(min_value=1, max_value=LONGEST_WAIT_SECONDS, default=DEFAULT_ARRANGE_SECONDS)
    compare_timeout_seconds = StrictIntegerField(min_value=1, max_value=LONGEST_WAIT_SECONDS, default=DEFAULT_COMPARE_SECONDS)


def _action(type_: str) -> Any:
    return StrictChoiceField(choices=[type_])


def _hand(position: Position) -> Any:
    card = StrictChoiceField(choices=[card.text for card in DECK_52], component="Card")
    return BoundedListField(child=card, min_length=SIZES[position], max_length=SIZES[position])


class ArrangeAction(StrictSerializer):
    """Lay your 13 cards out as three hands, none above the one before it."""

    type = _action("arrange")
    first = _hand(Position.FIRST)
    second = _hand(Position.SECOND)
    third = _hand(Position.THIRD)


class DoezdAction(StrictSerializer):
    """Have the game settled at once, without the positions that are not open."""

    type = _action("doezd")


class CompareNextAction(StrictSerializer):
    """Continue: let the next position be opened."""

    type = _action("compare_next")


ACTIONS: dict[str, type[StrictSerializer]] = {
    "arrange": ArrangeAction,
    "doezd": DoezdAction,
    "compare_next": CompareNextAction,
}

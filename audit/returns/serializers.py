"""Bodies of the returns' API."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from audit.returns.checking import EVERY_LEVEL, LATELY, WHOLE, Series
from audit.returns.verdicts import Colour
from casino.api.fields import QueryBooleanField, StrictChoiceField, StrictSerializer, StrictUUIDField
from games.rounds.serializers import game_filter


@extend_schema_field({"type": "string", "pattern": r"^-?\d+(\.\d+)?$"})
class DecimalField(serializers.CharField):
    """A decimal of an exact figure."""


class ReturnsFilters(StrictSerializer):
    """Which series to list."""

    hall_id = StrictUUIDField(required=False)
    game = game_filter()
    window = StrictChoiceField(choices=[LATELY, WHOLE], required=False)
    verdict = StrictChoiceField(choices=[colour.value for colour in Colour], required=False)
    with_today = QueryBooleanField(
        required=False, help_text="With the rounds of today (UTC) and, until it is summed, the day before."
    )


class BoundsSerializer(serializers.Serializer[Any]):
    """What a unit gave back lies between them, or there is an alarm."""

    min = DecimalField(allow_null=True, help_text="Null where decisions count: what players lose to the house is no alarm.")
    max = DecimalField()


class AlarmsSerializer(serializers.Serializer[Any]):
    """The bounds of `actual` at |z| 3 and 4.5."""

    amber = BoundsSerializer()
    red = BoundsSerializer()


class CommonSerializer(serializers.Serializer[Any]):
    """The series as if its rare prizes had given back nothing; here z is what is judged."""

    up_to = DecimalField(help_text="All other prizes, those that give back at most so much of each unit, are in it.")
    actual = DecimalField()
    theoretical = DecimalField()
    deviation = DecimalField()
    z = DecimalField(allow_null=True)


class RareSerializer(serializers.Serializer[Any]):
    """Prizes too rare for z: how many came and how many were expected, from that one of them on at which it tells most."""

    above = DecimalField(help_text="They give back more than so much of each unit.")
    seen = serializers.IntegerField()
    expected = DecimalField()
    tests = serializers.IntegerField(help_text="From so many rare prizes on it was counted, and the chance multiplied by that.")
    chance = serializers.CharField(help_text="Of a count as far from the expected one, on either side.")


class BackSerializer(serializers.Serializer[Any]):
    back = DecimalField(help_text="Of each unit.")
    plays = serializers.IntegerField()


class ImpossibleSerializer(serializers.Serializer[Any]):
    """Bets that gave back what the pay table does not know."""

    plays = serializers.IntegerField(help_text="How many in all.")
    backs = BackSerializer(many=True, help_text="The ten most frequent.")


class ReturnsSerializer(serializers.Serializer[Any]):
    """Bets of one kind under one pay table: what they gave back, and what they should."""

    hall_id = serializers.UUIDField(source="pay_table.hall.public_id")
    game = serializers.CharField(source="key.game")
    rules_version = serializers.IntegerField(source="key.rules_version")
    pay_table_id = serializers.UUIDField(source="pay_table.public_id")
    pay_table_version = serializers.IntegerField(source="pay_table.version")
    series = serializers.CharField(source="key.series", help_text="The kind of bet; see docs/house-mathematics.md.")
    level_minor = serializers.SerializerMethodField(help_text="The least stake of the level; null for all levels together.")
    window = serializers.ChoiceField(choices=[LATELY, WHOLE])
    currency = serializers.CharField(source="pay_table.hall.currency")
    plays = serializers.IntegerField(source="sums.plays")
    effective_plays = DecimalField(source="figures.effective_plays", help_text="(Σ stakes)² / Σ stakes².")
    staked_minor = serializers.IntegerField(source="sums.staked_minor")
    returned_minor = serializers.IntegerField(source="sums.returned_minor")
    actual = DecimalField(source="figures.actual", allow_null=True, help_text="What a unit gave back.")
    theoretical = DecimalField(
        source="figures.theoretical", allow_null=True, help_text="What a unit gives back on average; null where decisions count."
    )
    deviation = DecimalField(source="figures.deviation", allow_null=True, help_text="The standard deviation of that.")
    z = DecimalField(
        source="figures.z", allow_null=True, help_text="(actual − theoretical) · √effective_plays / deviation, of all bets."
    )
    bounds = AlarmsSerializer(source="figures.bounds", allow_null=True)
    common = CommonSerializer(source="figures.common", allow_null=True, help_text="Null where no prize is rare: z is judged.")
    rare = RareSerializer(source="figures.rare", allow_null=True)
    impossible = ImpossibleSerializer(source="figures.impossible", allow_null=True, help_text="One such bet is red.")
    verdict = serializers.ChoiceField(choices=[colour.value for colour in Colour], source="verdict.colour")

    def get_level_minor(self, series: Series) -> int | None:
        return None if series.key.level_minor == EVERY_LEVEL else series.key.level_minor


class ReturnsListSerializer(serializers.Serializer[Any]):
    """Series, each for the last 30 days and for all time."""

    through = serializers.DateField(allow_null=True, help_text="The last day (UTC) that is summed; null before any is.")
    results = ReturnsSerializer(many=True)

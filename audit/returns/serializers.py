"""Bodies of the returns' API."""

from decimal import Decimal
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from audit.returns.checking import EVERY_LEVEL, LATELY, WHOLE, Series
from audit.returns.verdicts import Colour
from casino.api.fields import QueryBooleanField, StrictChoiceField, StrictSerializer, StrictUUIDField
from games.core.mathematics import decimal_text, root_text
from games.rounds.serializers import game_filter

DECIMAL = {"type": ["string", "null"], "pattern": r"^-?\d+(\.\d+)?$"}


class ReturnsFilters(StrictSerializer):
    """Which series to list."""

    hall_id = StrictUUIDField(required=False)
    game = game_filter()
    window = StrictChoiceField(choices=[LATELY, WHOLE], required=False)
    verdict = StrictChoiceField(choices=[colour.value for colour in Colour], required=False)
    with_today = QueryBooleanField(
        required=False, help_text="With the rounds of today (UTC) and, until it is summed, the day before."
    )


class RareSerializer(serializers.Serializer[Any]):
    """Prizes too rare for z: how many came and how many were expected."""

    above = serializers.CharField(help_text="They give back more than so much of each unit.")
    seen = serializers.IntegerField()
    expected = serializers.CharField()
    chance = serializers.CharField(help_text="Of a count as far from the expected one, on either side.")


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
    effective_plays = serializers.SerializerMethodField()
    staked_minor = serializers.IntegerField(source="sums.staked_minor")
    returned_minor = serializers.IntegerField(source="sums.returned_minor")
    actual = serializers.SerializerMethodField(help_text="What a unit gave back.")
    theoretical = serializers.SerializerMethodField(help_text="What a unit gives back on average; null where decisions count.")
    deviation = serializers.SerializerMethodField(help_text="The standard deviation of that.")
    z = serializers.SerializerMethodField()
    rare = serializers.SerializerMethodField()
    verdict = serializers.ChoiceField(choices=[colour.value for colour in Colour], source="verdict.colour")

    def get_level_minor(self, series: Series) -> int | None:
        return None if series.key.level_minor == EVERY_LEVEL else series.key.level_minor

    @extend_schema_field(DECIMAL)
    def get_effective_plays(self, series: Series) -> str:
        return decimal_text(series.sums.effective_plays)

    @extend_schema_field(DECIMAL)
    def get_actual(self, series: Series) -> str | None:
        return decimal_text(series.sums.back) if series.sums.staked_minor else None

    @extend_schema_field(DECIMAL)
    def get_theoretical(self, series: Series) -> str | None:
        return None if series.verdict.theoretical is None else decimal_text(series.verdict.theoretical)

    @extend_schema_field(DECIMAL)
    def get_deviation(self, series: Series) -> str | None:
        return None if series.verdict.variance is None else root_text(series.verdict.variance)

    @extend_schema_field(DECIMAL)
    def get_z(self, series: Series) -> str | None:
        return None if series.verdict.z is None else str(series.verdict.z.quantize(Decimal("0.0001")))

    @extend_schema_field(RareSerializer(allow_null=True))
    def get_rare(self, series: Series) -> dict[str, Any] | None:
        rare = series.verdict.rare
        if rare is None:
            return None
        return {
            "above": decimal_text(rare.above),
            "seen": rare.seen,
            "expected": decimal_text(rare.expected),
            "chance": f"{rare.probability:.6g}",
        }


class ReturnsListSerializer(serializers.Serializer[Any]):
    """Series, each for the last 30 days and for all time."""

    through = serializers.DateField(allow_null=True, help_text="The last day (UTC) that is summed; null before any is.")
    results = ReturnsSerializer(many=True)

"""Bodies of the halls' API."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from casino.api.fields import (
    CodeField,
    CurrencyField,
    MomentField,
    ReasonField,
    StrictIntegerField,
    StrictJSONField,
    StrictSerializer,
    TextField,
)
from games.halls.checks import CODE_PATTERN, NAME_LENGTH_MAX
from games.halls.edges import BASIS_POINTS, edge_bands_json
from games.halls.models import Hall, PayTable, PayTableFigures
from games.halls.selectors import GameOffer, stakes_minimum

MOST_BP = 100 * BASIS_POINTS
STATUSES = ("in_force", "scheduled", "superseded", "withdrawn", "withdrawal")


@extend_schema_field({"type": "object", "additionalProperties": {}})
class TermsDataField(StrictJSONField):
    """Limits or a pay table by the game's own schema."""


class HallCreateBody(StrictSerializer):
    """A hall to create, and why."""

    code = CodeField(CODE_PATTERN, message="A code is lower-case letters, digits and hyphens.", max_length=32)
    name = TextField(max_length=NAME_LENGTH_MAX)
    currency = CurrencyField()
    time_zone = TextField(max_length=64, help_text="A name such as Europe/Vienna.")
    reason = ReasonField()


class EdgeBandSerializer(StrictSerializer):
    """The least and the most of the house's edge, both inclusive, in basis points of what is staked; null for no bound."""

    min_bp = StrictIntegerField(min_value=-MOST_BP, max_value=MOST_BP, allow_null=True)
    max_bp = StrictIntegerField(min_value=-MOST_BP, max_value=MOST_BP, allow_null=True)


class EdgeBandsField(serializers.DictField):
    """Bands by game and kind of bet."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(child=serializers.DictField(child=EdgeBandSerializer()), **kwargs)


class HallEditBody(StrictSerializer):
    """What to change of a hall, at least one of them, and why."""

    name = TextField(max_length=NAME_LENGTH_MAX, required=False)
    time_zone = TextField(max_length=64, required=False)
    edge_bands = EdgeBandsField(
        required=False,
        allow_empty=False,
        help_text="By game and kind of bet; what is not named stays. For pay tables from then on.",
    )
    reason = ReasonField()


class TermsPublishBody(StrictSerializer):
    """Terms to publish, from when, and why."""

    data = TermsDataField(help_text="By the game's own schema; see docs/halls.md.")  # type: ignore[assignment]
    effective_at = MomentField(required=False, help_text="Now when left out; never in the past, at most 366 days ahead.")
    reason = ReasonField()


class HallSerializer(serializers.Serializer[Any]):
    id = serializers.UUIDField(source="public_id")
    code = serializers.CharField()
    name = serializers.CharField()
    currency = serializers.CharField()
    time_zone = serializers.CharField()
    is_open = serializers.BooleanField()
    opened_at = serializers.DateTimeField(allow_null=True, help_text="When it last opened.")
    created_at = serializers.DateTimeField()


class EdgeBandsSerializer(serializers.Serializer[Any]):
    """The house's edges that a hall's pay tables may have, complete."""

    edge_bands = serializers.SerializerMethodField()

    @extend_schema_field(EdgeBandsField())
    def get_edge_bands(self, hall: Hall) -> dict[str, Any]:
        return edge_bands_json(hall.edge_bands)


class HallEditedSerializer(EdgeBandsSerializer, HallSerializer):
    """A hall as it was changed, with the edges that its pay tables may have."""


class TermsSerializer(serializers.Serializer[Any]):
    id = serializers.UUIDField(source="public_id")
    version = serializers.IntegerField()
    effective_at = serializers.DateTimeField()
    data = serializers.DictField()  # type: ignore[assignment]


class AuthorSerializer(serializers.Serializer[Any]):
    id = serializers.UUIDField(source="public_id")
    username = serializers.CharField()


class TermsHistorySerializer(TermsSerializer):
    """A row of the history. A withdrawal has no data and the effective time of what it withdraws."""

    game = serializers.CharField()
    status = serializers.ChoiceField(choices=STATUSES)
    data = serializers.DictField(allow_null=True)
    reason = serializers.CharField()
    author = AuthorSerializer()
    created_at = serializers.DateTimeField()


class ExactSerializer(serializers.Serializer[Any]):
    """An exact figure: a fraction in lowest terms, and a decimal for display."""

    exact = serializers.RegexField(r"^-?\d+/\d+$")
    decimal = serializers.RegexField(r"^-?\d+(\.\d+)?$")


class PayTableHistorySerializer(TermsHistorySerializer):
    """A row of the history with the edges that it was published with; null where the house has none in the game."""

    edges = serializers.SerializerMethodField(
        help_text="By kind of bet, as it was published; all figures are at `…/pay-tables/{id}/figures`."
    )

    @extend_schema_field(serializers.DictField(child=ExactSerializer(), allow_null=True))
    def get_edges(self, row: PayTable) -> dict[str, Any] | None:
        figures: PayTableFigures | None = getattr(row, "figures", None)
        return figures.data["edges"] if figures else None


class PayTableFiguresSerializer(serializers.Serializer[Any]):
    """The exact mathematics of a pay table, as it was when that was published."""

    pay_table_id = serializers.UUIDField(source="pay_table.public_id")
    game = serializers.CharField(source="pay_table.game")
    version = serializers.IntegerField(source="pay_table.version")
    figures = serializers.DictField(source="data", help_text="See docs/house-mathematics.md.")


class HallGameSerializer(serializers.Serializer[Any]):
    hall_id = serializers.UUIDField(source="hall.public_id")
    game = serializers.CharField()
    currency = serializers.CharField(source="hall.currency")
    minimum_stakes_minor = serializers.SerializerMethodField(help_text="What a click on an empty field places, by kind of stake.")
    limit_set = TermsSerializer()
    pay_table = TermsSerializer()
    next_limit_set = TermsSerializer(allow_null=True)
    next_pay_table = TermsSerializer(allow_null=True)

    def get_minimum_stakes_minor(self, offer: GameOffer) -> dict[str, int]:
        return stakes_minimum(offer.limit_set.data)


class HallGamesSerializer(serializers.Serializer[Any]):
    results = HallGameSerializer(many=True)

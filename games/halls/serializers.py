"""Bodies of the halls' API."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from casino.api.fields import CodeField, CurrencyField, MomentField, ReasonField, StrictJSONField, StrictSerializer, TextField
from games.halls.checks import CODE_PATTERN, NAME_LENGTH_MAX
from games.halls.selectors import GameOffer, stakes_minimum

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


class HallEditBody(StrictSerializer):
    """What to change of a hall, at least one of them, and why."""

    name = TextField(max_length=NAME_LENGTH_MAX, required=False)
    time_zone = TextField(max_length=64, required=False)
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

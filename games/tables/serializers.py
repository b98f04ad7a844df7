"""Bodies and answers of tables; ``games.tables.views.shapes`` adds each game's convention."""

from typing import Any

from rest_framework import serializers

from casino.api.fields import (
    CurrencyField,
    MinorAmountField,
    MomentField,
    QueryBooleanField,
    StrictBooleanField,
    StrictChoiceField,
    StrictIntegerField,
    StrictSerializer,
    StrictUUIDField,
    TextField,
)
from games.core.shuffle import MAX_CLIENT_SEED_LENGTH
from games.engines import current_engines
from games.rounds.serializers import NextCommitmentSerializer, RakeSerializer, game_filter
from games.tables.documents import event_document, table_summary
from games.tables.models import Table, TableEvent

MOST_SEATS = max(engine.seats[1] for engine in current_engines())


def _status(**kwargs: Any) -> StrictChoiceField:
    return StrictChoiceField(choices=Table.Status.choices, component="TableStatus", **kwargs)


class TableCreation(StrictSerializer):
    """Make a table: its seats, who may watch, and the game's own ``convention`` that all who sit down accept."""

    hall_id = StrictUUIDField()
    seats = StrictIntegerField(min_value=2, max_value=MOST_SEATS, help_text="A round opens when all of them are taken and ready.")
    allows_spectators = StrictBooleanField(default=False)


class TableFilters(StrictSerializer):
    """Which tables to list."""

    hall_id = StrictUUIDField(required=False)
    game = game_filter()
    stake_from_minor = serializers.IntegerField(min_value=1, required=False)
    stake_to_minor = serializers.IntegerField(min_value=1, required=False)
    has_free_seats = QueryBooleanField(required=False)
    status = _status(required=False)


class SitBody(StrictSerializer):
    """Which seat to take; left out, the first free one."""

    seat = StrictIntegerField(min_value=0, max_value=MOST_SEATS - 1, required=False)


class QuickSeatBody(StrictSerializer):
    """What to play, where, and for how much at most."""

    hall_id = StrictUUIDField()
    game = TextField(max_length=40)
    stake_to_minor = MinorAmountField(required=False)


class ReadyBody(StrictSerializer):
    """Be ready for the table's next round, which its commitment names, or with ``is_ready`` false no more."""

    round_id = StrictUUIDField(help_text="The round id of the table's next_commitment.")
    client_seed = TextField(max_length=MAX_CLIENT_SEED_LENGTH, allow_blank=True, default="")
    is_ready = StrictBooleanField(default=True)


class StakeSerializer(StrictSerializer):
    """What is played for: a kind of stake that the hall's limits bound, and its amount."""

    kind = serializers.CharField()
    amount_minor = StrictIntegerField(min_value=1)


class TablePlayerSerializer(StrictSerializer):
    """A taken seat. The player loses it at ``ready_by`` unless ready by then."""

    seat = StrictIntegerField(min_value=0)
    player_id = StrictUUIDField()
    is_house_bot = StrictBooleanField(help_text="Played by the house's own program.")
    is_ready = StrictBooleanField()
    ready_by = MomentField(allow_null=True)


class TableSummarySerializer(serializers.Serializer[Table]):
    """A table in a list."""

    id = StrictUUIDField()
    hall_id = StrictUUIDField()
    game = serializers.CharField()
    currency = CurrencyField()
    stake = StakeSerializer()
    most_to_lose_minor = StrictIntegerField(min_value=1, help_text="What a round holds of each player's balance.")
    rake = RakeSerializer()
    seats = StrictIntegerField(min_value=2)
    free_seats = StrictIntegerField(min_value=0)
    players = TablePlayerSerializer(many=True)
    allows_spectators = StrictBooleanField()
    status = _status()
    created_at = MomentField()
    closes_at = MomentField(allow_null=True, help_text="When the empty table closes by itself.")
    closed_at = MomentField(allow_null=True)

    def to_representation(self, instance: Table) -> dict[str, Any]:
        return table_summary(instance, instance.stays.all())  # type: ignore[arg-type]  # prefetched: those who sit there


class TableSerializer(TableSummarySerializer):
    """A table with what is agreed there, its last round and the commitment of its next one."""

    convention = serializers.DictField()
    seq = StrictIntegerField(min_value=0, help_text="The number of the table's last event.")
    round_id = StrictUUIDField(allow_null=True, help_text="The table's last round.")
    is_playing = StrictBooleanField(help_text="Whether that round is open.")
    next_commitment = NextCommitmentSerializer(allow_null=True)
    stream_url = serializers.URLField(help_text="Where the table's events are told as they happen.")
    server_time = MomentField()


class TableEventSerializer(serializers.Serializer[TableEvent]):
    """Something that happened at a table."""

    seq = StrictIntegerField(min_value=1)
    at = MomentField()
    kind = StrictChoiceField(choices=TableEvent.Kind.choices, component="TableEventKind")
    data = serializers.DictField(  # type: ignore[assignment]  # a field of that name hides the serializer's own property
        help_text="The seat and its player, who is waited for, the round, new deadlines, or a closed table's unused seed."
    )

    def to_representation(self, instance: TableEvent) -> dict[str, Any]:
        return event_document(instance)

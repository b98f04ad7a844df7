"""Bodies and documents that every game's rounds share."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from casino.api.fields import (
    CurrencyField,
    MomentField,
    StrictBooleanField,
    StrictChoiceField,
    StrictIntegerField,
    StrictSerializer,
    StrictUUIDField,
    TextField,
)
from games.core.shuffle import MAX_CLIENT_SEED_LENGTH
from games.rounds.documents import seat_document
from games.rounds.models import Commitment, Round, RoundStep

ROUND_FIELDS = frozenset({"game", "hall_id", "round_id", "client_seed"})
"""What every opening has; the rest of it is the game's own."""


class RoundOpening(StrictSerializer):
    """Open a round: the committed round id, a seed of the client's own, and what each game adds: ``game`` and its bets."""

    hall_id = StrictUUIDField()
    round_id = StrictUUIDField(help_text="The round id of your unused commitment for this hall and game.")
    client_seed = TextField(max_length=MAX_CLIENT_SEED_LENGTH, allow_blank=True, trim_whitespace=False, default="")


class CommitmentRequest(StrictSerializer):
    """Ask for the commitment of the next round of a game in a hall."""

    hall_id = StrictUUIDField()
    game = TextField(max_length=40)


class CommitmentDiscard(StrictSerializer):
    """Give up an unused commitment; its seed is revealed."""

    reason = TextField(max_length=500)


class RoundVoid(StrictSerializer):
    """Annul an open round."""

    reason = TextField(max_length=500)


class LastOpeningQuery(StrictSerializer):
    """Whose last bets: of a game in a hall."""

    hall_id = StrictUUIDField()
    game = TextField(max_length=40)


class RoundQuery(StrictSerializer):
    """Filters of the list of rounds."""

    hall_id = StrictUUIDField(required=False)
    player_id = StrictUUIDField(required=False)
    game = TextField(max_length=40, required=False)
    status = StrictChoiceField(choices=Round.Status.choices, required=False)


class CommitmentDocument(serializers.ModelSerializer[Commitment]):
    """A round id and the SHA-256 of the seed that this round will be dealt from."""

    hall_id = serializers.UUIDField(source="hall.public_id")

    class Meta:
        model = Commitment
        fields = ("round_id", "hall_id", "game", "status", "seed_hash", "created_at")


class DiscardedDocument(StrictSerializer):
    """A discarded commitment with its seed, and the one that follows."""

    discarded = CommitmentDocument()
    server_seed = serializers.CharField()
    next_commitment = CommitmentDocument()


class SeatDocument(StrictSerializer):
    """A seat and its money in a round: staked and returned in all, and still held in escrow."""

    seat = StrictIntegerField(min_value=0)
    player_id = StrictUUIDField()
    client_seed = TextField(max_length=MAX_CLIENT_SEED_LENGTH, allow_blank=True)
    staked_minor = StrictIntegerField(min_value=0)
    returned_minor = StrictIntegerField(min_value=0)
    held_minor = StrictIntegerField()


class RoundSummary(serializers.ModelSerializer[Round]):
    """A round in a list."""

    id = serializers.UUIDField(source="commitment_id")
    hall_id = serializers.UUIDField(source="hall.public_id")
    seats = serializers.SerializerMethodField()

    class Meta:
        model = Round
        fields = ("id", "game", "rules_version", "hall_id", "currency", "status", "seq", "opened_at", "closed_at", "seats")

    @extend_schema_field(SeatDocument(many=True))
    def get_seats(self, row: Round) -> list[dict[str, Any]]:
        return [seat_document(seat, seat) for seat in row.seats.all()]


class ParameterDocument(StrictSerializer):
    """What values a parameter takes: one of the options; between ``min`` and ``max`` of them; an amount in steps."""

    kind = StrictChoiceField(choices=["one_of", "subset_of", "amount"])
    options = serializers.ListField(required=False)
    min = StrictIntegerField(required=False)
    max = StrictIntegerField(required=False)
    min_minor = StrictIntegerField(required=False)
    max_minor = StrictIntegerField(required=False)
    step_minor = StrictIntegerField(required=False)


class LegalActionDocument(StrictSerializer):
    """An action that the seat may take now, what it costs at least, and whether the free balance covers that."""

    type = serializers.CharField()
    cost_minor = StrictIntegerField(min_value=0)
    affordable = StrictBooleanField()
    parameters = serializers.DictField(child=ParameterDocument())


class NextCommitmentDocument(StrictSerializer):
    """The commitment of the player's next round."""

    round_id = StrictUUIDField()
    seed_hash = serializers.CharField()


class StepDocument(StrictSerializer):
    """One step of a round as the viewer saw it."""

    seq = StrictIntegerField(min_value=0)
    at = MomentField()
    seat = StrictIntegerField(min_value=0, allow_null=True)
    turn = StrictIntegerField(min_value=0, allow_null=True)
    origin = StrictChoiceField(choices=RoundStep.Origin.choices)
    events = serializers.ListField(child=serializers.DictField())
    previous_hash = serializers.CharField()
    hash = serializers.CharField()


class RoundDocument(StrictSerializer):
    """A round as one viewer sees it. After a step, ``events`` are that step's; ``legal_actions`` say all that a client needs."""

    id = StrictUUIDField()
    game = serializers.CharField()
    rules_version = StrictIntegerField(min_value=1)
    hall_id = StrictUUIDField()
    currency = CurrencyField()
    status = StrictChoiceField(choices=Round.Status.choices)
    seq = StrictIntegerField(min_value=0)
    opened_at = MomentField()
    closed_at = MomentField(allow_null=True)
    server_time = MomentField()
    seed_hash = serializers.CharField()
    server_seed = serializers.CharField(allow_null=True, help_text="Revealed when the round has closed.")
    seats = SeatDocument(many=True)
    seat = StrictIntegerField(min_value=0, allow_null=True, help_text="The viewer's own seat.")
    turn = StrictIntegerField(min_value=0, allow_null=True, help_text="Send it with your next action.")
    deadline = MomentField(allow_null=True)
    available_minor = StrictIntegerField(min_value=0, allow_null=True)
    legal_actions = LegalActionDocument(many=True)
    view = serializers.DictField()
    events = serializers.ListField(child=serializers.DictField())
    next_commitment = NextCommitmentDocument(allow_null=True)


class LastOpeningDocument(StrictSerializer):
    """The game's own part of the last opening, or null when there was none."""

    opening = serializers.DictField(allow_null=True)


class RecordDocument(StrictSerializer):
    """A ``casino-round/1`` document, byte for byte as its hashes cover it."""

    format = serializers.CharField()
    head = serializers.DictField()
    server_seed = serializers.CharField()
    steps = serializers.ListField(child=serializers.DictField())
    result = serializers.DictField()
    transfers = serializers.ListField(child=serializers.DictField())
    record_hash = serializers.CharField()

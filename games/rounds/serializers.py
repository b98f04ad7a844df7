"""Bodies and answers that every game's rounds share; ``games.rounds.views.shapes`` adds what each game's are made of."""

from typing import Any

from drf_spectacular.utils import PolymorphicProxySerializer, extend_schema_field
from rest_framework import serializers

from casino.api.fields import (
    CurrencyField,
    HashField,
    MomentField,
    QueryBooleanField,
    QueryIntegerField,
    StrictBooleanField,
    StrictChoiceField,
    StrictIntegerField,
    StrictSerializer,
    StrictUUIDField,
    TextField,
)
from games.core.pot import MOST_BASIS_POINTS
from games.core.shuffle import MAX_CLIENT_SEED_LENGTH
from games.engines import current_engines
from games.rounds.documents import figures_document, seat_document
from games.rounds.history import FINDINGS, RESULTS
from games.rounds.models import Commitment, Round, RoundStep
from games.rounds.position import seq_for

ROUND_FIELDS = frozenset({"game", "hall_id", "round_id", "client_seed"})
"""What every opening has; the rest of it is the game's own."""


def _status(**kwargs: Any) -> StrictChoiceField:
    return StrictChoiceField(choices=Round.Status.choices, component="RoundStatus", **kwargs)


def game_filter() -> StrictChoiceField:
    """Ask for one game, of those that there are: any other is refused rather than found to have nothing."""
    return StrictChoiceField(choices=sorted(engine.code for engine in current_engines()), component="GameCode", required=False)


class RoundOpening(StrictSerializer):
    """Open a round: the committed round id, a seed of the client's own, and what each game adds: ``game`` and its bets."""

    hall_id = StrictUUIDField()
    round_id = StrictUUIDField(help_text="The round id of your unused commitment for this hall and game.")
    client_seed = TextField(max_length=MAX_CLIENT_SEED_LENGTH, allow_blank=True, default="")


class CommitmentBody(StrictSerializer):
    """Which round is meant: the next one of a game in a hall."""

    hall_id = StrictUUIDField()
    game = TextField(max_length=40)


class LastOpeningFilters(StrictSerializer):
    """Whose last bets: of a game in a hall."""

    hall_id = StrictUUIDField()
    game = TextField(max_length=40)


class RoundFilters(StrictSerializer):
    """Which rounds to list."""

    hall_id = StrictUUIDField(required=False)
    player_id = StrictUUIDField(required=False)
    table_id = StrictUUIDField(required=False)
    game = game_filter()
    status = _status(required=False)
    opened_from = MomentField(required=False)
    opened_to = MomentField(required=False, help_text="Before this moment.")
    closed_from = MomentField(required=False)
    closed_to = MomentField(required=False, help_text="Before this moment.")
    result = StrictChoiceField(
        choices=RESULTS, required=False, help_text="Of the player's seat that is asked for, else of any seat."
    )
    staked_from_minor = QueryIntegerField(required=False, help_text="Amounts are those of closed rounds, of the same one seat.")
    staked_to_minor = QueryIntegerField(required=False)
    returned_from_minor = QueryIntegerField(required=False)
    returned_to_minor = QueryIntegerField(required=False)
    net_from_minor = QueryIntegerField(required=False, help_text="Returned less staked; negative for what was lost.")
    net_to_minor = QueryIntegerField(required=False)
    automatic_moves = QueryBooleanField(
        required=False, help_text="Closed rounds in which the system played for a seat, or did not."
    )
    finding = StrictChoiceField(
        choices=FINDINGS, required=False, help_text="Rounds about which the audit found something; not for players."
    )


class CommitmentSerializer(serializers.ModelSerializer[Commitment]):
    """A round id and the SHA-256 of the seed that this round will be dealt from."""

    hall_id = serializers.UUIDField(source="hall.public_id")
    seed_hash = HashField()

    class Meta:
        model = Commitment
        fields = ("round_id", "hall_id", "game", "status", "seed_hash", "created_at")


class CommitmentsSerializer(StrictSerializer):
    """The unused commitments of a player."""

    results = CommitmentSerializer(many=True)


class DiscardedCommitmentSerializer(StrictSerializer):
    """A discarded commitment with its seed, and the one that follows."""

    discarded = CommitmentSerializer()
    server_seed = HashField()
    next_commitment = CommitmentSerializer()


class SeatSerializer(StrictSerializer):
    """A seat and its money in the round.

    What was held for a stake counts as staked until it is known whether the stake is placed.
    """

    seat = StrictIntegerField(min_value=0)
    player_id = StrictUUIDField()
    is_house_bot = StrictBooleanField(help_text="Played by the house's own program.")
    client_seed = TextField(max_length=MAX_CLIENT_SEED_LENGTH, allow_blank=True)
    deadline = MomentField(allow_null=True, help_text="When the system plays for the seat.")
    is_away = StrictBooleanField(help_text="The system plays for the seat without waiting long, until its player acts.")
    staked_minor = StrictIntegerField(min_value=0, help_text="Put in so far, with what is held for stakes to come.")
    returned_minor = StrictIntegerField(min_value=0, help_text="Got back so far, with what was won.")
    held_minor = StrictIntegerField(help_text="Still in the round's escrow.")


class RoundFiguresSerializer(StrictSerializer):
    """What stands beside a round for those who oversee all rounds: all seats' money together, automatic moves, findings."""

    staked_minor = StrictIntegerField(min_value=0)
    returned_minor = StrictIntegerField(min_value=0)
    net_minor = StrictIntegerField(allow_null=True, help_text="Of all seats together; null while the round is open.")
    rake_minor = StrictIntegerField(min_value=0)
    automatic_moves = StrictIntegerField(
        min_value=0, allow_null=True, help_text="How often the system played for a seat; null while the round is open."
    )
    findings = StrictIntegerField(min_value=0)
    findings_unresolved = StrictIntegerField(min_value=0)


class RoundSummarySerializer(serializers.ModelSerializer[Round]):
    """A round in a list."""

    id = serializers.UUIDField(source="commitment_id")
    hall_id = serializers.UUIDField(source="hall.public_id")
    table_id = serializers.UUIDField(source="table.public_id", default=None, allow_null=True)
    status = _status()
    seq = serializers.SerializerMethodField(help_text="The last step's number, by the viewer's own count.")
    seats = serializers.SerializerMethodField()
    figures = serializers.SerializerMethodField(help_text="For those who oversee all rounds; null for players.")

    class Meta:
        model = Round
        fields = (
            "id",
            "game",
            "rules_version",
            "hall_id",
            "table_id",
            "currency",
            "status",
            "seq",
            "opened_at",
            "closed_at",
            "seats",
            "figures",
        )

    def get_seq(self, row: Round) -> int:
        seats = list(row.seats.all())
        viewer = next((seat.index for seat in seats if seat.user_id == self.context["request"].user.pk), None)
        return seq_for(row.seq, seats, viewer)

    @extend_schema_field(SeatSerializer(many=True))
    def get_seats(self, row: Round) -> list[dict[str, Any]]:
        return [seat_document(seat, seat) for seat in row.seats.all()]

    @extend_schema_field(RoundFiguresSerializer(allow_null=True))
    def get_figures(self, row: Round) -> dict[str, Any] | None:
        return figures_document(row) if hasattr(row, "findings") else None


class OneOfParameter(StrictSerializer):
    """Takes one of the options."""

    kind = StrictChoiceField(choices=["one_of"])
    options = serializers.ListField()


class SubsetOfParameter(StrictSerializer):
    """Takes between ``min`` and ``max`` different ones of the options, in any order."""

    kind = StrictChoiceField(choices=["subset_of"])
    options = serializers.ListField()
    min = StrictIntegerField(min_value=0)
    max = StrictIntegerField(min_value=0)


class AmountParameter(StrictSerializer):
    """Takes an amount from ``min_minor`` to ``max_minor`` in multiples of ``step_minor``."""

    kind = StrictChoiceField(choices=["amount"])
    min_minor = StrictIntegerField(min_value=1)
    max_minor = StrictIntegerField(min_value=1)
    step_minor = StrictIntegerField(min_value=1)


PARAMETERS: dict[str, Any] = {"one_of": OneOfParameter, "subset_of": SubsetOfParameter, "amount": AmountParameter}


@extend_schema_field(
    PolymorphicProxySerializer(component_name="Parameter", serializers=PARAMETERS, resource_type_field_name="kind")
)
class ParameterField(serializers.Field[Any, Any, Any, Any]):
    """Which values a parameter of a legal action takes."""


class LegalActionSerializer(StrictSerializer):
    """An action that the seat may take now, what it costs at least, and whether the free balance covers that.

    Where the rules bind the parameters to one another, ``suggestions`` holds complete actions that are legal now.
    """

    type = serializers.CharField()
    cost_minor = StrictIntegerField(min_value=0)
    affordable = StrictBooleanField(
        allow_null=True,
        help_text="null where the free balance is not told, after another seat's step; the round itself tells it.",
    )
    parameters = serializers.DictField(child=ParameterField())
    suggestions = serializers.ListField(child=serializers.DictField())


class RakeSerializer(StrictSerializer):
    """What the house takes of a win: hundredths of a per cent, rounded down, at most the cap."""

    basis_points = StrictIntegerField(min_value=0, max_value=MOST_BASIS_POINTS)
    cap_minor = StrictIntegerField(min_value=0, allow_null=True)


class NextCommitmentSerializer(StrictSerializer):
    """The commitment of the player's next round."""

    round_id = StrictUUIDField()
    seed_hash = HashField()


class StepSerializer(StrictSerializer):
    """One step of a round as the viewer saw it."""

    seq = StrictIntegerField(min_value=0)
    at = MomentField()
    seat = StrictIntegerField(min_value=0, allow_null=True)
    turn = StrictIntegerField(min_value=0, allow_null=True)
    origin = StrictChoiceField(
        choices=RoundStep.Origin.choices,
        component="StepOrigin",
        allow_null=True,
        help_text="Null while the round is open, where it would tell another seat's secret.",
    )
    events = serializers.ListField(child=serializers.DictField())
    previous_hash = HashField()
    hash = HashField()


class RoundSerializer(StrictSerializer):
    """A round as one viewer sees it. After a step, ``events`` are that step's; ``legal_actions`` say all that a client needs."""

    id = StrictUUIDField()
    game = serializers.CharField()
    rules_version = StrictIntegerField(min_value=1)
    hall_id = StrictUUIDField()
    table_id = StrictUUIDField(allow_null=True, help_text="The table where it is played, if among players.")
    currency = CurrencyField()
    status = _status()
    seq = StrictIntegerField(min_value=0)
    opened_at = MomentField()
    closed_at = MomentField(allow_null=True)
    server_time = MomentField()
    seed_hash = HashField()
    server_seed = serializers.RegexField("^[0-9a-f]{64}$", allow_null=True, help_text="Revealed when the round has closed.")
    seats = SeatSerializer(many=True)
    seat = StrictIntegerField(min_value=0, allow_null=True, help_text="The viewer's own seat.")
    turn = StrictIntegerField(min_value=0, allow_null=True, help_text="Send it with your next action.")
    deadline = MomentField(allow_null=True, help_text="When the system plays for the seat.")
    available_minor = StrictIntegerField(
        min_value=0, allow_null=True, help_text="Free in the viewer's account; null after another seat's step."
    )
    legal_actions = LegalActionSerializer(many=True)
    view = serializers.DictField()
    events = serializers.ListField(child=serializers.DictField())
    next_commitment = NextCommitmentSerializer(allow_null=True)
    stream_url = serializers.URLField(help_text="Where the round's steps are told as they happen.")


class LastOpeningSerializer(StrictSerializer):
    """The game's own part of the last opening, or null when there was none."""

    opening = serializers.DictField(allow_null=True)

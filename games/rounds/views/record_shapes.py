"""The shape of a ``casino-round/1`` record, for the API's reference."""

from rest_framework import serializers

from casino.api.fields import (
    CurrencyField,
    HashField,
    MomentField,
    StrictChoiceField,
    StrictIntegerField,
    StrictSerializer,
    StrictUUIDField,
)
from games.core.record import FORMAT
from games.rounds.models import RoundStep

MOVE_KINDS = ("hold", "fund", "release", "collect", "rake")


def _count() -> StrictIntegerField:
    return StrictIntegerField(min_value=0)


class RecordHallSerializer(StrictSerializer):
    """The hall as it was called."""

    id = StrictUUIDField()
    name = serializers.CharField()


class RecordSeatSerializer(StrictSerializer):
    """Who sat where, with which seed."""

    seat = _count()
    player = StrictUUIDField()
    client_seed = serializers.CharField(allow_blank=True)


class RecordHeadSerializer(StrictSerializer):
    """What the round began with; its hash is the first step's ``previous_hash``."""

    round_id = StrictUUIDField()
    game = serializers.CharField()
    rules_version = StrictIntegerField(min_value=1)
    engine_digest = HashField()
    hall = RecordHallSerializer()
    currency = CurrencyField()
    seats = RecordSeatSerializer(many=True)
    setup = serializers.DictField(help_text="The bets, limits and pay table as they were; docs/sandbox.md has the keys.")
    seed_hash = HashField()
    opened_at = MomentField()


class RecordMoveSerializer(StrictSerializer):
    """One amount between a seat's account, the round's escrow and the house."""

    kind = StrictChoiceField(choices=MOVE_KINDS, component="MoveKind")
    seat = _count()
    amount_minor = StrictIntegerField(min_value=1)
    code = serializers.CharField(help_text="What for, in the game's words.")


class RecordTransferSerializer(RecordMoveSerializer):
    """The transfer that carried out move ``index`` of step ``seq``."""

    seq = _count()
    index = _count()
    id = StrictUUIDField()
    currency = CurrencyField()


class RecordStepSerializer(StrictSerializer):
    """One step: who acted, what happened, which money moved, chained by its hash."""

    seq = _count()
    at = MomentField()
    seat = StrictIntegerField(min_value=0, allow_null=True)
    turn = StrictIntegerField(min_value=0, allow_null=True)
    origin = StrictChoiceField(choices=RoundStep.Origin.choices, component="StepOrigin")
    action = serializers.DictField()
    events = serializers.ListField(child=serializers.DictField())
    moves = RecordMoveSerializer(many=True)
    state_hash = HashField()
    previous_hash = HashField()
    hash = HashField()


class RecordSeatResultSerializer(StrictSerializer):
    """What a seat put in, got back and won (or, negative, lost)."""

    seat = _count()
    staked_minor = _count()
    returned_minor = _count()
    net_minor = StrictIntegerField()


class RecordResultSerializer(StrictSerializer):
    """How the round ended; a voided one has no outcome."""

    status = StrictChoiceField(choices=["settled", "voided"])
    seats = RecordSeatResultSerializer(many=True)
    outcome = serializers.DictField(allow_null=True)


class RoundRecordSerializer(StrictSerializer):
    """A ``casino-round/1`` document, byte for byte as its hashes cover it: verify it with ``python3 -S -m games.verify``."""

    format = StrictChoiceField(choices=[FORMAT])
    head = RecordHeadSerializer()
    server_seed = HashField()
    steps = RecordStepSerializer(many=True)
    result = RecordResultSerializer()
    transfers = RecordTransferSerializer(many=True)
    record_hash = HashField()

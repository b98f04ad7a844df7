"""What the audit asks and answers about single rounds and exports."""

from typing import Any

from rest_framework import serializers

from audit.history.lines import FORMS
from audit.history.models import Export
from audit.models import AuditFinding
from casino.api.fields import (
    BoundedListField,
    HashField,
    MomentField,
    StrictBooleanField,
    StrictChoiceField,
    StrictIntegerField,
    StrictJSONField,
    StrictSerializer,
    StrictUUIDField,
)
from games.rounds.models import RoundStep
from games.rounds.serializers import RoundFilters, RoundSummarySerializer
from games.rounds.views.record_shapes import RecordResultSerializer
from games.rounds.views.sandbox import MAX_ACTIONS, SandboxRunSerializer
from wallets.models import AccountKind


def _minor(**kwargs: Any) -> StrictIntegerField:
    return StrictIntegerField(min_value=0, **kwargs)


class RoundFindingSerializer(serializers.ModelSerializer[AuditFinding]):
    """Something that the audit found about a round."""

    id = serializers.UUIDField(source="public_id")
    evidence = serializers.DictField()
    severity = StrictChoiceField(choices=AuditFinding.Severity.choices, component="FindingSeverity")
    status = StrictChoiceField(choices=AuditFinding.Status.choices, component="FindingStatus")

    class Meta:
        model = AuditFinding
        fields = ("id", "check_name", "severity", "status", "evidence", "found_at", "seen_at", "times_seen", "resolution")


class RoundLookSerializer(StrictSerializer):
    """A round with its money and what has been found about it."""

    round = RoundSummarySerializer()
    findings = RoundFindingSerializer(many=True)


class SeenSerializer(StrictSerializer):
    """A step as one seat saw it, or with a null viewer anybody: the view before and after, and what happened."""

    viewer = StrictIntegerField(min_value=0, allow_null=True)
    before = serializers.DictField(allow_null=True, help_text="Null before the opening.")
    after = serializers.DictField(allow_null=True)
    events = serializers.ListField(child=serializers.DictField())


class SeatStandsSerializer(StrictSerializer):
    """A seat's money at one moment."""

    staked_minor = _minor()
    returned_minor = _minor()
    held_minor = StrictIntegerField(help_text="In the round's escrow.")
    available_minor = _minor(
        allow_null=True, help_text="In the seat's account, where the step moved it or was the seat's own; else null."
    )


class SeatMoneySerializer(StrictSerializer):
    """A seat's money before and after a step."""

    seat = StrictIntegerField(min_value=0)
    before = SeatStandsSerializer()
    after = SeatStandsSerializer()


class EscrowMoneySerializer(StrictSerializer):
    """What the round's escrow holds before and after a step, by the ledger."""

    before_minor = _minor()
    after_minor = _minor()


class TransferSideSerializer(StrictSerializer):
    """One side of a transfer; house and rake store no balance."""

    kind = StrictChoiceField(choices=AccountKind.choices, component="AccountKind")
    seat = StrictIntegerField(min_value=0, allow_null=True)
    balance_after_minor = _minor(allow_null=True)


class StepTransferSerializer(StrictSerializer):
    """A transfer that a step made."""

    id = StrictUUIDField()
    index = StrictIntegerField(min_value=0)
    code = serializers.CharField()
    amount_minor = StrictIntegerField(min_value=1)
    to = TransferSideSerializer()

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        return {**super().get_fields(), "from": TransferSideSerializer()}


class StepAsSeenSerializer(StrictSerializer):
    """One step made anew by the rules, as every seat saw it, with the money beside the cards.

    Of an open round: what anybody may see, without action, ledger and other views.
    """

    seq = StrictIntegerField(min_value=0)
    at = MomentField()
    seat = StrictIntegerField(min_value=0, allow_null=True)
    turn = StrictIntegerField(min_value=0, allow_null=True)
    origin = StrictChoiceField(choices=RoundStep.Origin.choices, component="StepOrigin", allow_null=True)
    action = serializers.DictField(allow_null=True)
    divergence = serializers.CharField(allow_null=True, help_text="Where the record is not what the rules make; null: it is.")
    views = SeenSerializer(many=True)
    seats = SeatMoneySerializer(many=True)
    escrow = EscrowMoneySerializer(allow_null=True)
    transfers = StepTransferSerializer(many=True, allow_null=True)


class WhatIfBody(StrictSerializer):
    """Other actions from a step on, as in a script of the sandbox."""

    from_seq = StrictIntegerField(min_value=1, help_text="The first step that is played otherwise.")
    actions = BoundedListField(child=StrictJSONField(), max_length=MAX_ACTIONS)

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        goes_on = StrictBooleanField(default=False, help_text="Skip an illegal action instead of ending there.")
        finish = StrictBooleanField(default=False, help_text="After the actions the system plays on to the end.")
        return {**super().get_fields(), "continue": goes_on, "finish": finish}


class MoneySerializer(StrictSerializer):
    """What a seat put in, got back, and won or lost by that."""

    staked_minor = _minor()
    returned_minor = _minor()
    net_minor = StrictIntegerField()


class ComparedSeatSerializer(StrictSerializer):
    """A seat's money as it was and as it would have been; null while the other round is not over."""

    seat = StrictIntegerField(min_value=0)
    player_id = StrictUUIDField()
    actual = MoneySerializer()
    what_if = MoneySerializer(allow_null=True)
    net_difference_minor = StrictIntegerField(allow_null=True)


class WhatIfSerializer(SandboxRunSerializer):
    """The sandbox's answer, from the first other step on, beside what really came of the round. No money moved."""

    round_id = StrictUUIDField()
    from_seq = StrictIntegerField(min_value=1)
    first_divergence = StrictIntegerField(min_value=1, allow_null=True, help_text="The first step unlike the recorded one.")
    actual = RecordResultSerializer()
    compared = ComparedSeatSerializer(many=True)


class ExportQuery(RoundFilters):
    """Which closed rounds, in which form."""

    format = StrictChoiceField(choices=[each for each in Export.Format.choices if each[0] in FORMS])


class ExportSerializer(serializers.ModelSerializer[Export]):
    """An export: who took which rounds or the seals, how far it is, and when it is whole the SHA-256 of all that was sent."""

    id = serializers.UUIDField(source="public_id")
    author_id = serializers.UUIDField(source="author.public_id")
    author_name = serializers.CharField(source="author.username")
    filters = serializers.DictField()
    format = StrictChoiceField(choices=Export.Format.choices)
    status = StrictChoiceField(
        choices=Export.Status.choices, help_text="An export that runs and has made no progress for minutes has died."
    )
    rounds_total = serializers.IntegerField(min_value=0, allow_null=True, help_text="Null for an export of the seals.")
    rounds_written = serializers.IntegerField(min_value=0, allow_null=True, help_text="Null for an export of the seals.")
    sha256 = HashField(allow_null=True)

    class Meta:
        model = Export
        fields = (
            "id", "author_id", "author_name", "format", "filters", "status", "rounds_total", "rounds_written", "bytes_written",
            "sha256", "began_at", "progress_at",
        )  # fmt: skip

    def to_representation(self, instance: Export) -> dict[str, Any]:
        shown = {**super().to_representation(instance), "sha256": instance.sha256 or None}
        return shown if instance.is_of_rounds else {**shown, "rounds_total": None, "rounds_written": None}

"""What is asked and answered about findings and how far the audit has looked."""

from rest_framework import serializers

from audit.continuous.selectors import UNRESOLVED, Standing
from audit.models import AuditFinding, AuditPass
from casino.api.fields import (
    MomentField,
    ReasonField,
    StrictBooleanField,
    StrictChoiceField,
    StrictSerializer,
    StrictUUIDField,
    TextField,
)


class FindingFilters(StrictSerializer):
    """Which findings to list."""

    status = StrictChoiceField(
        choices=[*AuditFinding.Status.values, UNRESOLVED], required=False, help_text=f"`{UNRESOLVED}`: open or owned."
    )
    severity = StrictChoiceField(choices=AuditFinding.Severity.choices, component="FindingSeverity", required=False)
    check_name = TextField(max_length=100, required=False)
    subject_type = TextField(max_length=100, required=False)
    subject_id = TextField(max_length=100, required=False)
    round_id = StrictUUIDField(required=False, help_text="Findings about a round, and about its steps, seats and transfers.")
    hall_id = StrictUUIDField(required=False)
    owner_id = StrictUUIDField(required=False)
    found_from = MomentField(required=False)
    found_before = MomentField(required=False)


class FindingSerializer(serializers.ModelSerializer[AuditFinding]):
    """Something that is not as it must be: which check failed, on what, since when, and what became of it."""

    id = serializers.UUIDField(source="public_id")
    status = StrictChoiceField(choices=AuditFinding.Status.choices, component="FindingStatus")
    severity = StrictChoiceField(choices=AuditFinding.Severity.choices, component="FindingSeverity")
    hall_id = serializers.UUIDField(source="hall_public_id", allow_null=True)
    evidence = serializers.DictField(help_text="What was expected and what was found, and the rows where. As of the first sight.")
    owner_id = serializers.UUIDField(source="owner.public_id", default=None, allow_null=True)

    class Meta:
        model = AuditFinding
        fields = (
            "id", "check_name", "severity", "subject_type", "subject_id", "hall_id", "evidence", "found_at", "seen_at",
            "times_seen", "status", "owner_id", "resolution", "resolved_at",
        )  # fmt: skip


class FindingResolveBody(StrictSerializer):
    """What a finding came to."""

    resolution = ReasonField()


class PassSerializer(serializers.ModelSerializer[AuditPass]):
    """A look at everything: every row of the ledger, every round, every replay."""

    id = serializers.UUIDField(source="public_id")
    cause = StrictChoiceField(choices=AuditPass.Cause.choices, component="PassCause")
    findings = serializers.IntegerField(help_text="How many findings it made or saw again.")

    class Meta:
        model = AuditPass
        fields = ("id", "cause", "began_at", "ended_at", "findings")


class UnresolvedSerializer(StrictSerializer):
    """How many findings are unresolved, by severity."""

    notice = serializers.IntegerField()
    warning = serializers.IntegerField()
    critical = serializers.IntegerField()


class ReconciliationSerializer(serializers.Serializer[Standing]):
    """Whether the books agree, as far as the audit has looked, and how far that is."""

    clean = StrictBooleanField(source="is_clean", help_text="There has been a full pass, and no critical finding is unresolved.")
    unresolved = UnresolvedSerializer()
    lag_seconds = serializers.SerializerMethodField(help_text="How old the oldest row is that has not been read yet.")
    last_pass = PassSerializer(allow_null=True)
    running_pass = PassSerializer(allow_null=True)

    def get_lag_seconds(self, standing: Standing) -> int:
        return int(standing.lag.total_seconds())

"""What the audit answers."""

from rest_framework import serializers

from audit.models import AuditRecord
from casino.api.fields import MomentField, StrictBooleanField, StrictSerializer, StrictUUIDField, TextField


class AuditRecordFilters(StrictSerializer):
    """Which changes to list."""

    actor_id = StrictUUIDField(required=False)
    action = TextField(max_length=100, required=False)
    subject_type = TextField(max_length=100, required=False)
    subject_id = TextField(max_length=100, required=False)
    request_id = TextField(max_length=100, required=False)
    hall_id = StrictUUIDField(required=False)
    at_from = MomentField(required=False)
    at_to = MomentField(required=False, help_text="Before this moment.")
    reason = TextField(max_length=200, required=False, help_text="Words, all of which are in the reason.")
    changed = TextField(max_length=100, required=False, help_text="A key of what was before or after.")


class AuditRecordSerializer(serializers.ModelSerializer[AuditRecord]):
    """One administrative change: who, what, when, before, after, why."""

    id = serializers.UUIDField(source="public_id")
    actor_id = serializers.UUIDField(source="actor.public_id", default=None, allow_null=True)
    hall_id = serializers.UUIDField(source="hall_public_id", allow_null=True)
    before = serializers.DictField(allow_null=True)
    after = serializers.DictField(allow_null=True)

    class Meta:
        model = AuditRecord
        fields = (
            "id", "at", "actor_id", "actor_name", "action", "subject_type", "subject_id", "hall_id", "before", "after", "reason",
            "request_id",
        )  # fmt: skip


class ReplaySerializer(StrictSerializer):
    """What a replay of a closed round found."""

    replay = StrictBooleanField(help_text="Always true: this tells of the past.")
    round_id = StrictUUIDField()
    record_hash = serializers.CharField()
    clean = StrictBooleanField(help_text="The record is verified, and the stored round with its money is what it tells.")
    record_verdict = serializers.CharField(
        allow_null=True, help_text="The offline verifier's, of the record alone; null where it refuses the record."
    )
    deviations = serializers.ListField(child=serializers.CharField())

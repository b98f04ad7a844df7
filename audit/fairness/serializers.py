"""What the fairness API answers."""

from typing import Any

from rest_framework import serializers

from audit.fairness.models import UNFINISHED, FairnessRun, FairnessVerdict
from casino.api.fields import CodeField, StrictChoiceField, StrictSerializer, TextField

VERDICTS = (*FairnessVerdict.Verdict.values, UNFINISHED)


class FairnessRunFilters(StrictSerializer):
    """Which runs to list."""

    source = StrictChoiceField(choices=FairnessRun.Source.values, required=False)  # type: ignore[assignment]
    pack = TextField(max_length=60, required=False, help_text="A free name, as it is kept: `52`, `russian_poker 52`, `rounds`.")
    verdict = StrictChoiceField(choices=VERDICTS, required=False)
    period = CodeField(
        "^[0-9]{4}(-W[0-9]{2}|-[0-9]{2}-[0-9]{2})?$",
        message="A night is written as 2026-03-29, a week as 2026-W13, a year as 2026.",
        max_length=10,
        required=False,
        help_text="The night `2026-03-29`, week `2026-W13` or year `2026` that a scheduled run is for.",
    )


class FairnessRunSerializer(serializers.ModelSerializer[FairnessRun]):
    """One run of the battery: what was tested, how, and the verdict on all p-values together."""

    id = serializers.UUIDField(source="public_id")
    source = serializers.ChoiceField(choices=FairnessRun.Source.values)  # type: ignore[assignment]
    sample = serializers.DictField()
    repeats_id = serializers.UUIDField(source="repeats.public_id", default=None, allow_null=True)
    verdict = serializers.ChoiceField(source="standing.verdict", choices=VERDICTS)
    finished_at = serializers.DateTimeField(source="standing.finished_at", allow_null=True)
    least_p = serializers.FloatField(source="standing.least_p", allow_null=True)
    failed = serializers.ListField(source="standing.failed", child=serializers.CharField())
    faults = serializers.ListField(source="standing.faults", child=serializers.CharField())
    skipped = serializers.ListField(
        source="standing.skipped",
        child=serializers.CharField(),
        help_text="Tests for which the sample was too small: they say nothing. Where all are, the verdict is `too_few`.",
    )

    class Meta:
        model = FairnessRun
        fields: Any = (
            "id", "started_at", "finished_at", "source", "pack", "decks", "sequences", "seed", "sample", "level", "algorithm",
            "shuffle_digest", "period", "attempt", "repeats_id", "verdict", "least_p", "failed", "faults",
            "skipped",
        )  # fmt: skip


class FairnessOutcomeSerializer(serializers.Serializer[dict[str, Any]]):
    """One test: its statistic, the law of that under a fair shuffle, and the p-value."""

    name = serializers.CharField()
    statistic = serializers.FloatField()
    law = serializers.CharField()
    p = serializers.FloatField()
    keeps_rule = serializers.BooleanField(allow_null=True, help_text="What SP 800-22's own rule says, for its tests.")


class FairnessRunDetailSerializer(FairnessRunSerializer):
    """A run with every p-value."""

    outcomes = FairnessOutcomeSerializer(source="standing.outcomes", many=True)

    class Meta(FairnessRunSerializer.Meta):
        fields = (*FairnessRunSerializer.Meta.fields, "outcomes")

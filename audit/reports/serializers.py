"""What is asked of reports, and what they answer."""

from datetime import date
from typing import Any

from rest_framework import serializers

from audit.models import StoredReport
from audit.reports.frame import FORMAT, NO_ACTIVITY
from audit.reports.intervals import Kind
from audit.reports.registry import REPORTS
from audit.reports.selectors import stored_report_is_intact
from casino.api.fields import (
    CodeField,
    HashField,
    MomentField,
    StrictBooleanField,
    StrictChoiceField,
    StrictIntegerField,
    StrictSerializer,
    StrictUUIDField,
)

YEAR, MONTH, DAY = "[0-9]{4}", "[0-9]{4}-[0-9]{2}", "[0-9]{4}-[0-9]{2}-[0-9]{2}"


class DayField(CodeField):
    """A date."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(f"^{DAY}$", message="A day is written as 2026-03-29.", max_length=10, **kwargs)

    def run_validation(self, data: Any = serializers.empty) -> Any:
        text = super().run_validation(data)
        try:
            return date.fromisoformat(text)
        except ValueError as error:
            raise serializers.ValidationError("There is no such day.", code="invalid") from error


class YearField(CodeField):
    """A year, in a query string."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(f"^{YEAR}$", message="A year has four digits.", max_length=4, **kwargs)

    def run_validation(self, data: Any = serializers.empty) -> Any:
        return int(super().run_validation(data))


class ReportFilters(StrictSerializer):
    """Of what: a day, a month, a year, or the days from the first to the last; without any of them, of all time."""

    hall_id = StrictUUIDField(required=False, help_text="Without it, the whole casino in days of UTC.")
    day = DayField(required=False, help_text="A gaming day of the hall, such as `2026-03-29`.")
    month = CodeField(f"^{MONTH}$", message="A month is written as 2026-03.", max_length=7, required=False, help_text="`2026-03`")
    year = YearField(required=False, help_text="`2026`")
    first_day = DayField(required=False)
    last_day = DayField(required=False)
    at = MomentField(required=False, help_text="For the liability: the instant.")


class ReportHallSerializer(StrictSerializer):
    """The hall of a report."""

    id = StrictUUIDField()
    code = serializers.CharField()
    name = serializers.CharField()


class ZoneSinceSerializer(StrictSerializer):
    """A time zone, and from when on the hall's clocks showed it."""

    time_zone = serializers.CharField()
    since = MomentField(allow_null=True)


class ReportIntervalSerializer(StrictSerializer):
    """All instants from ``starts_at`` until before ``ends_at``, and the gaming days that they are."""

    kind = StrictChoiceField(choices=[*(kind.value for kind in Kind), "instant"])
    first_day = serializers.DateField(allow_null=True)
    last_day = serializers.DateField(allow_null=True)
    day_starts_at_hour = StrictIntegerField(min_value=0, max_value=23)
    time_zones = ZoneSinceSerializer(many=True)
    starts_at = MomentField(allow_null=True)
    ends_at = MomentField()
    is_over = StrictBooleanField()


class ReportHeaderSerializer(StrictSerializer):
    """What a report says of itself."""

    operator = serializers.CharField()
    report = StrictChoiceField(choices=sorted(REPORTS), component="ReportName")
    title = serializers.CharField()
    definition_version = StrictIntegerField(min_value=1)
    software_version = serializers.CharField()
    software_digest = HashField()
    hall = ReportHallSerializer(allow_null=True)
    interval = ReportIntervalSerializer()
    is_final = StrictBooleanField(help_text="Nothing with a time in the interval can come any more.")
    generated_at = MomentField()
    filters = serializers.DictField()
    page = StrictIntegerField(min_value=1)
    pages = StrictIntegerField(min_value=1)
    activity = serializers.CharField(allow_null=True, help_text=f"`{NO_ACTIVITY}` when nothing happened.")


class ReportColumnSerializer(StrictSerializer):
    """A column. Amounts are integers of the minor unit; docs/reports.md defines each column."""

    name = serializers.CharField()
    title = serializers.CharField()
    type = StrictChoiceField(choices=["text", "integer", "time", "data"])


class ReportCheckSerializer(StrictSerializer):
    """A figure of the report against the same figure found another way."""

    check = serializers.CharField()
    currency = serializers.CharField(allow_null=True)
    expected = StrictIntegerField()
    found = StrictIntegerField()
    agrees = StrictBooleanField()


class ReportSerializer(StrictSerializer):
    """A report: head, columns, rows, their totals by currency, and checks against the ledger."""

    format = StrictChoiceField(choices=[FORMAT])
    header = ReportHeaderSerializer()
    columns = ReportColumnSerializer(many=True)
    rows = serializers.ListField(child=serializers.DictField())
    totals = serializers.ListField(child=serializers.DictField())
    checks = ReportCheckSerializer(many=True)


class StoredReportFilters(StrictSerializer):
    """Which of the reports that are kept."""

    report = StrictChoiceField(choices=sorted(REPORTS), component="ReportName", required=False)
    hall_id = StrictUUIDField(required=False)
    period = CodeField(
        f"^(day {DAY}|month {MONTH}|year {YEAR}|days {DAY} {DAY})$",
        message="A period is written as day 2026-03-29, month 2026-03, year 2026 or days 2026-03-01 2026-03-15.",
        max_length=40,
        required=False,
        help_text="As `day 2026-03-29`, `month 2026-03`, `year 2026`, `days 2026-03-01 2026-03-15`.",
    )


class StoredReportSerializer(serializers.ModelSerializer[StoredReport]):
    """A report that is kept: which, of when, and what makes sure that it is still the same."""

    id = serializers.UUIDField(source="public_id")
    hall_id = serializers.UUIDField(source="hall_public_id", allow_null=True)
    generated_by = serializers.CharField(source="generated_by.username", default=None, allow_null=True)

    class Meta:
        model = StoredReport
        fields: tuple[str, ...] = (
            "id", "report", "definition_version", "hall_id", "period", "version", "document_hash", "previous_hash",
            "software_version", "software_digest", "generated_at", "generated_by", "reason",
        )  # fmt: skip


class StoredReportDetailSerializer(StoredReportSerializer):
    """A report that is kept, and whether it still is what was kept."""

    is_intact = serializers.SerializerMethodField()

    class Meta(StoredReportSerializer.Meta):
        fields = (*StoredReportSerializer.Meta.fields, "is_intact")

    def get_is_intact(self, row: StoredReport) -> bool:
        return stored_report_is_intact(row)

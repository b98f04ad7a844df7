"""Which gaming days a report is of, and which instants those are."""

import calendar
from dataclasses import dataclass
from datetime import UTC, date, datetime
from enum import StrEnum

from django.conf import settings

from audit.models import AuditRecord
from audit.reports.days import GamingDays, ZoneSince
from audit.trail import subject_named
from casino.errors import InvalidInput
from games.halls.models import Hall

FIRST_YEAR, LAST_YEAR = 2000, 2100


class Kind(StrEnum):
    """How long a report's interval is."""

    DAY = "day"
    MONTH = "month"
    YEAR = "year"
    DAYS = "days"
    LIFE_TO_DATE = "life_to_date"


@dataclass(frozen=True, slots=True)
class Period:
    """What a report is asked for: gaming days from the first to the last, both included; None for without a beginning or end."""

    kind: Kind
    first_day: date | None = None
    last_day: date | None = None

    @property
    def name(self) -> str:
        """The period in one word, such as ``day 2026-03-29`` or ``month 2026-03``."""
        if self.first_day is None:
            return self.kind.value
        shown = {Kind.DAY: "%Y-%m-%d", Kind.MONTH: "%Y-%m", Kind.YEAR: "%Y"}.get(self.kind)
        return f"{self.kind} {self.first_day.strftime(shown) if shown else f'{self.first_day} {self.last_day}'}"


@dataclass(frozen=True, slots=True)
class Interval:
    """A period in a hall's own time: all instants from ``starts_at`` until before ``ends_at``, as far as time has come.

    **Shapes** Without a ``starts_at`` from the beginning of the books. ``is_over`` unless the period goes on.
    """

    period: Period
    days: GamingDays
    starts_at: datetime | None
    ends_at: datetime
    is_over: bool

    @property
    def sql_starts_at(self) -> datetime | str:
        """The beginning as PostgreSQL takes it."""
        return self.starts_at or "-infinity"


LIFE_TO_DATE = Period(Kind.LIFE_TO_DATE)


def period_parse(
    *,
    day: date | None = None,
    month: str | None = None,
    year: int | None = None,
    first_day: date | None = None,
    last_day: date | None = None,
) -> Period:
    """Read which period is meant: a day, a month (``2026-03``), a year, or the days from the first to the last; else all of them.

    **Errors** InvalidInput with the field.
    """
    given = {name: value for name, value in (("day", day), ("month", month), ("year", year)) if value is not None}
    is_range = first_day is not None or last_day is not None
    if len(given) + is_range > 1:
        raise InvalidInput("invalid_input", "Ask for one interval.", field=next(iter(given)))
    if is_range:
        return _range(first_day, last_day)
    if day is not None:
        return Period(Kind.DAY, _known(day, "day"), day)
    if month is not None:
        first = _month(month)
        return Period(Kind.MONTH, first, first.replace(day=calendar.monthrange(first.year, first.month)[1]))
    if year is not None:
        if not FIRST_YEAR <= year <= LAST_YEAR:
            raise InvalidInput("invalid_input", f"From {FIRST_YEAR} to {LAST_YEAR}.", field="year")
        return Period(Kind.YEAR, date(year, 1, 1), date(year, 12, 31))
    return LIFE_TO_DATE


def interval_of(period: Period, days: GamingDays, as_of: datetime) -> Interval:
    """Return the instants of a period, up to ``as_of`` when it goes on.

    **Errors** InvalidInput when it has not begun.
    """
    starts_at = None if period.first_day is None else days.starts_at(period.first_day)
    ends_at = as_of if period.last_day is None else days.ends_at(period.last_day)
    if starts_at is not None and starts_at > as_of:
        raise InvalidInput("invalid_input", "This interval has not begun.", field=_FIELDS[period.kind])
    return Interval(period, days, starts_at, min(ends_at, as_of), is_over=period.last_day is not None and ends_at <= as_of)


def gaming_days(hall: Hall | None) -> GamingDays:
    """Return the gaming days of a hall, by the time zones that the audit trail says it had; without a hall those of UTC.

    **Rule** The trail tells which zone was in force at which time, so that a change of the zone leaves all days before it as they
    were: what has been reported stays so.
    """
    zones = [ZoneSince("UTC")] if hall is None else _zones(hall)
    return GamingDays(tuple(zones), settings.GAMING_DAY_START_HOUR)


def _zones(hall: Hall) -> list[ZoneSince]:
    subject_type, subject_id = subject_named(hall)
    edits = AuditRecord.objects.filter(subject_type=subject_type, subject_id=subject_id, before__isnull=False)
    zones: list[ZoneSince] = []
    for at, before, after in edits.order_by("pk").values_list("at", "before", "after"):
        earlier, later = (before or {}).get("time_zone"), (after or {}).get("time_zone")
        if earlier and later and earlier != later:
            zones = [*(zones or [ZoneSince(earlier)]), ZoneSince(later, at.astimezone(UTC))]
    return zones or [ZoneSince(hall.time_zone)]


_FIELDS = {Kind.DAY: "day", Kind.MONTH: "month", Kind.YEAR: "year", Kind.DAYS: "first_day"}


def _range(first_day: date | None, last_day: date | None) -> Period:
    if first_day is None or last_day is None:
        raise InvalidInput("invalid_input", "Give both days.", field="last_day" if last_day is None else "first_day")
    if last_day < first_day:
        raise InvalidInput("invalid_input", "The last day is before the first.", field="last_day")
    return Period(Kind.DAYS, _known(first_day, "first_day"), _known(last_day, "last_day"))


def _known(day: date, field: str) -> date:
    if not FIRST_YEAR <= day.year <= LAST_YEAR:
        raise InvalidInput("invalid_input", f"From {FIRST_YEAR} to {LAST_YEAR}.", field=field)
    return day


def _month(text: str) -> date:
    try:
        return _known(date.fromisoformat(f"{text}-01"), "month")
    except ValueError as error:
        raise InvalidInput("invalid_input", "A month is written as 2026-03.", field="month") from error

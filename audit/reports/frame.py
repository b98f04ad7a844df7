"""The frame of every report: what it is defined by, what it is asked of, and the document that it becomes."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from django.conf import settings
from django.db import connections

from audit.reports.intervals import Interval
from games.core.digest import engine_digest
from games.halls.models import Hall
from games.rounds.records import iso

FORMAT = "casino-report/1"
NO_ACTIVITY = "No Activity"
Type = Literal["text", "integer", "time", "data"]
Row = dict[str, Any]
_JSONB = 3802  # comes as text


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a report. ``is_summed``: the totals have its sum. Of type ``data`` is any JSON value."""

    name: str
    title: str
    type: Type = "text"
    is_summed: bool = False


def amount(name: str, title: str, *, is_summed: bool = True) -> Column:
    """Describe a column of integers, in the currency's minor unit where the name ends so."""
    return Column(name, title, "integer", is_summed)


@dataclass(frozen=True, slots=True)
class Scope:
    """What a report is asked of: an interval, of one hall or of the whole casino; and the database it reads."""

    interval: Interval
    hall: Hall | None
    database: str

    def read(self, sql: str, **values: Any) -> list[Row]:
        """Return the rows of a query, by the names of its columns; it may use the interval and the hall's key by name."""
        named = {
            "starts_at": self.interval.sql_starts_at,
            "ends_at": self.interval.ends_at,
            "hall_id": self.hall and self.hall.pk,
            **values,
        }
        with connections[self.database].cursor() as cursor:
            cursor.execute(sql, named)
            names = [column.name for column in cursor.description]
            documents = [column.name for column in cursor.description if column.type_code == _JSONB]
            rows = [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
        for row in rows:
            row |= {name: json.loads(row[name]) for name in documents if row[name] is not None}
        return rows


@dataclass(frozen=True, slots=True)
class Check:
    """A figure of a report against the same figure found another way; they must agree."""

    name: str
    expected: int
    found: int
    currency: str | None = None

    def shown(self) -> Row:
        agrees = self.expected == self.found
        return {"check": self.name, "currency": self.currency, "expected": self.expected, "found": self.found, "agrees": agrees}


@dataclass(frozen=True, slots=True)
class Content:
    """What a report found: its rows in order, its checks, and whether anything happened at all."""

    rows: Sequence[Row]
    checks: Sequence[Check]
    is_active: bool
    filters: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Definition:
    """A report. Its ``version`` grows whenever a column or what it means changes. ``by_hall``: whether it is asked of one hall.

    ``for_operators``: whether operators may have it of their own halls. ``is_instant``: it is of the end of its interval.
    ``daily``: whether it is kept each day for every hall or for the casino.
    """

    name: str
    title: str
    version: int
    columns: Sequence[Column]
    build: Callable[[Scope], Content]
    daily: Literal["hall", "casino"]
    by_hall: Literal["required", "optional", "never"] = "optional"
    for_operators: bool = False
    is_instant: bool = False


def document_of(definition: Definition, scope: Scope, content: Content, *, generated_at: datetime, is_final: bool) -> Row:
    """Return a report as one document: its head, its rows, their totals, and its checks."""
    return {
        "format": FORMAT,
        "header": {
            "operator": settings.OPERATOR_NAME,
            "report": definition.name,
            "title": definition.title,
            "definition_version": definition.version,
            "software_version": settings.SOFTWARE_VERSION,
            "software_digest": engine_digest("audit.reports"),
            "hall": scope.hall and {"id": str(scope.hall.public_id), "code": scope.hall.code, "name": scope.hall.name},
            "interval": _interval_shown(scope.interval, is_instant=definition.is_instant),
            "is_final": is_final,
            "generated_at": iso(generated_at),
            "filters": {"hall_id": scope.hall and str(scope.hall.public_id), **content.filters},
            "page": 1,
            "pages": 1,
            "activity": None if content.is_active else NO_ACTIVITY,
        },
        "columns": [{"name": each.name, "title": each.title, "type": each.type} for each in definition.columns],
        "rows": [{each.name: _shown(row[each.name], each.type) for each in definition.columns} for row in content.rows],
        "totals": _totals(definition.columns, content.rows),
        "checks": [check.shown() for check in content.checks],
    }


def _interval_shown(interval: Interval, *, is_instant: bool) -> Row:
    first, last = interval.period.first_day, interval.period.last_day
    return {
        "kind": "instant" if is_instant else interval.period.kind.value,
        "first_day": first and first.isoformat(),
        "last_day": last and last.isoformat(),
        "day_starts_at_hour": interval.days.start_hour,
        "time_zones": [
            {"time_zone": zone.time_zone, "since": zone.since and iso(zone.since)}
            for zone in interval.days.zones_between(interval.starts_at, interval.ends_at)
        ],
        "starts_at": interval.starts_at and iso(interval.starts_at),
        "ends_at": iso(interval.ends_at),
        "is_over": interval.is_over,
    }


def _shown(value: Any, kind: Type) -> Any:
    if value is None or kind == "data":
        return value
    return iso(value) if kind == "time" else int(value) if kind == "integer" else str(value)


def _totals(columns: Sequence[Column], rows: Sequence[Row]) -> list[Row]:
    """Add up what can be added up, for each currency by itself where the rows have one."""
    summed = [column.name for column in columns if column.is_summed]
    if not summed:
        return []
    of_currency: dict[str | None, dict[str, int]] = {}
    for row in rows:
        sums = of_currency.setdefault(row.get("currency"), dict.fromkeys(summed, 0))
        for name in summed:
            sums[name] += int(row[name] or 0)
    return [{"currency": currency, **sums} for currency, sums in sorted(of_currency.items(), key=lambda each: each[0] or "")]

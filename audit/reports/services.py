"""Reports on demand, and reports that are kept."""

import hashlib
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import structlog
from django.db.models import Min

from audit.findings import Severity, finding_raise
from audit.locks import work_lock
from audit.models import StoredReport
from audit.reports.formats import json_text
from audit.reports.frame import Definition, Row, Scope, document_of
from audit.reports.intervals import LIFE_TO_DATE, Interval, Kind, Period, gaming_days, interval_of
from audit.reports.registry import REPORTS
from audit.reports.snapshot import is_settled, one_moment, reader
from audit.trail import audit_record
from casino.db import now as database_now
from casino.db import time_unlimited, unit_of_work
from casino.errors import InvalidInput, NotFound, Refused
from casino.users.models import User
from games.halls.models import Hall

DAYS_KEPT_BACK = 7
"""How many days back the nightly run looks for reports that are still missing."""
DAILY = "The report of the day."
logger = structlog.get_logger(__name__)


def report_build(
    *,
    name: str,
    hall: Hall | None = None,
    period: Period = LIFE_TO_DATE,
    at: datetime | None = None,
    rows_max: int | None = None,
    now: datetime | None = None,
) -> Row:
    """Return a report of a period, or as of an instant where it is of one, as a document.

    **Rule** All of its figures are of one moment of the database. It is final when nothing with a time in it can come any more.
    Where ``rows_max`` bounds it the role's time limits do too; else it takes what time it needs.
    **Errors** NotFound for a report that there is not; InvalidInput with the field; Refused ``report_too_long``.
    """
    definition = REPORTS.get(name)
    if definition is None:
        raise NotFound("not_found")
    _check_hall(definition, hall)
    as_of = now or database_now()
    interval = _interval(definition, hall, period, at, as_of)
    is_final = interval.is_over and is_settled(interval.ends_at)
    scope = Scope(interval, hall, reader())
    with one_moment(scope.database):
        if rows_max is None:
            time_unlimited(scope.database)
        content = definition.build(scope)
    if rows_max is not None and len(content.rows) > rows_max:
        raise Refused("report_too_long", rows=len(content.rows), rows_max=rows_max)
    return document_of(definition, scope, content, generated_at=as_of, is_final=is_final)


def report_store(
    *,
    name: str,
    hall: Hall | None,
    period: Period,
    reason: str,
    actor: User | None = None,
    once: bool = False,
    now: datetime | None = None,
) -> StoredReport | None:
    """Generate a report and keep it, as a further version where it is kept already; ``once``: only where it is not.

    **Rule** What does not agree with the ledger is kept as it is, and is a finding. A report that is not final yet is not kept.
    **Errors** those of ``report_build``; Refused ``report_not_final``.
    **Writes** the report; for a further version an audit record.
    """
    if once and _kept(name, hall, period).exists():
        return None
    document = report_build(name=name, hall=hall, period=period, now=now)
    if not document["header"]["is_final"]:
        raise Refused("report_not_final")
    with unit_of_work():
        work_lock("report", name, hall.pk if hall else 0, period.name)
        last = _kept(name, hall, period).order_by("version").last()
        if once and last is not None:
            return None
        row = _stored(document, hall, period, last, actor, reason)
        row.save(force_insert=True)
        if last is not None:
            audit_record(
                actor=actor,
                action="report_generated_again",
                subject=row,
                before={"version": last.version, "document_hash": last.document_hash},
                after={"report": name, "period": period.name, "version": row.version, "document_hash": row.document_hash},
                reason=reason,
                hall=hall,
            )
        _raise_findings(row, document, hall)
        return row


def reports_store_daily(*, now: datetime | None = None) -> int:
    """Keep the reports of each of the last days that are still missing; return how many were kept.

    **Rule** A report is one of a day that is over and final; one that cannot be kept yet is left to the next run. One that fails
    holds up no other: the first failure is raised when all have had their turn.
    """
    as_of, kept, failed = now or database_now(), 0, list[Exception]()
    for definition, hall, period in _daily(as_of):
        try:
            row = report_store(name=definition.name, hall=hall, period=period, reason=DAILY, once=True, now=now)
        except Exception as error:
            if not (isinstance(error, Refused) and error.code == "report_not_final"):
                logger.exception("report_failed", report=definition.name, hall=hall and hall.code, period=period.name)
                failed.append(error)
        else:
            kept += row is not None
    if failed:
        raise failed[0]
    return kept


def _daily(as_of: datetime) -> Iterator[tuple[Definition, Hall | None, Period]]:
    """Every report of each of the last days, for every hall or for the casino, since there is a hall at all."""
    first = Hall.objects.aggregate(first=Min("created_at"))["first"]
    scopes: list[tuple[Hall | None, datetime]] = [(None, first)] if first else []
    scopes += [(hall, hall.created_at) for hall in Hall.objects.order_by("pk")]
    for hall, since in scopes:
        days = gaming_days(hall)
        today, begun = days.day_of(as_of), days.day_of(since)
        for back in range(DAYS_KEPT_BACK, 0, -1):
            day = today - timedelta(days=back)
            if day >= begun:
                daily = [each for each in REPORTS.values() if (each.daily == "hall") == (hall is not None)]
                yield from ((each, hall, Period(Kind.DAY, day, day)) for each in daily)


def _check_hall(definition: Definition, hall: Hall | None) -> None:
    if definition.by_hall == "required" and hall is None:
        raise InvalidInput("invalid_input", "This report is of one hall.", field="hall_id")
    if definition.by_hall == "never" and hall is not None:
        raise InvalidInput("invalid_input", "This report is of the whole casino.", field="hall_id")


def _interval(definition: Definition, hall: Hall | None, period: Period, at: datetime | None, as_of: datetime) -> Interval:
    days = gaming_days(hall)
    if at is not None:
        if not definition.is_instant or period != LIFE_TO_DATE:
            raise InvalidInput("invalid_input", "This report is of an interval.", field="at")
        if at > as_of:
            raise InvalidInput("invalid_input", "This instant has not come.", field="at")
        return Interval(period, days, None, at, is_over=True)
    interval = interval_of(period, days, as_of)
    return Interval(period, days, None, interval.ends_at, interval.is_over) if definition.is_instant else interval


def _kept(name: str, hall: Hall | None, period: Period) -> Any:
    return StoredReport.objects.filter(report=name, hall_id=hall.pk if hall else None, period=period.name)


def _stored(
    document: Row, hall: Hall | None, period: Period, last: StoredReport | None, actor: User | None, reason: str
) -> StoredReport:
    header, text = document["header"], json_text(document)
    return StoredReport(
        report=header["report"],
        definition_version=header["definition_version"],
        hall_id=hall.pk if hall else None,
        period=period.name,
        version=1 if last is None else last.version + 1,
        document=text,
        document_hash=hashlib.sha256(text.encode()).hexdigest(),
        previous_hash="" if last is None else last.document_hash,
        software_version=header["software_version"],
        software_digest=header["software_digest"],
        generated_at=header["generated_at"],
        generated_by=actor,
        reason=reason,
    )


def _raise_findings(row: StoredReport, document: Row, hall: Hall | None) -> None:
    for check in document["checks"]:
        if not check["agrees"]:
            subject = ("report", " ".join([row.report, *([hall.code] if hall else []), row.period])[:100])
            evidence = {**check, "stored_report_id": str(row.public_id)}
            finding_raise(
                check=f"report_{row.report}_{check['check']}",
                severity=Severity.CRITICAL,
                subject=subject,
                evidence=evidence,
                hall=hall,
            )

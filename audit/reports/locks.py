"""The lock under which versions of a report follow one another."""

from django.db import connection

from audit.reports.intervals import Period
from games.halls.models import Hall


def stored_report_lock(name: str, hall: Hall | None, period: Period) -> None:
    """Let no other transaction keep this report until this one ends."""
    with connection.cursor() as cursor:
        key = f"report {name} {hall.pk if hall else 0} {period.name}"
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [key])

"""The marks: set anew where the database is not the one that they were set in."""

from django.db import connection

from audit.continuous.moments import Moment
from audit.continuous.rows import Written
from audit.findings import Severity, finding_raise
from audit.models import AuditMark


def mark_standing(written: Written, moment: Moment) -> tuple[AuditMark, bool]:
    """Return a table's mark, and whether it had to be set: the first time, or after a restore. Call it with the table's lock.

    **Rule** In another database transactions count from elsewhere: what the mark says of them means nothing there. The new mark
    stands at the present, and everything before it is for a full pass to look at; what is changed of that from now on is told
    by ``set_xid``.
    **Writes** the mark; after a restore also a finding.
    """
    mark = AuditMark.objects.filter(pk=written.table).first()
    if mark is not None and mark.database == moment.database and mark.xid <= moment.next_xid:
        return mark, False
    if mark is not None:
        finding_raise(
            check="database_restored",
            severity=Severity.NOTICE,
            subject=("database", moment.database),
            evidence={"before": mark.database, "read_to_xid": str(mark.xid), "now_xid": str(moment.next_xid)},
        )
    last_key, ahead_xid = _bounds(written)
    mark = AuditMark(
        table_name=written.table,
        database=moment.database,
        era=mark.era + 1 if mark else 1,
        xid=moment.over_xid,
        first_key=last_key,
        set_xid=moment.next_xid,
        ahead_xid=ahead_xid,
    )
    mark.save()
    return mark, True


def _bounds(written: Written) -> tuple[int, int]:
    """Return the last key of a table, and the last number of a transaction that a row of it has."""
    with connection.cursor() as cursor:
        cursor.execute(written.sql("SELECT coalesce(max({key}), 0), coalesce(max(written_xid), '0')::text FROM {table}"))
        last_key, last_xid = cursor.fetchone()
    return int(last_key), int(last_xid)

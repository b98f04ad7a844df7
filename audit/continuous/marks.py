"""The marks: set anew where the database is not the one that they were set in."""

from django.db import connection

from audit.continuous.moments import Moment
from audit.continuous.rows import Written
from audit.findings import Severity, finding_raise
from audit.models import AuditMark, AuditReading


def mark_standing(written: Written, moment: Moment) -> tuple[AuditMark, bool]:
    """Return a table's mark, and whether it had to be set: the first time, or after a restore. Call it with the table's lock.

    **Rule** In another database transactions count from elsewhere: what the mark says of them means nothing there. The new mark
    stands at the present, and everything before it is for a full pass to look at; what is changed of that from now on is told
    by ``set_xid``. A mark that is gone though the table has been read was taken away.
    **Writes** the mark, by ``audit_mark_set``, which sets none where one stands; a finding, but for the very first.
    """
    mark = AuditMark.objects.filter(pk=written.table).first()
    if mark is not None and mark.database == moment.database and mark.xid <= moment.next_xid:
        return mark, False
    with connection.cursor() as cursor:
        cursor.execute("SELECT audit_mark_set(%s)", [written.table])
        (was_set,) = cursor.fetchone()
    if was_set and mark is not None:
        finding_raise(
            check="database_restored",
            severity=Severity.NOTICE,
            subject=("database", moment.database),
            evidence={"before": mark.database, "read_to_xid": str(mark.xid), "now_xid": str(moment.next_xid)},
        )
    elif was_set and (last := AuditReading.objects.filter(table_name=written.table).order_by("pk").last()):
        finding_raise(
            check="mark_is_there",
            severity=Severity.CRITICAL,
            subject=("audit.auditmark", written.table),
            evidence={"era": last.era, "read_to_xid": str(last.until_xid), "read_at": last.read_at},
        )
    return AuditMark.objects.get(pk=written.table), was_set

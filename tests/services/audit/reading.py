"""What tests of the continuous audit share: a run that waits for nobody, and the findings it made."""

from django.db import connection

from audit.continuous.incremental import Read, audit_continue
from audit.continuous.moments import moment_now
from audit.continuous.passes import pages_work
from audit.models import AuditFinding, AuditPass


def read_on() -> dict[str, Read]:
    """Read everything that is committed here. Transactions of other databases on this server are none of the test's."""
    return audit_continue(until_xid=moment_now().next_xid)


def begin() -> None:
    """Let the first run set the marks, and do the full pass that it asks for."""
    read_on()
    pages_work()
    assert AuditPass.objects.get().ended_at is not None


def findings() -> set[tuple[str, str]]:
    """The unresolved findings: check and subject's type."""
    return set(AuditFinding.objects.exclude(status="resolved").values_list("check_name", "subject_type"))


def row_id(sql: str) -> int:
    """The key that a query answers."""
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return int(cursor.fetchone()[0])

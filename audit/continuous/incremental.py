"""What is new, at a cost that follows from how much is new, and a slice of what is old."""

from dataclasses import dataclass
from time import monotonic

import structlog
from django.db import connection, transaction
from django.db.models.functions import Now

from audit.continuous.checking import ATTEMPTS_MAX, CHECKS, again_check
from audit.continuous.marks import mark_standing
from audit.continuous.moments import moment_now, time_unlimited
from audit.continuous.passes import pass_begin
from audit.continuous.reporting import unreadable_report
from audit.continuous.rows import EVERY, KEY_MAX, Written, rows_again, rows_new, slice_end
from audit.locks import attempt_note, work_lock, work_try_lock
from audit.models import AuditMark, AuditPass, AuditReading

RUN_SECONDS = 8.0
logger = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Read:
    """What a run did with a table."""

    rows: int = 0
    findings: int = 0
    has_more: bool = False

    def __add__(self, other: "Read") -> "Read":
        return Read(self.rows + other.rows, self.findings + other.findings, other.has_more)


def audit_continue(*, seconds: float = RUN_SECONDS, until_xid: int | None = None) -> dict[str, Read]:
    """Read what is new in every table, batch by batch, and look at a slice of each again; stop after some seconds.

    **Rule** Each batch is one transaction that moves its mark: killed at any moment, it is read again from its start, and
    what was found before is found once. Two runs at a time share the tables between them.
    """
    began = monotonic()
    done = {written.table: _looked_again(written) for written in EVERY}
    waiting = list(EVERY)
    while waiting and monotonic() - began < seconds:
        for written in list(waiting):
            read = table_read(written, until_xid=until_xid)
            done[written.table] += read
            if not read.has_more:
                waiting.remove(written)
    rows, findings = sum(read.rows for read in done.values()), sum(read.findings for read in done.values())
    if rows or findings:
        log = logger.error if findings else logger.info
        log("audit_continued", findings=findings, **{table: read.rows for table, read in done.items()})
    return done


def table_read(written: Written, *, until_xid: int | None = None) -> Read:
    """Read the next batch of a table's new rows and check them.

    **Rule** A row is new until every transaction before the one after its own is over: no later commit can bring an earlier row.
    **Shapes** ``until_xid`` stands in for the first transaction that is not over, where the caller knows better.
    **Locks** the table's reading, if nobody has it. **Writes** findings, the reading, the mark.
    """
    attempts = _attempt(written)
    if attempts is None:
        return Read()
    with transaction.atomic():
        work_lock("reading", written.table)
        time_unlimited(connection.alias)
        moment = moment_now()
        mark, was_set = mark_standing(written, moment)
        if was_set:
            pass_begin(cause=AuditPass.Cause.MARKS)
            return Read()
        until = moment.over_xid if until_xid is None else until_xid
        limit = max(1, written.batch_rows >> 3 * (attempts - 1))
        keys, reached = rows_new(written, since=mark.xid, until=until, limit=limit)
        if not keys:
            findings = 0
        elif attempts > ATTEMPTS_MAX:
            findings = unreadable_report(written.table, keys)
        else:
            findings = CHECKS[written.table](keys)
        if keys:
            AuditReading.objects.create(
                table_name=written.table, era=mark.era, until_xid=reached, before_xid=moment.next_xid, rows=len(keys)
            )
        mark.xid, mark.attempts, mark.taken_at, mark.moved_at = max(mark.xid, reached), 0, None, Now()
        mark.save(update_fields=["xid", "attempts", "taken_at", "moved_at"])
        return Read(len(keys), findings, has_more=reached < until)


def _attempt(written: Written) -> int | None:
    """Note that a reading begins, before it begins: one that dies leaves the note. None where somebody else is at it."""
    with transaction.atomic():
        if not work_try_lock("reading", written.table):
            return None
        mark = AuditMark.objects.filter(pk=written.table).first()
        if mark is None:
            return 1
        return mark.attempts if attempt_note(mark) else None


def _looked_again(written: Written) -> Read:
    """Look at the next slice of a table for rows that were written again since they were read, and check those at once."""
    with transaction.atomic():
        mark = AuditMark.objects.filter(pk=written.table).first()
        if not work_try_lock("reading", written.table) or mark is None or mark.database != moment_now().database:
            return Read()
        time_unlimited(connection.alias)
        end = slice_end(written, mark.again_key)
        again = rows_again(written, mark, after=mark.again_key, to=KEY_MAX if end is None else end)
        mark.again_key = 0 if end is None else end
        mark.save(update_fields=["again_key"])
        return Read(findings=again_check(written, again))

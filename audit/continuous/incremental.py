"""What is new, at a cost that follows from how much is new, and a slice of what is old."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from time import monotonic

import structlog
from django.db import ProgrammingError, connection, transaction
from django.db.models.functions import Now

from audit.continuous.checking import ATTEMPTS_MAX, again_check, rounds_of_replay, rows_check
from audit.continuous.marks import mark_standing
from audit.continuous.moments import Moment, moment_now
from audit.continuous.passes import pass_begin
from audit.continuous.reporting import again_report, again_unresolved, unreadable_report
from audit.continuous.rows import (
    EVERY,
    KEY_MAX,
    Written,
    last_key_drawn,
    rows_again,
    rows_ahead,
    rows_before,
    rows_new,
    slice_end,
)
from audit.locks import attempt_note, attempts_forget, work_lock, work_try_lock
from audit.models import AuditMark, AuditPass, AuditReading
from casino.db import time_unlimited

RUN_SECONDS = 8.0
AGAIN_BATCH_ROWS = 200
"""So many rows that were written again are checked in one transaction, their rounds replayed."""
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
    """Read what is new in every table, batch by batch, then look at a slice of each again; stop after some seconds.

    **Rule** What is new comes first, and of both every table has at least one batch. Each batch is one transaction that moves its
    mark: killed at any moment, it is read again from its start, and what was found before is found once. Two runs at a time share
    the tables between them. A table that fails holds up no other: the first failure is raised when all have had their turn.
    """
    ends, failed = monotonic() + seconds, list[Exception]()
    new = _in_turn(partial(table_read, until_xid=until_xid), ends, failed)
    old = _in_turn(again_read, ends, failed)
    done = {table: replace(read, findings=read.findings + old[table].findings) for table, read in new.items()}
    rows, findings = sum(read.rows for read in done.values()), sum(read.findings for read in done.values())
    if rows or findings:
        log = logger.error if findings else logger.info
        log("audit_continued", findings=findings, **{table: read.rows for table, read in done.items()})
    if failed:
        raise failed[0]
    return done


def _in_turn(read: Callable[[Written], Read], ends: float, failed: list[Exception]) -> dict[str, Read]:
    """Let each table have its next batch in turn, until there are no more or it is time to end."""
    done = {written.table: Read() for written in EVERY}
    waiting = list(EVERY)
    while waiting:
        for written in list(waiting):
            try:
                batch = read(written)
            except Exception as error:
                logger.exception("audit_failed", table=written.table)
                failed.append(error)
                batch = Read()
                if isinstance(error, ProgrammingError):
                    attempts_forget(written.table)
            done[written.table] += batch
            if not batch.has_more:
                waiting.remove(written)
        if monotonic() >= ends:
            break
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
        before = rows_before(written, mark, keys)
        findings = again_report(written, again_unresolved(written, [*before, *rows_ahead(written, mark)]))
        if keys and attempts > ATTEMPTS_MAX:
            findings += unreadable_report(written.table, keys)
        elif keys:
            findings += rows_check(written, keys) + rounds_of_replay(written, [row.key for row in before])
        if keys:
            _reading_note(written, mark, moment, keys, reached)
        mark.xid, mark.attempts, mark.taken_at, mark.moved_at = max(mark.xid, reached), 0, None, Now()
        mark.save(update_fields=["xid", "attempts", "taken_at", "moved_at"])
        return Read(len(keys), findings, has_more=reached < until)


def _reading_note(written: Written, mark: AuditMark, moment: Moment, keys: Sequence[int], reached: int) -> None:
    readings = AuditReading.objects.filter(table_name=written.table, era=mark.era).order_by("-until_xid")
    last_key = readings.values_list("last_key", flat=True).first() or mark.first_key
    AuditReading.objects.create(
        table_name=written.table,
        era=mark.era,
        until_xid=reached,
        before_xid=moment.next_xid,
        last_key=last_key_drawn(written, keys, last_key),
        rows=len(keys),
    )


def _attempt(written: Written) -> int | None:
    """Note that a reading begins, before it begins: one that dies leaves the note. None where somebody else is at it."""
    with transaction.atomic():
        if not work_try_lock("reading", written.table):
            return None
        mark = AuditMark.objects.filter(pk=written.table).first()
        if mark is None:
            return 1
        return mark.attempts if attempt_note(mark) else None


def again_read(written: Written) -> Read:
    """Look at a slice of a table for rows that were written again since they were read, and check the first batch of those.

    **Rule** Where a whole slice was written again, the look goes on after the batch: its findings are there, whatever becomes of
    the next.
    **Locks** the table's reading, if nobody has it. **Writes** findings, the mark.
    """
    attempts = _again_attempt(written)
    if attempts is None:
        return Read()
    with transaction.atomic():
        work_lock("reading", written.table)
        time_unlimited(connection.alias)
        mark = AuditMark.objects.get(pk=written.table)
        end = slice_end(written, mark.again_key)
        again = rows_again(written, mark, after=mark.again_key, to=KEY_MAX if end is None else end)
        unresolved = again_unresolved(written, again)
        limit = max(1, AGAIN_BATCH_ROWS >> 2 * (attempts - 1))
        batch, has_more = [row.key for row in unresolved[:limit]], len(unresolved) > limit
        mark.again_key, mark.again_attempts = batch[-1] if has_more else end or 0, 0
        if not has_more:  # what rows of resolved deeds say is held against the rest all the same
            resolved = sorted(row.key for row in set(again).difference(unresolved))
            batch += resolved[: limit - len(batch)]
        findings = again_report(written, unresolved)
        if attempts > ATTEMPTS_MAX and batch:
            findings += unreadable_report(written.table, batch)
        else:
            findings += again_check(written, batch)
        mark.save(update_fields=["again_key", "again_attempts"])
        return Read(findings=findings, has_more=has_more)


def _again_attempt(written: Written) -> int | None:
    """Note that a look again begins, before it begins. None where there is nothing to do, or somebody else is at it."""
    with transaction.atomic():
        if not work_try_lock("reading", written.table):
            return None
        mark = AuditMark.objects.filter(pk=written.table).first()
        if mark is None or mark.database != moment_now().database:
            return None
        mark.again_attempts = min(mark.again_attempts + 1, 30_000)
        mark.save(update_fields=["again_attempts"])
        return mark.again_attempts

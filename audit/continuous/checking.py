"""What is checked of rows that are new or were written again, table by table."""

from collections.abc import Callable, Sequence

from django.db import connection

from audit.continuous.apart import check_apart
from audit.continuous.replaying import rounds_replay
from audit.continuous.reporting import deviations_report
from audit.continuous.rows import RECORDS, STEPS, TRANSFERS, Written
from audit.reconcile import acts_reconcile, some_rounds_reconcile, transfers_reconcile
from games.rounds.models import Round, RoundRecord, RoundStep
from wallets.models import Transfer

ATTEMPTS_MAX = 4
"""After so many deaths over the same rows, the last ones over as few as can be, they are told of and passed over."""
_CLOSED = """
    SELECT DISTINCT record.round_id FROM rounds_roundstep step JOIN rounds_roundrecord record ON record.round_id = step.round_id
    WHERE step.id = ANY (%s) AND step.written_xid > record.written_xid LIMIT %s
"""
"""Rounds that had their record before they had a step, as no round that was played has."""


def rows_check(written: Written, keys: Sequence[int]) -> int:
    """Check rows, each whatever becomes of another; return the number of findings."""
    return check_apart(written.table, keys, CHECKS[written.table])


def again_check(written: Written, keys: Sequence[int]) -> int:
    """Check rows that were written again, and replay their rounds; return the number of findings."""
    return rows_check(written, keys) + rounds_of_replay(written, keys)


def rounds_of_replay(written: Written, keys: Sequence[int]) -> int:
    """Replay the closed rounds that transfers or steps belong to; return the number of findings. Records are rounds themselves.

    **Rule** So many rounds at once, however much was written again in one transaction; a full pass replays all.
    """
    if written is RECORDS or not keys:
        return 0
    steps: Sequence[int] = keys if written is STEPS else _steps_of(keys)
    rounds = RoundStep.objects.filter(pk__in=steps).values("round_id")
    records = RoundRecord.objects.filter(round_id__in=rounds).order_by("pk").values_list("pk", flat=True)
    return rounds_replay(list(records[: RECORDS.batch_rows]))


def everything_check_apart() -> int:
    """Check every transfer and every round by itself: the slow way, where a recount of all fails at one of them."""
    found = 0
    for check, table, rows in (
        (_transfers_check, TRANSFERS.table, Transfer.objects.order_by("pk")),
        (_rounds_check, Round._meta.db_table, Round.objects.order_by("pk")),
    ):
        after = 0
        while keys := list(rows.filter(pk__gt=after).values_list("pk", flat=True)[: TRANSFERS.batch_rows]):
            found += check_apart(table, keys, check)
            after = keys[-1]
    return found


def _steps_of(transfers: Sequence[int]) -> list[int]:
    steps = Transfer.objects.filter(pk__in=transfers, step_id__isnull=False).values_list("step_id", flat=True)
    return [step for step in steps if step is not None]


def _transfers_check(keys: Sequence[int]) -> int:
    return deviations_report(transfers_reconcile(keys) + acts_reconcile(_steps_of(keys)))


def _rounds_check(keys: Sequence[int]) -> int:
    return deviations_report(some_rounds_reconcile(keys))


def _steps_check(keys: Sequence[int]) -> int:
    rounds = RoundStep.objects.filter(pk__in=keys).values_list("round_id", flat=True).distinct()
    found = _rounds_check(list(rounds)) + deviations_report(acts_reconcile(keys))
    with connection.cursor() as cursor:
        cursor.execute(_CLOSED, [list(keys), RECORDS.batch_rows])
        return found + rounds_replay([key for (key,) in cursor.fetchall()])


def _records_check(keys: Sequence[int]) -> int:
    steps = RoundStep.objects.filter(round_id__in=keys).values_list("pk", flat=True)
    return deviations_report(acts_reconcile(list(steps))) + rounds_replay(keys)


CHECKS: dict[str, Callable[[Sequence[int]], int]] = {
    TRANSFERS.table: _transfers_check,
    STEPS.table: _steps_check,
    RECORDS.table: _records_check,
}

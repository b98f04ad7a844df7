"""What is checked of rows that are new or were written again, table by table."""

from collections.abc import Callable, Sequence

from audit.continuous.apart import check_apart
from audit.continuous.replaying import rounds_replay
from audit.continuous.reporting import deviations_report
from audit.continuous.rows import RECORDS, STEPS, TRANSFERS, Written
from audit.reconcile import some_rounds_reconcile, transfers_reconcile
from games.rounds.models import Round, RoundRecord, RoundStep
from wallets.models import Transfer

ATTEMPTS_MAX = 4
"""After so many deaths over the same rows, the last ones over as few as can be, they are told of and passed over."""


def rows_check(written: Written, keys: Sequence[int]) -> int:
    """Check rows, each whatever becomes of another; return the number of findings."""
    return check_apart(written.table, keys, CHECKS[written.table])


def again_check(written: Written, keys: Sequence[int]) -> int:
    """Check rows that were written again, and replay their rounds; return the number of findings."""
    found = rows_check(written, keys)
    if written is RECORDS:
        return found
    steps: Sequence[int] = keys
    if written is TRANSFERS:
        steps = [step for step in Transfer.objects.filter(pk__in=keys).values_list("step_id", flat=True) if step]
    rounds = RoundStep.objects.filter(pk__in=steps).values("round_id")
    return found + rounds_replay(list(RoundRecord.objects.filter(round_id__in=rounds).values_list("pk", flat=True)))


def everything_check_apart() -> int:
    """Check every transfer and every round by itself: the slow way, where a recount of all fails at one of them."""
    found = 0
    for check, written, rows in (
        (_transfers_check, TRANSFERS.table, Transfer.objects.order_by("pk")),
        (_rounds_check, Round._meta.db_table, Round.objects.order_by("pk")),
    ):
        after = 0
        while keys := list(rows.filter(pk__gt=after).values_list("pk", flat=True)[: TRANSFERS.batch_rows]):
            found += check_apart(written, keys, check)
            after = keys[-1]
    return found


def _transfers_check(keys: Sequence[int]) -> int:
    return deviations_report(transfers_reconcile(keys))


def _rounds_check(keys: Sequence[int]) -> int:
    return deviations_report(some_rounds_reconcile(keys))


def _steps_check(keys: Sequence[int]) -> int:
    rounds = RoundStep.objects.filter(pk__in=keys).values_list("round_id", flat=True).distinct()
    return _rounds_check(list(rounds))


CHECKS: dict[str, Callable[[Sequence[int]], int]] = {
    TRANSFERS.table: _transfers_check,
    STEPS.table: _steps_check,
    RECORDS.table: rounds_replay,
}

"""What is checked of rows that are new or were written again, table by table."""

from collections.abc import Callable, Sequence

from audit.continuous.replaying import rounds_replay
from audit.continuous.reporting import again_report, deviations_report
from audit.continuous.rows import RECORDS, STEPS, TRANSFERS, Again, Written
from audit.reconcile import some_rounds_reconcile, transfers_reconcile
from games.rounds.models import RoundRecord, RoundStep
from wallets.models import Transfer

ATTEMPTS_MAX = 4
"""After so many deaths over the same rows, the last ones over as few as can be, they are told of and passed over."""

KNOWN_ROWS_MAX = 200
"""So many rows of resolved deeds a run checks: a migration may have written all there are. The night checks all."""


def again_check(written: Written, again: Sequence[Again]) -> int:
    """Tell of rows that were written again, and of what is wrong with them and with their rounds; return the findings' number.

    **Rule** A deed whose finding has been resolved is not told of again; what its rows say is held against the rest all the same.
    """
    if not again:
        return 0
    keys = [row.key for row in again]
    found = again_report(written, again)
    if not found:
        keys = keys[:KNOWN_ROWS_MAX]
    found += CHECKS[written.table](keys)
    if written is not RECORDS:
        steps = keys
        if written is TRANSFERS:
            steps = [step for step in Transfer.objects.filter(pk__in=keys).values_list("step_id", flat=True) if step]
        rounds = RoundStep.objects.filter(pk__in=steps).values("round_id")
        found += rounds_replay(list(RoundRecord.objects.filter(round_id__in=rounds).values_list("pk", flat=True)))
    return found


def _transfers_check(keys: Sequence[int]) -> int:
    return deviations_report(transfers_reconcile(keys))


def _steps_check(keys: Sequence[int]) -> int:
    rounds = RoundStep.objects.filter(pk__in=keys).values_list("round_id", flat=True).distinct()
    return deviations_report(some_rounds_reconcile(list(rounds)))


CHECKS: dict[str, Callable[[Sequence[int]], int]] = {
    TRANSFERS.table: _transfers_check,
    STEPS.table: _steps_check,
    RECORDS.table: rounds_replay,
}

"""Steps that write a run down: its declaration before anything is computed, its verdict after."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import timedelta
from typing import Any

from audit.fairness.battery import CERTAIN, failures
from audit.fairness.between import REPEATED
from audit.fairness.decks import ALGORITHM, shuffle_digest
from audit.fairness.laws import Outcome
from audit.fairness.models import FairnessRun, FairnessVerdict
from audit.findings import Severity, finding_raise
from casino.db import now, unit_of_work

BROKEN_OFF_AFTER = timedelta(hours=6)
"""A scheduled run without a verdict for so long is taken to have died; its next attempt stands beside it."""


def run_declare(**content: Any) -> FairnessRun | None:
    """Write down that a run begins; None for a scheduled one that has begun elsewhere or is over.

    **Writes** a run. Two beats at once write one: both make it the same attempt, and the second insertion does nothing.
    """
    with unit_of_work():
        run = FairnessRun(**content, algorithm=ALGORITHM, shuffle_digest=shuffle_digest())
        if run.period and run.repeats is None:
            of_period = FairnessRun.objects.filter(source=run.source, pack=run.pack, period=run.period, repeats=None)
            # In one look: between two of them another run might begin and end.
            tried, broken_off_before = list(of_period.select_related("verdict")), now() - BROKEN_OFF_AFTER
            if any(hasattr(each, "verdict") or each.started_at > broken_off_before for each in tried):
                return None
            run.attempt = 1 + max((each.attempt for each in tried), default=0)
        FairnessRun.objects.bulk_create([run], ignore_conflicts=True)
        return FairnessRun.objects.filter(public_id=run.public_id).first()


def run_conclude(
    run: FairnessRun, outcomes: Sequence[Outcome], faults: Sequence[str], skipped: Sequence[str] = ()
) -> FairnessVerdict:
    """Write down what a run found, all of it.

    **Rule** A finding follows from faults and from a p-value below 0.000001 at once, as critical; else, as a warning, from a
    failure of the family. A first failure of live decks waits for the second sample, which ``repeats`` names. Without a failure
    a run has passed only if more was judged than whether decks came again.
    **Shapes** ``skipped`` names the tests for which the sample was too small.
    """
    failed = failures(outcomes, run.level)
    verdict = FairnessVerdict(
        run=run,
        verdict=_verdict(outcomes, [*failed, *faults]),
        least_p=min((each.p for each in outcomes), default=None),
        outcomes=[asdict(each) for each in outcomes],
        failed=[each.name for each in failed],
        faults=list(faults),
        skipped=list(skipped),
    )
    with unit_of_work():
        verdict.save(force_insert=True)
        if is_blocking(verdict):
            finding_raise(
                check="fairness",
                severity=Severity.CRITICAL if _is_certain(verdict) else Severity.WARNING,
                subject=run,
                evidence={
                    "run": str(run),
                    "sample": run.sample,
                    "level": run.level,
                    "failed": [asdict(each) for each in failed],
                    "faults": list(faults),
                    "repeats": None if run.repeats is None else str(run.repeats.public_id),
                },
            )
    return verdict


def is_blocking(verdict: FairnessVerdict) -> bool:
    """Say whether a verdict stands by itself: it failed, and no second sample can excuse it."""
    awaits_second = verdict.run.source == FairnessRun.Source.LIVE and verdict.run.repeats is None
    return verdict.verdict == FairnessVerdict.Verdict.FAILED and (_is_certain(verdict) or not awaits_second)


def _is_certain(verdict: FairnessVerdict) -> bool:
    return bool(verdict.faults) or (verdict.least_p is not None and verdict.least_p < CERTAIN)


def _verdict(outcomes: Sequence[Outcome], wrong: Sequence[object]) -> FairnessVerdict.Verdict:
    if wrong:
        return FairnessVerdict.Verdict.FAILED
    says_something = any(each.name != REPEATED for each in outcomes)
    return FairnessVerdict.Verdict.PASSED if says_something else FairnessVerdict.Verdict.TOO_FEW

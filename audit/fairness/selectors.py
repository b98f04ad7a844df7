"""Reading the runs of the battery."""

from uuid import UUID

from django.db.models import QuerySet

from audit.fairness.models import UNFINISHED, FairnessRun
from casino.errors import NotFound


def fairness_runs(*, verdict: str | None = None, **filters: str) -> QuerySet[FairnessRun]:
    """Runs that fit every given filter; one without a verdict is unfinished."""
    runs = FairnessRun.objects.select_related("verdict", "repeats").filter(**filters)
    if verdict is None:
        return runs
    return runs.filter(verdict=None) if verdict == UNFINISHED else runs.filter(verdict__verdict=verdict)


def fairness_run_get(*, run_id: UUID) -> FairnessRun:
    """One run.

    **Errors** NotFound.
    """
    run = fairness_runs().filter(public_id=run_id).first()
    if run is None:
        raise NotFound("not_found")
    return run

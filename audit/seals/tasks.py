"""Sealing each minute, sending heads, checking. Each is safe twice, late, and in two beats."""

from contextlib import ExitStack

import structlog
from celery import shared_task

from audit.findings import Severity, finding_raise
from audit.seals import delivery
from audit.seals.anchor import anchor_catch_up
from audit.seals.heads import LEAVES_MAX
from audit.seals.inspection import passed_check, seals_check_once
from audit.seals.selectors import seal_lag
from audit.seals.services import seal_make
from casino.db import unit_of_work

LAG_SECONDS_MAX = 90
_log = structlog.get_logger(__name__)


@shared_task
def seals_make() -> int:
    """Seal all that is new, anchor the heads, and say when something has waited too long; return the number of seals."""
    made = 0
    with ExitStack() as after:
        for each in (anchor_catch_up, passed_check, lag_watch):
            after.callback(each)  # whatever the sealing, or one of them, meets
        while seal := seal_make():
            made += 1
            if seal.steps + seal.transfers < LEAVES_MAX:
                break
    return made


@shared_task
def heads_send() -> int:
    """Send the heads that are due to the webhook."""
    return delivery.heads_send()


@shared_task
def seals_check_recent() -> int | None:
    """Check the newest seals; return the number of deviations, None while another is at it."""
    return _check(is_full=False)


@shared_task(time_limit=3600)
def seals_check_all() -> int | None:
    """Check every seal and every sealed row; return the number of deviations, None while another is at it."""
    return _check(is_full=True)


def _check(*, is_full: bool) -> int | None:
    found = seals_check_once(is_full=is_full)
    return None if found is None else len(found)


def lag_watch() -> None:
    """Say that rows wait too long for their seal: a transaction that stands still holds all later ones back."""
    lag = seal_lag()
    if lag.total_seconds() <= LAG_SECONDS_MAX:
        return
    _log.warning("seal_lag", seconds=int(lag.total_seconds()))
    with unit_of_work():
        finding_raise(
            check="seal_lag",
            severity=Severity.NOTICE,
            subject=("seals.seal", "next"),
            evidence={"seconds": int(lag.total_seconds()), "seconds_max": LAG_SECONDS_MAX},
        )

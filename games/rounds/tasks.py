"""The time-out sweep: every second, and the only place where time runs out."""

from math import inf
from time import monotonic
from uuid import UUID

import structlog
from celery import shared_task

from games.outages.models import Part
from games.outages.selectors import sweep_limit
from games.outages.services import heartbeat_write
from games.rounds.selectors import rounds_due
from games.rounds.services import round_expire

logger = structlog.get_logger(__name__)
REPORTED_EVERY_SECONDS = 600
_reported_at: dict[UUID, float] = {}


@shared_task
def deadlines_expire() -> int:
    """Play on in every round with a deadline that has passed; one that fails is reported and does not hold up the rest.

    **Rule** First the beat, which moves deadlines that an outage ran into.
    """
    heartbeat_write(part=Part.SWEEP)
    steps, until = 0, sweep_limit()
    for round_id in rounds_due(until):
        try:
            steps += round_expire(round_id=round_id, until=until)
        except Exception:
            _report(round_id)
    return steps


def _report(round_id: UUID) -> None:
    """Log the failure at hand, but not each second again for the same round."""
    if monotonic() - _reported_at.get(round_id, -inf) >= REPORTED_EVERY_SECONDS:
        _reported_at[round_id] = monotonic()
        logger.exception("round_expire_failed", round_id=str(round_id))

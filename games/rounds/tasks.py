"""The time-out sweep: every second, and the only place where time runs out."""

import structlog
from celery import shared_task

from casino.db import now
from games.rounds.selectors import rounds_due
from games.rounds.services import round_expire

logger = structlog.get_logger(__name__)


@shared_task
def deadlines_expire() -> int:
    """Play on in every round with a deadline that has passed; one that fails is reported and does not hold up the rest."""
    steps = 0
    for round_id in rounds_due(now()):
        try:
            steps += round_expire(round_id=round_id)
        except Exception:
            logger.exception("round_expire_failed", round_id=str(round_id))
    return steps

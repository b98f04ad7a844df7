"""The time-out sweep: every second, and the only place where a round's time runs out."""

from celery import shared_task

from games.outages.sweeping import sweep
from games.rounds.selectors import rounds_due
from games.rounds.services import round_expire


@shared_task
def deadlines_expire() -> int:
    """Play on in every round with a deadline that has passed; return the number of steps."""
    return sweep("round", rounds_due, lambda round_id, until: round_expire(round_id=round_id, until=until))

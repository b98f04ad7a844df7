"""How time runs out: what every sweep does, whatever it sweeps."""

from collections.abc import Callable, Iterable
from datetime import datetime
from math import inf
from time import monotonic
from uuid import UUID

import structlog

from games.outages.models import Part
from games.outages.selectors import sweep_limit
from games.outages.services import heartbeat_write

REPORTED_EVERY_SECONDS = 600
logger = structlog.get_logger(__name__)
_reported_at: dict[UUID, float] = {}


def sweep(kind: str, due: Callable[[datetime], Iterable[UUID]], expire: Callable[[UUID, datetime], int]) -> int:
    """Let time run out for all objects of a kind that are due; return what was done in all.

    **Rule** First the beat, which moves deadlines that an outage ran into. An object that fails is reported and does not hold up
    the rest.
    """
    heartbeat_write(part=Part.SWEEP)
    done, until = 0, sweep_limit()
    for each in due(until):
        try:
            done += expire(each, until)
        except Exception:
            _report(kind, each)
    return done


def _report(kind: str, failed: UUID) -> None:
    """Log the failure at hand, but not each second again for the same object."""
    if monotonic() - _reported_at.get(failed, -inf) >= REPORTED_EVERY_SECONDS:
        _reported_at[failed] = monotonic()
        logger.exception(f"{kind}_expire_failed", **{f"{kind}_id": str(failed)})

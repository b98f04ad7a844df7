"""The tables' sweep: every second, and the only place where a table's time runs out."""

import structlog
from celery import shared_task

from games.outages.models import Part
from games.outages.selectors import sweep_limit
from games.outages.services import heartbeat_write
from games.tables.selectors import tables_due
from games.tables.services import table_expire

logger = structlog.get_logger(__name__)


@shared_task
def tables_expire() -> int:
    """Do at every table what time asks for; one that fails is reported and does not hold up the rest.

    **Rule** First the beat, which moves deadlines that an outage ran into.
    """
    heartbeat_write(part=Part.SWEEP)
    done, until = 0, sweep_limit()
    for table_id in tables_due(until):
        try:
            table_expire(table_id=table_id, until=until)
            done += 1
        except Exception:
            logger.exception("table_expire_failed", table_id=str(table_id))
    return done

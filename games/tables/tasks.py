"""The tables' sweep: every second, and the only place where a table's time runs out."""

import structlog
from celery import shared_task

from casino.db import now
from games.tables.selectors import tables_due
from games.tables.services import table_expire

logger = structlog.get_logger(__name__)


@shared_task
def tables_expire() -> int:
    """Do at every table what time asks for; one that fails is reported and does not hold up the rest."""
    done = 0
    for table_id in tables_due(now()):
        try:
            table_expire(table_id=table_id)
            done += 1
        except Exception:
            logger.exception("table_expire_failed", table_id=str(table_id))
    return done

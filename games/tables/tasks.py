"""The tables' sweep: every second, and the only place where a table's time runs out."""

from datetime import datetime
from uuid import UUID

from celery import shared_task

from games.outages.sweeping import sweep
from games.tables.selectors import tables_due
from games.tables.services import table_expire


@shared_task
def tables_expire() -> int:
    """Do at every table what time asks for; return at how many tables."""

    def expire(table_id: UUID, until: datetime) -> int:
        table_expire(table_id=table_id, until=until)
        return 1

    return sweep("table", tables_due, expire)

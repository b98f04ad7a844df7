"""The locks of this app: a table, after its hall and before its rounds; who locks several takes them ascending."""

from datetime import datetime
from uuid import UUID

from django.db.models import Q

from casino.errors import NotFound
from games.tables.models import Table, TableSeat


def table_lock(table_id: UUID, *, skip_locked: bool = False) -> Table:
    """Lock a table and read it with its hall.

    **Errors** NotFound; also for a table that another holds when ``skip_locked``.
    """
    rows = Table.objects.select_for_update(no_key=True, of=("self",), skip_locked=skip_locked)
    table = rows.select_related("hall").filter(public_id=table_id).first()
    if table is None:
        raise NotFound("not_found")
    return table


def tables_waiting_lock(*, after: datetime) -> list[Table]:
    """Lock, in order, all tables that wait for something until later than a moment."""
    awaited = TableSeat.objects.filter(ready_by__gt=after).values("table_id")
    rows = Table.objects.select_for_update(no_key=True, of=("self",))
    return list(rows.filter(Q(pk__in=awaited) | Q(closes_at__gt=after)).order_by("pk"))

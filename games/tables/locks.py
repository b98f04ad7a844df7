"""The lock of this app: a table, after its hall and before its rounds."""

from uuid import UUID

from casino.errors import NotFound
from games.tables.models import Table


def table_lock(table_id: UUID, *, skip_locked: bool = False) -> Table:
    """Lock a table and read it with its hall.

    **Errors** NotFound; also for a table that another holds when ``skip_locked``.
    """
    rows = Table.objects.select_for_update(no_key=True, of=("self",), skip_locked=skip_locked)
    table = rows.select_related("hall").filter(public_id=table_id).first()
    if table is None:
        raise NotFound("not_found")
    return table

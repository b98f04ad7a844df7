"""A step inside a service's transaction: give the waits at tables back what an outage took from them."""

from collections import defaultdict

from casino.db import now
from games.outages.gaps import Loss
from games.rounds.records import iso
from games.tables.locks import tables_waiting_lock
from games.tables.models import Table, TableEvent, TableSeat
from games.tables.steps import event_next

BATCH_ROWS = 500


def table_deadlines_move(loss: Loss) -> int:
    """Move every deadline at tables that an outage ran into; return how many they were.

    **Locks** the tables, ascending. **Writes** an event at each.
    """
    tables = tables_waiting_lock(after=loss.gap.began_at)
    at = max(loss.gap.ended_at, now())  # while the locks were waited for, more may have happened at a table
    moved: dict[int, dict[str, str]] = defaultdict(dict)
    for table in tables:
        if table.closes_at is not None and table.empty_since is not None:
            closes_at = loss.deadline(table.closes_at, table.empty_since)
            if closes_at != table.closes_at:
                table.closes_at = closes_at
                moved[table.pk]["closes_at"] = iso(closes_at)
    for stay in _stays_moved(tables, loss):
        if stay.awaited_by is not None:
            moved[stay.table_id][f"ready_by_{stay.index}"] = iso(stay.awaited_by)
    told = [table for table in tables if table.pk in moved]
    events = [event_next(table, TableEvent.Kind.DEADLINES_MOVED, at, **moved[table.pk]) for table in told]
    Table.objects.bulk_update(told, ["seq", "closes_at"], batch_size=BATCH_ROWS)
    TableEvent.objects.bulk_create(events, batch_size=BATCH_ROWS)
    return sum(map(len, moved.values()))


def _stays_moved(tables: list[Table], loss: Loss) -> list[TableSeat]:
    """Move the times by which players have to be ready, also those that the ready ones would have again."""
    moved = []
    for stay in TableSeat.objects.filter(table__in=tables, ready_by__isnull=False).order_by("table_id", "index"):
        assert stay.ready_by is not None and stay.waiting_since is not None
        ready_by = loss.deadline(stay.ready_by, stay.waiting_since)
        if ready_by != stay.ready_by:
            stay.ready_by = ready_by
            moved.append(stay)
    TableSeat.objects.bulk_update(moved, ["ready_by"], batch_size=BATCH_ROWS)
    return moved

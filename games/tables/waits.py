"""A step inside a service's transaction: give the waits at tables back what an outage took from them."""

from games.outages.gaps import Loss
from games.rounds.records import iso
from games.tables.locks import tables_waiting_lock
from games.tables.models import Table, TableEvent, TableSeat
from games.tables.steps import event_add


def table_deadlines_move(loss: Loss) -> int:
    """Move every deadline at tables that an outage ran into; return how many they were.

    **Locks** the tables, ascending. **Writes** an event at each.
    """
    return sum(_move_at(table, loss) for table in tables_waiting_lock(after=loss.gap.began_at))


def _move_at(table: Table, loss: Loss) -> int:
    moved: dict[str, object] = {}
    if table.closes_at is not None and table.empty_since is not None:
        closes_at = loss.deadline(table.closes_at, table.empty_since)
        if closes_at != table.closes_at:
            table.closes_at = closes_at
            moved["closes_at"] = iso(closes_at)
    for stay in TableSeat.objects.filter(table=table, ready_by__isnull=False).order_by("index"):
        assert stay.ready_by is not None and stay.waiting_since is not None
        ready_by = loss.deadline(stay.ready_by, stay.waiting_since)
        if ready_by != stay.ready_by:
            stay.ready_by = ready_by
            stay.save(update_fields=["ready_by"])
            if not stay.is_ready:
                moved[f"ready_by_{stay.index}"] = iso(ready_by)
    if moved:
        event_add(table, TableEvent.Kind.DEADLINES_MOVED, loss.gap.ended_at, **moved)
    return len(moved)

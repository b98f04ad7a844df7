"""Finding the tables at which the sweep has something to do, among many where it has nothing."""

import psycopg
from django.db import connection
from django.test.utils import CaptureQueriesContext

from casino.db import now
from games.tables.models import Table, TableSeat
from games.tables.selectors import tables_due
from tests import playing
from tests.services.tables.test_guards import copied
from tests.table_builders import Game


def test_where_nothing_is_due_no_table_is_read(
    committed_db: str, owner_connection: "psycopg.Connection[tuple[object, ...]]"
) -> None:
    """Thousands of tables are full and their players waited for."""
    Game.seated(playing.halls()["first"])
    for _ in range(12):
        owner_connection.execute(copied(Table, public_id="gen_random_uuid()").replace("LIMIT 1", "LIMIT 4000").encode())
    empty = "(SELECT id AS place FROM tables_table WHERE id NOT IN (SELECT table_id FROM tables_tableseat)) AS free"
    seats = copied(TableSeat, table_id="place").replace("FROM tables_tableseat", f"FROM {empty}, tables_tableseat")
    owner_connection.execute(seats.removesuffix("LIMIT 1").encode())
    owner_connection.execute(b"ANALYZE tables_table, tables_tableseat, rounds_round")
    with CaptureQueriesContext(connection) as captured:
        assert list(tables_due(now())) == []
    with connection.cursor() as cursor:
        cursor.execute("EXPLAIN (ANALYZE, TIMING off) " + captured[-1]["sql"])
        plan = "\n".join(line for (line,) in cursor.fetchall())
    assert "Seq Scan on tables_" not in plan
    assert "tables_seat_ready_due" in plan and "tables_seat_unasked" in plan

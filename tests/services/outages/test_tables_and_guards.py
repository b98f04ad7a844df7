"""Outages at tables, and what the database itself refuses of all this, whoever asks."""

from datetime import datetime
from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction
from django.test.utils import CaptureQueriesContext

from casino.db import now
from games.halls.models import Hall
from games.outages.models import Part
from games.tables.documents import table_document
from games.tables.models import Table, TableEvent, TableSeat
from games.tables.selectors import standing_of
from games.tables.services import table_expire
from tests import playing
from tests.playing import open_round
from tests.services.outages.conftest import gap, seconds
from tests.table_builders import Game, make, ready

WEB, SWEEP = Part.WEB, Part.SWEEP


def shown(made: Table) -> dict[str, Any]:
    return table_document(standing_of(made), server_time=made.created_at)


def test_who_is_waited_for_at_a_table_has_the_time_of_an_outage_on_top(hall: Hall) -> None:
    game = Game.seated(hall)
    made, (one, other) = game.standing.table, game.players
    ready(one, made.public_id)
    (waiting,) = TableSeat.objects.filter(is_ready=False)
    assert waiting.waiting_since is not None and waiting.ready_by is not None
    gap(WEB, waiting.waiting_since + seconds(10), waiting.waiting_since + seconds(100))
    made.refresh_from_db()
    by = waiting.ready_by + seconds(90)
    assert datetime.fromisoformat(shown(made)["players"][1]["ready_by"]) == by
    event = TableEvent.objects.get(kind="deadlines_moved")
    assert (event.seq, event.data) == (made.seq, {"ready_by_1": shown(made)["players"][1]["ready_by"]})
    table_expire(table_id=made.public_id, now=by - seconds(1))
    assert standing_of(made).stay_of(other) is not None
    table_expire(table_id=made.public_id, until=by - seconds(1), now=by)
    assert standing_of(made).stay_of(other) is not None
    table_expire(table_id=made.public_id, now=by)
    assert standing_of(made).stay_of(other) is None


def test_an_empty_table_stays_open_longer_by_an_outage(hall: Hall) -> None:
    made = make(hall).table
    assert made.empty_since is not None and made.closes_at is not None
    gap(SWEEP, made.empty_since, made.empty_since + seconds(100))
    closes_at = made.closes_at + seconds(100)
    made.refresh_from_db()
    assert made.closes_at == closes_at
    table_expire(table_id=made.public_id, now=closes_at - seconds(1))
    made.refresh_from_db()
    assert made.status == "open"
    table_expire(table_id=made.public_id, now=closes_at)
    made.refresh_from_db()
    assert (made.status, made.closes_at) == ("closed", None)


REFUSED = {
    "UPDATE outages_outage SET lost = interval '0'": "append-only|permission denied",
    "DELETE FROM outages_outage": "append-only|permission denied",
    "INSERT INTO outages_outage VALUES (DEFAULT, 'web', now(), now(), interval '0', 0)": "outages_outage_ends_after_it_began",
    "DELETE FROM outages_heartbeat": "permission denied",
    "UPDATE rounds_roundseat SET waiting_since = NULL": "rounds_seat_waits_since_a_moment",
    "UPDATE tables_table SET empty_since = NULL": "tables_table_closes_when_empty",
    "UPDATE tables_tableseat SET waiting_since = NULL": "tables_seat_waits_since_a_moment",
}


def test_the_moving_is_the_tables_last_event_whatever_happened_while_its_lock_was_waited_for(hall: Hall) -> None:
    made = make(hall).table
    assert made.closes_at is not None
    gap(SWEEP, made.created_at - seconds(100), made.created_at - seconds(0.001))
    gap(WEB, made.created_at - seconds(50), made.created_at + seconds(0.001))
    times = list(TableEvent.objects.filter(table=made).order_by("seq").values_list("at", flat=True))
    assert len(times) == 2
    assert now() > times[1] > made.created_at + seconds(0.001)


def test_what_moving_costs_does_not_grow_with_the_tables(hall: Hall) -> None:
    def statements() -> int:
        began = now()
        with CaptureQueriesContext(connection) as captured:
            gap(WEB, began, began + seconds(100))
        return len(captured)

    for _ in range(2):
        Game.seated(hall)
        make(hall)
    few = statements()
    for _ in range(3):
        Game.seated(hall)
        make(hall)
    assert statements() == few
    assert TableEvent.objects.filter(kind="deadlines_moved").count() == 4 + 10


def test_a_ready_players_time_moves_along_unseen(hall: Hall) -> None:
    game = Game.seated(hall)
    made = game.standing.table
    ready(game.players[0], made.public_id)
    kept, waiting = game.standing.stays
    assert kept.waiting_since is not None and kept.ready_by is not None and kept.ready_by == waiting.ready_by
    gap(WEB, kept.waiting_since + seconds(10), kept.waiting_since + seconds(100))
    assert TableEvent.objects.get(kind="deadlines_moved").data.keys() == {"ready_by_1"}
    ready(game.players[0], made.public_id, is_ready=False)
    assert {stay.awaited_by for stay in game.standing.stays} == {kept.ready_by + seconds(90)}


def test_the_database_refuses_what_would_make_outages_uncertain(hall: Hall) -> None:
    open_round(playing.player(hall), hall)
    make(hall)
    made = Game.seated(hall).standing.table
    gap(WEB, made.created_at, made.created_at + seconds(60))
    for statement, refusal in REFUSED.items():
        with pytest.raises(DatabaseError, match=refusal), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement)

"""With a hundred thousand rounds every filter of the history is answered from an index."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest
from django.db import connection

from casino.permissions import Role
from casino.users.models import User
from games.halls.models import Hall
from games.rounds.models import Round
from games.rounds.selectors import round_list
from tests import playing
from tests.databases import Server
from tests.services.rounds.many_rounds import rounds_load

pytestmark = pytest.mark.slow
NEWEST = datetime(2025, 3, 11, tzinfo=UTC)
"""A day near the end of what is loaded."""
BIG = re.compile(r"Seq Scan on (rounds_\w+)")
RAN = re.compile(r"Execution Time: ([\d.]+)")
MOST_MILLISECONDS = 500
RARE: tuple[tuple[dict[str, Any], str], ...] = (
    ({"net_from_minor": 1_000_000}, "rounds_seat_by_net"),
    ({"returned_from_minor": 1_000_000}, "rounds_seat_by_returned"),
    ({"result": "voided"}, "rounds_round_voided"),
    ({"finding": "unresolved"}, "audit_finding"),
    ({"automatic_moves": True}, "rounds_step_automatic"),
)


@pytest.fixture
def auditor(committed_db: str, database_server: Server) -> User:
    """Somebody to ask; triggers are the owner's, but keys to other tables are for a superuser alone to pass by."""
    database = database_server.url(database_server.admin_url, connection.settings_dict["NAME"])
    with psycopg.connect(database, autocommit=True) as superuser:
        rounds_load(superuser)
    return playing.user_with(Role.AUDITOR)


def plan(user: User, **asked: Any) -> str:
    """How the query of the first page was carried out."""
    sql, values = round_list(user=user, **asked)[:51].query.sql_with_params()
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (ANALYZE, BUFFERS) {sql}", values)
        return "\n".join(row[0] for row in cursor.fetchall())


def filters() -> Iterator[dict[str, Any]]:
    day = timedelta(days=1)
    oldest = datetime(2025, 1, 2, tzinfo=UTC)
    yield {}
    yield {"hall_id": Hall.objects.get(code="second").public_id}
    yield {"player_id": User.objects.get(username="player-77").public_id}
    yield {"player_id": User.objects.get(username="player-77").public_id, "result": "lost"}
    yield {"game": "rapira"}
    yield {"status": "open"}
    yield {"hall_id": Hall.objects.get(code="second").public_id, "game": "rapira"}
    for began in (oldest, NEWEST):
        yield {"opened_from": began, "opened_to": began + day}
        yield {"closed_from": began, "closed_to": began + day}
    for result in ("won", "lost", "even", "voided", "open"):
        yield {"result": result}
    yield {"net_from_minor": 1_000_000}
    yield {"net_to_minor": -4_900}
    yield {"staked_from_minor": 5_000}
    yield {"returned_from_minor": 1_000_000}
    yield {"automatic_moves": True}
    yield {"automatic_moves": False}
    yield {"finding": "any"}
    yield {"finding": "unresolved"}
    yield {"hall_id": Hall.objects.get(code="second").public_id, "automatic_moves": True, "result": "won"}


def test_no_filter_reads_a_table_from_end_to_end(auditor: User) -> None:
    assert Round.objects.count() > 100_000
    assert {row.pk % 1000 for row in round_list(user=auditor, result="even")} == {2}
    plans = {str(asked): plan(auditor, **asked) for asked in filters()}
    assert {asked: BIG.findall(lines) for asked, lines in plans.items() if BIG.search(lines)} == {}
    # What is rare is found from its own index, not by going through the rounds until there are enough.
    for asked, index in RARE:
        assert index in plans[str(asked)], plans[str(asked)]
    slow = {asked: lines for asked, lines in plans.items() if float(RAN.findall(lines)[0]) > MOST_MILLISECONDS}
    assert slow == {}

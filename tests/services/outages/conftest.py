"""Gaps between two beats of a part, at moments of a test's choosing, and tables at which somebody waits."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from casino.permissions import Role
from casino.users.models import User
from games.engines import current_engine
from games.halls.defaults import default_halls_create
from games.outages.models import Heartbeat, Outage, Part
from games.outages.services import heartbeat_write
from games.tables.models import Table
from games.tables.selectors import standing_of
from games.tables.services import table_create, table_ready, table_sit
from tests import playing

ANTE = {"ante_minor": 100}


def seconds(number: float) -> timedelta:
    return timedelta(seconds=number)


def gap(part: Part, began: datetime, ended: datetime) -> Outage | None:
    """Let a part be seen at two moments and not in between."""
    Heartbeat.objects.filter(part=part).update(beat_at=began)
    return heartbeat_write(part=part, now=ended)


def table(
    players: int, *, seats: int = 2, game: str = "ukrainian_poker", convention: Mapping[str, Any] = ANTE
) -> tuple[Table, list[User]]:
    """A table with some of its players there."""
    admin = playing.user_with(Role.ADMIN)
    hall = next(iter(default_halls_create(engines=[current_engine(game)], author=admin, currency="EUR")))
    users = [playing.player(hall) for _ in range(seats)]
    made = table_create(
        actor=users[0], hall_id=hall.public_id, game=game, convention=convention, seats=seats, allows_spectators=False
    ).table
    for user in users[:players]:
        table_sit(user=user, table_id=made.public_id)
    made.refresh_from_db()
    return made, users


def all_ready(made: Table, users: list[User]) -> None:
    """Let everybody be ready, so that the table's round opens."""
    commitment = standing_of(made).commitment
    assert commitment is not None
    for user in users:
        table_ready(user=user, table_id=made.public_id, round_id=commitment.round_id)

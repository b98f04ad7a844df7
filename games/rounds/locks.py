"""The row locks of this app. A round is locked before any account."""

from collections.abc import Iterator
from datetime import datetime
from itertools import islice
from typing import Any, TypeVar
from uuid import UUID

from django.db import connection
from django.db.models import Model

from casino.db import pipelined
from casino.errors import NotFound
from casino.users.models import User
from games.halls.models import Hall
from games.rounds.models import Commitment, Round, RoundSeat
from games.tables.models import Table

Row = TypeVar("Row", bound=Model)


def round_lock(round_id: UUID, *, skip_locked: bool = False) -> tuple[Round, list[RoundSeat], tuple[datetime, int]]:
    """Lock a round and read it with its seats in order, and the moment of the next step (``step_moment``).

    The statements are written out: every action needs them, and building them by the ORM took a third of its time.

    **Errors** NotFound; also for a round that another holds when ``skip_locked``.
    """
    with connection.cursor() as cursor:
        cursor.execute(_LOCK_ROUND + (" SKIP LOCKED" if skip_locked else ""), [round_id])
        found = cursor.fetchone()
    if found is None:
        raise NotFound("not_found")
    row = _round(iter(found))
    with pipelined(), connection.cursor() as seats, connection.cursor() as moment:
        seats.execute(_READ_SEATS, [row.pk])
        moment.execute(_MOMENT)
        return row, [_seat(iter(values), row) for values in seats.fetchall()], moment.fetchone()


def commitment_lock(round_id: UUID) -> Commitment:
    """Lock a commitment. **Errors** NotFound."""
    commitment = Commitment.objects.select_for_update(no_key=True, of=("self",)).filter(round_id=round_id).first()
    if commitment is None:
        raise NotFound("not_found")
    return commitment


def step_moment() -> tuple[datetime, int]:
    """Read the clock and reserve the next step's key, after the lock: a step and its transfers name each other."""
    with connection.cursor() as cursor:
        cursor.execute(_MOMENT)
        moment, step_id = cursor.fetchone()
    return moment, step_id


def _columns(model: type[Model], *without: str) -> tuple[str, ...]:
    return tuple(field.attname for field in model._meta.concrete_fields if field.name not in without)


def _listed(table: str, columns: tuple[str, ...]) -> str:
    return ", ".join(f'{table}."{column}"' for column in columns)


_TABLE = _columns(Table)
_ROUND, _HALL, _COMMITMENT, _USER = _columns(Round, "head"), _columns(Hall), _columns(Commitment), _columns(User, "password")
_SEAT = _columns(RoundSeat)
_LOCK_ROUND = f"""
    SELECT {_listed("round", _ROUND)}, {_listed("hall", _HALL)}, {_listed("place", _TABLE)},
           {_listed("commitment", _COMMITMENT)}, {_listed("next", _COMMITMENT)},
           (SELECT id FROM wallets_account WHERE kind = 'house' AND hall_id = round.hall_id AND currency = round.currency)
    FROM rounds_round round
    JOIN halls_hall hall ON hall.id = round.hall_id
    JOIN rounds_commitment commitment ON commitment.round_id = round.commitment_id
    LEFT JOIN tables_table place ON place.id = round.table_id
    LEFT JOIN rounds_commitment next ON next.follows_id = commitment.round_id
    WHERE round.commitment_id = %s FOR NO KEY UPDATE OF round"""  # noqa: S608 made of the models' own columns
_READ_SEATS = f"""
    SELECT {_listed("seat", _SEAT)}, {_listed("owner", _USER)}
    FROM rounds_roundseat seat JOIN users_user owner ON owner.id = seat.user_id
    WHERE seat.round_id = %s ORDER BY seat.index"""  # noqa: S608 made of the models' own columns
_MOMENT = "SELECT clock_timestamp(), nextval(pg_get_serial_sequence('rounds_roundstep', 'id'))"


def _round(values: Iterator[Any]) -> Round:
    """Make a round with its hall, its commitment and the one after, and the key of the account that it is played from."""
    row = _row(Round, _ROUND, values)
    row.hall = _row(Hall, _HALL, values)
    place = _row(Table, _TABLE, values)
    row.table = place if place.pk is not None else None
    row.commitment = _row(Commitment, _COMMITMENT, values)
    following = _row(Commitment, _COMMITMENT, values)
    if following.pk is not None:
        following.follows = row.commitment
    row.house_id = next(values)
    return row


def _seat(values: Iterator[Any], row: Round) -> RoundSeat:
    """Make a seat of a round with its player."""
    seat = _row(RoundSeat, _SEAT, values)
    seat.round, seat.user = row, _row(User, _USER, values)
    return seat


def _row(model: type[Row], columns: tuple[str, ...], values: Iterator[Any]) -> Row:
    """Make a row of a model from as many of the values as it has columns."""
    return model.from_db(connection.alias, columns, list(islice(values, len(columns))))

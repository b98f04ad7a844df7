"""The row locks of this app. A round is locked before any account; who locks several takes them ascending."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any
from uuid import UUID

from audit.manifest.gate import IS_STOPPED, opening_allow
from casino.errors import NotFound
from casino.sql import Statement, columns, listed, row_of, together
from casino.users.models import User
from games.halls.models import Hall
from games.rounds.models import Commitment, Round, RoundSeat
from games.tables.models import Table


def round_lock(round_id: UUID, *, skip_locked: bool = False) -> tuple[Round, list[RoundSeat], tuple[datetime, int]]:
    """Lock a round and read it with its seats in order, and the moment of the next step (``step_moment``), in one round trip.

    **Errors** NotFound; also for a round that another holds when ``skip_locked``.
    """
    lock = Statement(_LOCK_ROUND + (" SKIP LOCKED" if skip_locked else ""), [round_id])
    seats, moment = Statement(_READ_SEATS, [round_id]), Statement(_MOMENT)
    together(lock, seats, moment)
    if not lock.rows:
        raise NotFound("not_found")
    row = _round(iter(lock.rows[0]))
    return row, [_seat(iter(values), row) for values in seats.rows], moment.rows[0]


def rounds_waiting_lock(*, after: datetime) -> list[Round]:
    """Lock, in order, all rounds with a deadline after a moment, and read what their last actions are counted from."""
    waiting = RoundSeat.objects.filter(deadline__gt=after).values("round_id")
    rows = Round.objects.select_for_update(no_key=True, of=("self",)).filter(pk__in=waiting).order_by("pk")
    return list(rows.only("commitment_id", "acted_at"))


def commitment_lock(round_id: UUID) -> Commitment:
    """Lock a commitment. **Errors** NotFound."""
    commitment = Commitment.objects.select_for_update(no_key=True, of=("self",)).filter(round_id=round_id).first()
    if commitment is None:
        raise NotFound("not_found")
    return commitment


def step_moment() -> tuple[datetime, int]:
    """Read the clock and reserve the next step's key, after the lock: a step and its transfers name each other."""
    moment = Statement(_MOMENT)
    together(moment)
    at, step_id = moment.rows[0]
    return at, step_id


def opening_moment() -> tuple[datetime, int]:
    """Read the moment of a round's first step, as ``step_moment`` does, unless no round may open.

    **Errors** Conflict ``engine_unverified``.
    """
    moment = Statement(_OPENING_MOMENT)
    together(moment)
    at, step_id, is_stopped = moment.rows[0]
    opening_allow(is_stopped=is_stopped)
    return at, step_id


# Of what stands beside a round, what answers show: the fewer columns, the less the database reads and plans each time.
_ROUND, _SEAT, _HALL, _TABLE = columns(Round, "head"), columns(RoundSeat), ("id", "public_id"), ("id", "public_id")
_COMMITMENT, _USER = ("round_id", "seed_hash", "seed_secret", "follows_id"), ("id", "public_id", "is_house_bot")
_LOCK_ROUND = f"""
    SELECT {listed("round", _ROUND)}, {listed("hall", _HALL)}, {listed("place", _TABLE)},
           {listed("commitment", _COMMITMENT)}, {listed("next", _COMMITMENT)},
           (SELECT id FROM wallets_account WHERE kind = 'house' AND hall_id = round.hall_id AND currency = round.currency)
    FROM rounds_round round
    JOIN halls_hall hall ON hall.id = round.hall_id
    JOIN rounds_commitment commitment ON commitment.round_id = round.commitment_id
    LEFT JOIN tables_table place ON place.id = round.table_id
    LEFT JOIN rounds_commitment next ON next.follows_id = commitment.round_id
    WHERE round.commitment_id = %s FOR NO KEY UPDATE OF round"""  # noqa: S608 made of the models' own columns
_READ_SEATS = f"""
    SELECT {listed("seat", _SEAT)}, {listed("owner", _USER)}
    FROM rounds_roundseat seat JOIN users_user owner ON owner.id = seat.user_id
    WHERE seat.round_id = (SELECT id FROM rounds_round WHERE commitment_id = %s) ORDER BY seat.index"""  # noqa: S608 made of the models' own columns
_MOMENT = "SELECT clock_timestamp(), nextval('rounds_roundstep_id_seq')"
_OPENING_MOMENT = f"{_MOMENT}, {IS_STOPPED}"


def _round(values: Iterator[Any]) -> Round:
    """Make a round with its hall, its commitment and the one after, and the key of the account that it is played from."""
    row = row_of(Round, _ROUND, values)
    row.hall = row_of(Hall, _HALL, values)
    place = row_of(Table, _TABLE, values)
    row.table = place if place.pk is not None else None
    row.commitment = row_of(Commitment, _COMMITMENT, values)
    following = row_of(Commitment, _COMMITMENT, values)
    if following.pk is not None:
        following.follows = row.commitment
    row.house_id = next(values)
    return row


def _seat(values: Iterator[Any], row: Round) -> RoundSeat:
    """Make a seat of a round with its player."""
    seat = row_of(RoundSeat, _SEAT, values)
    seat.round, seat.user = row, row_of(User, _USER, values)
    return seat

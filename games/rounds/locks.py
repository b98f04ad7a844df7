"""The row locks of this app. A round is locked before any account."""

from datetime import datetime
from uuid import UUID

from django.db import connection

from casino.db import pipelined
from casino.errors import NotFound
from games.rounds.models import Commitment, Round, RoundSeat
from wallets.ledger import house_account_id


def round_lock(round_id: UUID, *, skip_locked: bool = False) -> tuple[Round, list[RoundSeat], tuple[datetime, int]]:
    """Lock a round and read it with its seats in order, and the moment of the next step (``step_moment``).

    **Errors** NotFound; also for a round that another holds when ``skip_locked``.
    """
    rounds = Round.objects.select_related("hall", "commitment__next").defer("head")
    rounds = rounds.annotate(house_id=house_account_id(hall="hall", currency="currency"))
    locked = rounds.select_for_update(no_key=True, of=("self",), skip_locked=skip_locked)
    row = next(iter(locked.filter(commitment_id=round_id)), None)
    if row is None:
        raise NotFound("not_found")
    with pipelined(), connection.cursor() as cursor:
        cursor.execute(_MOMENT)
        seats = list(RoundSeat.objects.filter(round=row).select_related("user").order_by("index"))
        return row, seats, cursor.fetchone()


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


_MOMENT = "SELECT clock_timestamp(), nextval(pg_get_serial_sequence('rounds_roundstep', 'id'))"

"""A step inside a service's transaction: give the waits of rounds back what an outage took from them."""

from django.db import connection

from games.outages.gaps import Loss
from games.rounds.locks import rounds_waiting_lock
from games.rounds.models import RoundSeat


def round_deadlines_move(loss: Loss) -> int:
    """Move every deadline of rounds that an outage ran into; return how many they were.

    **Rule** What the rounds' last actions are counted from moves along, so that later deadlines follow from it.
    **Locks** the rounds, ascending: a running action holds its round's deadlines in memory and stores them at its end.
    """
    rounds = rounds_waiting_lock(after=loss.gap.began_at)
    moved = []
    for seat in RoundSeat.objects.filter(round__in=rounds, deadline__gt=loss.gap.began_at):
        assert seat.deadline is not None and seat.waiting_since is not None
        deadline = loss.deadline(seat.deadline, seat.waiting_since)
        if deadline != seat.deadline:
            moved.append((deadline, seat.pk))
    with connection.cursor() as cursor:
        cursor.executemany("UPDATE rounds_roundseat SET deadline = %s WHERE id = %s", moved)
        acted = [(row.acted_at + loss.lost(row.acted_at), row.pk) for row in rounds]
        cursor.executemany("UPDATE rounds_round SET acted_at = %s WHERE id = %s", acted)
    return len(moved)

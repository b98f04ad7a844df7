"""Locks on a hall, taken before any lock on rounds or accounts.

Changes of a hall exclude each other by its row, and the opening of rounds by an advisory lock that openings share. (A row lock
shared by every opening would write to the hall's row each time and could starve a change for ever; the advisory one is fair and
writes nothing.) So the terms in force at a round's opening time are exactly those it was opened with, and once a closing has been
answered no round opens.
"""

from uuid import UUID

from django.db import connection

from casino.errors import NotFound, PreconditionFailed
from games.halls.models import Hall


def hall_lock(*, hall_id: UUID, version: int) -> Hall:
    """Lock a hall that is still as the caller saw it, against other changes and against rounds being opened.

    **Errors** NotFound; PreconditionFailed when the hall has changed since.
    """
    _advisory_lock("pg_advisory_xact_lock", hall_id)
    hall = Hall.objects.select_for_update(no_key=True, of=("self",)).filter(public_id=hall_id).first()
    if hall is None:
        raise NotFound("not_found")
    if hall.version != version:
        raise PreconditionFailed("precondition_failed", version=hall.version)
    return hall


def hall_lock_shared(*, hall_id: UUID) -> Hall:
    """Keep a hall as it is while a round opens; any number of openings share this lock.

    **Errors** NotFound.
    """
    _advisory_lock("pg_advisory_xact_lock_shared", hall_id)
    hall = Hall.objects.filter(public_id=hall_id).first()
    if hall is None:
        raise NotFound("not_found")
    return hall


def _advisory_lock(function: str, hall_id: UUID) -> None:
    if not connection.in_atomic_block:
        raise RuntimeError("a lock needs an open transaction")
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {function}(hashtextextended(%s, 0))", [f"hall:{hall_id}"])

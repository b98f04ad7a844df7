"""Guessing is slow: attempts are counted before the password is looked at, so that parallel tries count like serial ones."""

import hashlib
from collections.abc import Iterable
from datetime import datetime, timedelta
from math import ceil

from django.contrib.auth.hashers import UNUSABLE_PASSWORD_PREFIX, check_password
from django.db import connection
from django.db.models import F

from audit.trail import audit_record
from casino.db import now as database_now
from casino.db import rows_purge, unit_of_work
from casino.errors import RateLimited, Unauthenticated
from casino.users.models import LoginCounter, User

WINDOW = timedelta(minutes=15)
NAME_AT_ADDRESS_LIMIT = 10
NAME_LIMIT = 50
ADDRESS_LIMIT = 100

_COUNT_SQL = """
    INSERT INTO users_logincounter AS counter (key, attempts, started_at)
    SELECT key, 1, %(now)s FROM unnest(%(keys)s::text[]) AS key
    ON CONFLICT (key) DO UPDATE SET
        attempts = CASE WHEN counter.started_at <= %(expired)s THEN 1 ELSE counter.attempts + 1 END,
        started_at = CASE WHEN counter.started_at <= %(expired)s THEN %(now)s ELSE counter.started_at END
    RETURNING key, attempts, started_at
"""


def credentials_check(*, username: str, password: str, address: str, now: datetime | None = None) -> User:
    """Find the user whom name and password identify.

    **Rule** An unknown name, a wrong password and a disabled user cost the same time, give the same error, and are in the trail.
    **Errors** login_locked (429), invalid_credentials (401).
    """
    limits = _limits(username.lower(), address)
    is_last = attempt_count(limits, now)
    user = User.objects.filter(username=username.lower()).first() if username.isprintable() else None
    is_right = check_password(password, user.password if user else UNUSABLE_PASSWORD_PREFIX)
    if user is None or not is_right or not user.is_active:
        _failure_record(user, address, is_last=is_last)
        raise Unauthenticated("invalid_credentials")
    attempt_forget(limits)
    return user


def _failure_record(user: User | None, address: str, *, is_last: bool) -> None:
    """Tell the trail that a login failed, from where, and whether further ones are refused now.

    A name that nobody has is not kept: it may be a password, typed into the wrong field.
    """
    with unit_of_work():
        audit_record(
            actor=None,
            action="login_failed",
            subject=user or ("users.address", address),
            before=None,
            after={"address": address, "is_known_name": user is not None, "locked": is_last},
        )


def counters_purge(*, now: datetime | None = None) -> int:
    """Forget the counters whose window is over and tell how many they were."""
    return rows_purge(LoginCounter.objects.filter(started_at__lte=(now or database_now()) - WINDOW))


def password_limits(user: User) -> dict[str, int]:
    """Name the counter for tries at the present password of a user who is logged in."""
    return {_key("password", str(user.public_id)): NAME_AT_ADDRESS_LIMIT}


def attempt_count(limits: dict[str, int], now: datetime | None) -> bool:
    """Count one attempt under every key, in one order, so that two attempts never wait for each other in a circle.

    **Returns** whether it is the last one that some key may have.
    **Errors** login_locked (429) when a key has had as many as it may; then this one is not counted.
    """
    with unit_of_work():
        now = now or database_now()
        with connection.cursor() as cursor:
            cursor.execute(_COUNT_SQL, {"now": now, "expired": now - WINDOW, "keys": sorted(limits)})
            rows = cursor.fetchall()
        waits = [started_at + WINDOW - now for key, attempts, started_at in rows if attempts > limits[key]]
        if waits:
            raise RateLimited("login_locked", retry_after_seconds=ceil(max(waits).total_seconds()))
    return any(attempts == limits[key] for key, attempts, _ in rows)


def attempt_forget(keys: Iterable[str]) -> None:
    """Take back what a successful attempt has counted."""
    with unit_of_work():
        for key in sorted(keys):
            LoginCounter.objects.filter(key=key, attempts__gt=0).update(attempts=F("attempts") - 1)


def _limits(username: str, address: str) -> dict[str, int]:
    return {
        _key("name at address", username, address): NAME_AT_ADDRESS_LIMIT,
        _key("name", username): NAME_LIMIT,
        _key("address", address): ADDRESS_LIMIT,
    }


def _key(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()

"""Halls and terms for tests, made by the services themselves."""

from copy import deepcopy
from datetime import UTC, datetime, timedelta
from typing import Any

from rest_framework.test import APIClient

from casino.permissions import Role
from casino.users.models import RoleGrant, User
from games.engines import current_engine
from games.halls.models import Hall, LimitSet, PayTable
from games.halls.services import hall_create, hall_open, limit_set_publish, pay_table_publish

GAME = "russian_poker"
ENGINE = current_engine(GAME)
NOON = datetime(2024, 5, 17, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


def staff(username: str = "author") -> User:
    """Who makes the halls and terms of tests: an admin."""
    user = User.objects.get_or_create(username=username)[0]
    RoleGrant.objects.get_or_create(user=user, role=Role.ADMIN)
    return user


def caller(role: Role, hall: Hall | None = None, name: str = "") -> APIClient:
    """A client whose user holds one role."""
    user = User.objects.get_or_create(username=name or role.value)[0]
    RoleGrant.objects.get_or_create(user=user, role=role, hall=hall)
    client = APIClient()
    client.force_authenticate(user)
    return client


def hall_in_preparation(code: str = "test", now: datetime = NOON - 2 * HOUR, **fields: Any) -> Hall:
    values = {"name": "Test hall", "currency": "EUR", "time_zone": "Europe/Vienna", "reason": "test", **fields}
    return hall_create(actor=staff(), code=code, now=now, **values)


def limits(**ante: int) -> dict[str, Any]:
    """The first hall's limits with other bounds for the Ante."""
    data = deepcopy(dict(ENGINE.default_limits["first"]))
    data["stakes"]["ante"].update(ante)
    return data


def pay_table(**bet: int) -> dict[str, Any]:
    """The default pay table with other multiples for the Bet."""
    data = deepcopy(dict(ENGINE.default_pay_table))
    data["bet"].update(bet)
    return data


def published_limits(hall: Hall, data: dict[str, Any], effective_at: datetime | None = None, now: datetime = NOON) -> LimitSet:
    """Publish limits and bring the caller's hall up to date."""
    row = limit_set_publish(
        actor=staff(),
        hall_id=hall.public_id,
        version=hall.version,
        game=GAME,
        data=data,
        reason="test",
        effective_at=effective_at,
        now=now,
    )
    hall.refresh_from_db()
    return row


def published_pay_table(hall: Hall, data: dict[str, Any], effective_at: datetime | None = None, now: datetime = NOON) -> PayTable:
    """Publish a pay table and bring the caller's hall up to date."""
    row = pay_table_publish(
        actor=staff(),
        hall_id=hall.public_id,
        version=hall.version,
        game=GAME,
        data=data,
        reason="test",
        effective_at=effective_at,
        now=now,
    )
    hall.refresh_from_db()
    return row


def open_hall(code: str = "test") -> Hall:
    """A hall that plays by the document's terms since an hour before noon."""
    hall = hall_in_preparation(code)
    published_limits(hall, limits(), now=NOON - HOUR)
    published_pay_table(hall, pay_table(), now=NOON - HOUR)
    return hall_open(actor=staff(), hall_id=hall.public_id, version=hall.version, reason="test", now=NOON - HOUR)

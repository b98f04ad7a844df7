"""Users to try the service with: one for each role, with passwords that are no secret. Embedded stack only."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.contrib.auth.hashers import make_password

from audit.trail import audit_record
from casino.db import unit_of_work
from casino.permissions import HALL_ROLES, Role
from casino.users.models import RoleGrant, User


@dataclass(frozen=True)
class DemoUser:
    """A name, its password and its role."""

    username: str
    password: str
    role: Role
    is_house_bot: bool = False


DEMO_USERS = (
    DemoUser("player", "player-demo", Role.PLAYER),
    DemoUser("player2", "player2-demo", Role.PLAYER),
    DemoUser("operator", "operator-demo", Role.OPERATOR),
    DemoUser("cashier", "cashier-demo", Role.CASHIER),
    DemoUser("supervisor", "supervisor-demo", Role.SUPERVISOR),
    DemoUser("auditor", "auditor-demo", Role.AUDITOR),
    DemoUser("admin", "admin-demo", Role.ADMIN),
)


def demo_users_create(*, halls: list[Any], bots: Sequence[DemoUser] = ()) -> tuple[DemoUser, ...]:
    """Make the demo users that are missing, bots among them; the operator and the cashier for each of the halls.

    **Errors** RuntimeError outside the embedded stack: the passwords are known to everybody.
    """
    if not settings.EMBEDDED:
        raise RuntimeError("demo users exist in the embedded stack only")
    with unit_of_work():
        for demo in (*DEMO_USERS, *bots):
            user = User.objects.filter(username=demo.username).first() or _create(demo)
            for hall in halls if demo.role in HALL_ROLES else [None]:
                RoleGrant.objects.get_or_create(user=user, role=demo.role, hall=hall)
    return (*DEMO_USERS, *bots)


def _create(demo: DemoUser) -> User:
    password = make_password(demo.password)
    user = User.objects.create(username=demo.username, password=password, is_house_bot=demo.is_house_bot)
    after = {"username": demo.username, "role": demo.role, "is_house_bot": demo.is_house_bot}
    audit_record(actor=None, action="user_created", subject=user, before=None, after=after, reason="demo")
    return user

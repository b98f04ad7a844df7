"""Giving and taking roles. Nobody does it to themselves, and somebody who can do it always remains."""

import uuid
from typing import Any

from audit.trail import audit_record
from casino.db import unit_of_work
from casino.errors import Conflict, Forbidden, InvalidInput, NotFound
from casino.permissions import HALL_ROLES, Role
from casino.users.locks import admins_lock, user_lock
from casino.users.models import RoleGrant, User
from casino.users.selectors import hall_by_public_id, other_admin_exists


def role_grant(*, actor: User | None, user_id: uuid.UUID, role: Role, hall_id: uuid.UUID | None, reason: str) -> User:
    """Give a user a role, for one hall where the role is per hall.

    **Errors** not_found (404), self_change_forbidden (403), role_already_granted (409), invalid_input (400) for a hall that is
    missing, unknown or out of place.
    """
    with unit_of_work():
        user = _other(actor, user_id)
        grant = RoleGrant(user=user, role=role, hall=_hall(role, hall_id), granted_by=actor)
        if RoleGrant.objects.filter(user=user, role=role, hall=grant.hall).exists():
            raise Conflict("role_already_granted")
        grant.save(force_insert=True)
        _record(actor, "role_granted", grant, reason)
    return user


def role_revoke(*, actor: User | None, user_id: uuid.UUID, role: Role, hall_id: uuid.UUID | None, reason: str) -> User:
    """Take a role from a user; it is gone with the next request.

    **Errors** not_found (404), self_change_forbidden (403), last_admin (409).
    """
    with unit_of_work():
        user = _other(actor, user_id)
        admins_lock()
        grant = RoleGrant.objects.filter(user=user, role=role, hall=_hall(role, hall_id)).first()
        if grant is None:
            raise NotFound("not_found")
        if role == Role.ADMIN and not other_admin_exists(user):
            raise Conflict("last_admin")
        grant.delete()
        _record(actor, "role_revoked", grant, reason)
    return user


def _other(actor: User | None, user_id: uuid.UUID) -> User:
    user = user_lock(user_id)
    if actor is not None and actor.pk == user.pk:
        raise Forbidden("self_change_forbidden")
    return user


def _hall(role: Role, hall_id: uuid.UUID | None) -> Any:
    if (role in HALL_ROLES) != (hall_id is not None):
        raise InvalidInput("invalid_input", "Operators and cashiers have a hall, other roles have none.", field="hall_id")
    if hall_id is None:
        return None
    hall = hall_by_public_id(hall_id)
    if hall is None:
        raise InvalidInput("invalid_input", "There is no such hall.", field="hall_id")
    return hall


def _record(actor: User | None, action: str, grant: RoleGrant, reason: str) -> None:
    change = {"role": grant.role, "hall_id": str(grant.hall.public_id) if grant.hall else None}
    is_given = action == "role_granted"
    audit_record(
        actor=actor,
        action=action,
        subject=grant.user,
        before=None if is_given else change,
        after=change if is_given else None,
        reason=reason,
        hall=grant.hall,
    )

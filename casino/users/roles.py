"""Giving and taking roles. Nobody does it to themselves, and somebody who can do it always remains."""

import uuid
from typing import Any

from audit.trail import audit_record
from casino.db import unit_of_work
from casino.errors import Conflict, Forbidden, InvalidInput, NotFound
from casino.permissions import HALL_ROLES, Role
from casino.users.locks import admins_lock, user_lock
from casino.users.models import RoleGrant, User
from casino.users.selectors import hall_get, other_admin_exists


def role_grant(*, actor: User | None, user_id: uuid.UUID, role: Role, hall_id: uuid.UUID | None, reason: str) -> User:
    """Give a user a role, for one hall where the role is per hall.

    **Errors** not_found (404), self_change_forbidden (403), role_already_granted (409), invalid_input (400) for a hall that is
    missing, unknown or out of place.
    """
    _check_hall_fits(role, hall_id)
    with unit_of_work():
        user = _other(actor, user_id)
        grant = RoleGrant(user=user, role=role, hall=_hall(hall_id), granted_by=actor)
        if RoleGrant.objects.filter(user=user, role=role, hall=grant.hall).exists():
            raise Conflict("role_already_granted")
        grant.save(force_insert=True)
        _record(actor, "role_granted", grant, reason)
    return user


def role_revoke(*, actor: User | None, user_id: uuid.UUID, role: Role, hall_id: uuid.UUID | None, reason: str) -> User:
    """Take a role from a user; it is gone with the next request.

    **Errors** not_found (404), self_change_forbidden (403), last_admin (409).
    """
    _check_hall_fits(role, hall_id)
    with unit_of_work():
        user = _other(actor, user_id)
        admins_lock()
        grant = RoleGrant.objects.filter(user=user, role=role, hall=_hall(hall_id)).first()
        if grant is None:
            raise NotFound("not_found")
        if role == Role.ADMIN and not other_admin_exists(user=user):
            raise Conflict("last_admin")
        grant.delete()
        _record(actor, "role_revoked", grant, reason)
    return user


def _other(actor: User | None, user_id: uuid.UUID) -> User:
    if actor is not None and not actor.has_role(Role.ADMIN):
        raise Forbidden("forbidden")
    user = user_lock(user_id)
    if actor is not None and actor.pk == user.pk:
        raise Forbidden("self_change_forbidden")
    return user


def _check_hall_fits(role: Role, hall_id: uuid.UUID | None) -> None:
    if (role in HALL_ROLES) != (hall_id is not None):
        raise InvalidInput("invalid_input", "Operators and cashiers have a hall, other roles have none.", field="hall_id")


def _hall(hall_id: uuid.UUID | None) -> Any:
    return None if hall_id is None else hall_get(hall_id=hall_id)


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

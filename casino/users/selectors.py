"""Who sees whom."""

import uuid
from typing import Any

from django.apps import apps
from django.db.models import Exists, OuterRef, QuerySet

from casino.errors import NotFound
from casino.permissions import OVERSEERS, Role
from casino.users.models import RoleGrant, User


def user_list(*, viewer: User) -> QuerySet[User]:
    """List whom a member of staff may see: everybody, or for operators and cashiers those who are players and nothing else."""
    users = User.objects.prefetch_related("role_grants__hall")
    if viewer.has_any_role(OVERSEERS):
        return users
    grants = RoleGrant.objects.filter(user=OuterRef("pk"))
    return users.filter(Exists(grants.filter(role=Role.PLAYER)), ~Exists(grants.exclude(role=Role.PLAYER)))


def user_get(*, viewer: User, user_id: uuid.UUID) -> User:
    """Find a user whom a member of staff may see.

    **Errors** NotFound.
    """
    user = user_list(viewer=viewer).filter(public_id=user_id).first()
    if user is None:
        raise NotFound("not_found")
    return user


def user_is_managed_by(*, actor: User, user: User) -> bool:
    """Tell whether a member of staff may shut a user out: an admin anybody, an operator players."""
    if actor.has_role(Role.ADMIN):
        return True
    return actor.has_role(Role.OPERATOR) and {grant.role for grant in user.grants} == {Role.PLAYER}


def other_admin_exists(*, user: User) -> bool:
    """Tell whether somebody else could grant roles; ask under ``admins_lock``."""
    admins = RoleGrant.objects.filter(role=Role.ADMIN, user__is_active=True)
    return admins.exclude(user=user).exists()


def hall_get(*, hall_id: uuid.UUID) -> Any:
    """Find the hall of a grant; by the app registry, since users know halls from their grants only.

    **Errors** NotFound, naming the field.
    """
    hall = apps.get_model("halls", "Hall").objects.filter(public_id=hall_id).first()
    if hall is None:
        raise NotFound("not_found", field="hall_id")
    return hall

"""Who sees whom."""

import uuid
from typing import Any

from django.apps import apps
from django.db.models import Exists, OuterRef, QuerySet

from casino.permissions import Role
from casino.users.models import RoleGrant, User

SEES_EVERYBODY = frozenset({Role.ADMIN, Role.SUPERVISOR, Role.AUDITOR})


def users_visible_to(actor: User) -> QuerySet[User]:
    """Select whom a member of staff may see: everybody, or for operators and cashiers those who are players and nothing else."""
    users = User.objects.prefetch_related("role_grants__hall")
    if any(actor.has_role(role) for role in SEES_EVERYBODY):
        return users
    grants = RoleGrant.objects.filter(user=OuterRef("pk"))
    return users.filter(Exists(grants.filter(role=Role.PLAYER)), ~Exists(grants.exclude(role=Role.PLAYER)))


def user_is_managed_by(actor: User, user: User) -> bool:
    """Tell whether a member of staff may shut a user out: an admin anybody, an operator players."""
    if actor.has_role(Role.ADMIN):
        return True
    return actor.has_role(Role.OPERATOR) and {grant.role for grant in user.grants} == {Role.PLAYER}


def other_admin_exists(user: User) -> bool:
    """Tell whether somebody else could grant roles; ask under ``admins_lock``."""
    admins = RoleGrant.objects.filter(role=Role.ADMIN, user__is_active=True)
    return admins.exclude(user=user).exists()


def hall_by_public_id(public_id: uuid.UUID) -> Any:
    """Find a hall, or None; by the app registry, since users know no halls but in their grants."""
    return apps.get_model("halls", "Hall").objects.filter(public_id=public_id).first()

"""Who may call what. Everything is denied that a view does not allow by name."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from rest_framework.permissions import BasePermission
from rest_framework.request import Request


class Role(StrEnum):
    """What a user may do; see the README's table."""

    PLAYER = "player"
    OPERATOR = "operator"
    CASHIER = "cashier"
    SUPERVISOR = "supervisor"
    AUDITOR = "auditor"
    ADMIN = "admin"


HALL_ROLES = frozenset({Role.OPERATOR, Role.CASHIER})
STAFF = frozenset(Role) - {Role.PLAYER}
OVERSEERS = frozenset({Role.ADMIN, Role.AUDITOR, Role.SUPERVISOR})
"""Roles that see every user, hall, account and round."""


@dataclass(frozen=True)
class Roles:
    """The roles that open a method: any one of ``any_of``; to everybody when ``public``, to every user when ``any_user``."""

    any_of: frozenset[Role] = frozenset()
    any_user: bool = False
    public: bool = False

    def admit(self, user: Any) -> bool:
        """Tell whether they open something to a user, by the roles that the user holds now."""
        if self.public or not user.is_authenticated:
            return self.public
        return self.any_user or any(grant.role in self.any_of for grant in user.grants)


PUBLIC = Roles(public=True)
ANY_USER = Roles(any_user=True)


def only(*roles: Role) -> Roles:
    """Open a method to users that hold one of these roles."""
    return Roles(any_of=frozenset(roles))


@dataclass(frozen=True)
class Grant:
    """A role that a user holds, for one hall where the role is per hall."""

    role: Role
    hall_id: int | None = None


class RolesRequired(BasePermission):
    """Let a request through when the view's ``roles`` name one that the user holds."""

    def has_permission(self, request: Request, view: Any) -> bool:
        roles = getattr(view, "roles", None)
        if isinstance(roles, Mapping):
            if request.method not in view.allowed_methods:
                return request.user.is_authenticated  # and goes on to its 405
            roles = roles.get("GET" if request.method == "HEAD" else request.method)
        return roles is not None and roles.admit(request.user)

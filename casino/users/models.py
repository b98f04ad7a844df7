"""Who can log in, and what each may do."""

import re
import uuid
from collections.abc import Iterable
from typing import Any

from django.contrib.auth.base_user import AbstractBaseUser
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now
from django.utils.functional import cached_property

from casino.permissions import HALL_ROLES, Grant, Role

_PER_HALL = sorted(role.value for role in HALL_ROLES)
USERNAME_REGEX = re.compile(r"[a-z0-9][a-z0-9._-]{2,31}")


class User(AbstractBaseUser):
    """A person or a house bot.

    **Rule** Names are kept in lower case, so that no two differ by case alone; plain ASCII, so that no two look alike.
    """

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    username = models.CharField(max_length=32, unique=True)
    is_active = models.BooleanField(default=True)
    is_house_bot = models.BooleanField(default=False)
    """A player that is the house's own program: shown as such wherever it sits."""
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    USERNAME_FIELD = "username"
    REQUIRED_FIELDS = []

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(username__regex=f"^{USERNAME_REGEX.pattern}$"), name="user_username_plain"),
        ]

    @cached_property
    def grants(self) -> tuple[Grant, ...]:
        """The roles held; a request's user brings them along from its authentication."""
        return tuple(Grant(Role(role), hall_id) for role, hall_id in self.role_grants.values_list("role", "hall_id"))

    def has_role(self, role: Role, hall: Any = None) -> bool:
        """Tell whether the user holds a role, for this hall (a row or its key) where one is given."""
        hall_id = getattr(hall, "pk", hall)
        return any(g.role == role and (hall_id is None or g.hall_id in (None, hall_id)) for g in self.grants)

    def has_any_role(self, roles: Iterable[Role]) -> bool:
        """Tell whether the user holds one of these roles, for whatever hall."""
        return any(self.has_role(role) for role in roles)

    def halls_of(self, role: Role) -> frozenset[int]:
        """List the keys of the halls for which the user holds a role."""
        return frozenset(grant.hall_id for grant in self.grants if grant.role == role and grant.hall_id is not None)


class RoleGrant(models.Model):
    """A role that a user holds now; the audit trail keeps who gave and who took it, and why."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="role_grants", db_index=False)
    role = models.CharField(max_length=16, choices=[(role.value, role.value) for role in Role])
    hall = models.ForeignKey("halls.Hall", on_delete=models.PROTECT, null=True, related_name="+")
    granted_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+", db_index=False)
    granted_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        ordering = ("pk",)
        constraints = [
            models.UniqueConstraint(fields=["user", "role", "hall"], nulls_distinct=False, name="role_grant_once"),
            models.CheckConstraint(condition=Q(role__in=[role.value for role in Role]), name="role_grant_known_role"),
            models.CheckConstraint(
                condition=Q(role__in=_PER_HALL, hall__isnull=False) | (~Q(role__in=_PER_HALL) & Q(hall__isnull=True)),
                name="role_grant_hall_where_per_hall",
            ),
            models.CheckConstraint(condition=~Q(user=F("granted_by")) | Q(granted_by__isnull=True), name="role_grant_by_another"),
        ]


class LoginCounter(models.Model):
    """Attempts to log in under one key (a name, an address or both) since ``started_at``; a success takes its own back."""

    key = models.CharField(max_length=64, primary_key=True)
    attempts = models.PositiveIntegerField()
    started_at = models.DateTimeField()

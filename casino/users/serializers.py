"""Shapes of users, logins and grants."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from casino.api.fields import (
    QueryBooleanField,
    ReasonBody,
    StrictBooleanField,
    StrictChoiceField,
    StrictSerializer,
    StrictUUIDField,
    TextField,
)
from casino.permissions import Role
from casino.users.models import RoleGrant, User

ROLE_CHOICES = [(role.value, role.value) for role in Role]
NEW_USER_ROLE_CHOICES = [(Role.PLAYER.value, Role.PLAYER.value)]
MAX_PASSWORD_LENGTH = 128


class LoginBody(StrictSerializer):
    """Name and password."""

    username = TextField(max_length=64)
    password = TextField(max_length=MAX_PASSWORD_LENGTH)


class PasswordChangeBody(StrictSerializer):
    """The present password and the next."""

    current_password = TextField(max_length=MAX_PASSWORD_LENGTH)
    new_password = TextField(max_length=MAX_PASSWORD_LENGTH)


class UserCreateBody(StrictSerializer):
    """A new user; without a role it is one of staff, whose roles an admin then grants."""

    username = TextField(max_length=32)
    password = TextField(max_length=MAX_PASSWORD_LENGTH)
    role = StrictChoiceField(choices=NEW_USER_ROLE_CHOICES, required=False)
    is_house_bot = StrictBooleanField(default=False, help_text="A player that is the house's own program; shown as such.")


class RoleBody(ReasonBody):
    """A role, with its hall where the role is per hall, and why."""

    role = StrictChoiceField(choices=ROLE_CHOICES, component="Role")
    hall_id = StrictUUIDField(allow_null=True, default=None)


class UserFilters(StrictSerializer):
    """Which users to list."""

    username = TextField(required=False, max_length=32, help_text="The whole name, whatever its case.")
    is_active = QueryBooleanField(required=False)
    role = StrictChoiceField(required=False, choices=ROLE_CHOICES, component="Role")


class RoleGrantSerializer(serializers.ModelSerializer[RoleGrant]):
    """A role that a user holds."""

    role = StrictChoiceField(choices=ROLE_CHOICES, component="Role")
    hall_id = serializers.UUIDField(source="hall.public_id", default=None, allow_null=True)

    class Meta:
        model = RoleGrant
        fields = ("role", "hall_id", "granted_at")


class UserSerializer(serializers.ModelSerializer[User]):
    """A user and the roles held now."""

    id = serializers.UUIDField(source="public_id")
    roles = RoleGrantSerializer(source="role_grants", many=True)

    class Meta:
        model = User
        fields = ("id", "username", "is_active", "is_house_bot", "created_at", "last_login", "roles")


class LoginSerializer(serializers.Serializer[Any]):
    """A token: send it as ``Authorization: Bearer …``. It is told this once."""

    token = serializers.CharField()
    expires_at = serializers.DateTimeField()
    user = UserSerializer()


class MeSerializer(UserSerializer):
    """Oneself, and when the token in use ends."""

    token_expires_at = serializers.SerializerMethodField()

    class Meta:
        model = User
        fields = (*UserSerializer.Meta.fields, "token_expires_at")

    @extend_schema_field(serializers.DateTimeField())
    def get_token_expires_at(self, user: User) -> str | None:
        return serializers.DateTimeField().to_representation(self.context["token"].expiry)

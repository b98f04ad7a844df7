"""Logging in and out, oneself, and the users that staff look after."""

import uuid
from typing import Any

from django.db.models import prefetch_related_objects
from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from audit.sightings.recording import Sight
from casino.api.address import client_address
from casino.api.fields import EmptyBody, ReasonBody
from casino.api.schema import IDEMPOTENCY_KEY, IF_NONE_MATCH, codes, paged
from casino.api.views import ApiView
from casino.idempotency import Answer, idempotent
from casino.permissions import ANY_USER, PUBLIC, STAFF, Role, only
from casino.users import roles, serializers, services
from casino.users.models import User
from casino.users.selectors import user_get, user_list


class LoginView(ApiView):
    """Log in with name and password."""

    roles = PUBLIC
    authentication_classes = ()

    @extend_schema(
        request=serializers.LoginBody,
        responses={200: serializers.LoginSerializer, 401: codes("invalid_credentials"), 429: codes("login_locked")},
        operation_id="auth_login",
    )
    def post(self, request: Request) -> Response:
        body = self.body(serializers.LoginBody)
        login = services.token_create(**body, address=client_address(request))
        return Response(serializers.LoginSerializer(login).data)


class LogoutView(ApiView):
    """End the token in use."""

    roles = ANY_USER

    @extend_schema(request=EmptyBody, responses={204: None}, operation_id="auth_logout")
    def post(self, request: Request) -> HttpResponse:
        self.body(EmptyBody)
        services.token_delete(digest=self.token.digest)
        return HttpResponse(status=204)


class LogoutAllView(ApiView):
    """End all tokens of oneself."""

    roles = ANY_USER

    @extend_schema(request=EmptyBody, responses={204: None}, operation_id="auth_logout_all")
    def post(self, request: Request) -> HttpResponse:
        self.body(EmptyBody)
        services.tokens_delete(user=self.actor)
        return HttpResponse(status=204)


class MeView(ApiView):
    """Show oneself: name, roles, last login."""

    roles = ANY_USER
    sees = None

    @extend_schema(responses=serializers.MeSerializer, parameters=[IF_NONE_MATCH], operation_id="me_get")
    def get(self, request: Request) -> HttpResponse:
        self.query()
        prefetch_related_objects([self.actor], "role_grants__hall")
        serializer = serializers.MeSerializer(self.actor, context={"token": self.token})
        return self.conditional(serializer.data)


class PasswordView(ApiView):
    """Change one's own password; all other tokens end."""

    roles = ANY_USER

    @extend_schema(
        request=serializers.PasswordChangeBody,
        responses={204: None, 400: codes("password_weak"), 403: codes("password_wrong"), 429: codes("login_locked")},
        operation_id="me_password_change",
    )
    def post(self, request: Request) -> HttpResponse:
        body = self.body(serializers.PasswordChangeBody)
        services.password_change(user=self.actor, **body, digest=self.token.digest)
        return HttpResponse(status=204)


class UsersView(ApiView):
    """The users that one may see, newest first; and new ones."""

    roles = {"GET": only(*STAFF), "POST": only(Role.ADMIN, Role.OPERATOR)}
    sees = Sight("users.user", listed=lambda user: (user.public_id,))

    @paged(serializers.UserSerializer, filters=serializers.UserFilters, operation_id="user_list")
    def get(self, request: Request) -> Response:
        """List the users that you may see, newest first."""
        filters = self.query(serializers.UserFilters)
        users = user_list(viewer=self.actor)
        if "username" in filters:
            users = users.filter(username=filters["username"].lower())
        if "is_active" in filters:
            users = users.filter(is_active=filters["is_active"])
        if "role" in filters:
            users = users.filter(role_grants__role=filters["role"]).distinct()
        return self.page(users, serializers.UserSerializer)

    @extend_schema(
        request=serializers.UserCreateBody,
        responses={201: serializers.UserSerializer, 400: codes("password_weak"), 409: codes("username_taken")},
        parameters=[IDEMPOTENCY_KEY],
        operation_id="user_create",
    )
    def post(self, request: Request) -> HttpResponse:
        """Create a user: an admin anybody, an operator players."""
        body = self.body(serializers.UserCreateBody)
        role = Role(body.pop("role")) if "role" in body else None

        def effect() -> Answer:
            return _answer(services.user_create(actor=self.actor, **body, role=role), status=201)

        return idempotent(request, effect, required=False)


class UserView(ApiView):
    """Show a user and the roles held now."""

    roles = only(*STAFF)
    sees = Sight("users.user", key="user_id")

    @extend_schema(responses=serializers.UserSerializer, parameters=[IF_NONE_MATCH], operation_id="user_get")
    def get(self, request: Request, user_id: uuid.UUID) -> HttpResponse:
        self.query()
        user = user_get(viewer=self.actor, user_id=user_id)
        return self.conditional(serializers.UserSerializer(user).data)


class _UserChangeView(ApiView):
    """A change of one user, with its reason."""

    def change(self, request: Request, user_id: uuid.UUID, service: Any, body: dict[str, Any]) -> HttpResponse:
        def effect() -> Answer:
            return _answer(service(actor=self.actor, user_id=user_id, **body))

        return idempotent(request, effect, required=False)


class UserDisableView(_UserChangeView):
    """Shut a user out; all their tokens end at once."""

    roles = only(Role.ADMIN, Role.OPERATOR)

    @extend_schema(
        request=ReasonBody,
        responses={
            200: serializers.UserSerializer,
            403: codes("self_change_forbidden"),
            409: codes("user_already_disabled", "last_admin"),
        },
        parameters=[IDEMPOTENCY_KEY],
        operation_id="user_disable",
    )
    def post(self, request: Request, user_id: uuid.UUID) -> HttpResponse:
        return self.change(request, user_id, services.user_disable, self.body(ReasonBody))


class UserEnableView(_UserChangeView):
    """Let a disabled user in again."""

    roles = only(Role.ADMIN, Role.OPERATOR)

    @extend_schema(
        request=ReasonBody,
        responses={
            200: serializers.UserSerializer,
            403: codes("self_change_forbidden"),
            409: codes("user_already_enabled"),
        },
        parameters=[IDEMPOTENCY_KEY],
        operation_id="user_enable",
    )
    def post(self, request: Request, user_id: uuid.UUID) -> HttpResponse:
        return self.change(request, user_id, services.user_enable, self.body(ReasonBody))


class GrantRoleView(_UserChangeView):
    """Give a user a role; operators and cashiers have it for one hall."""

    roles = only(Role.ADMIN)

    @extend_schema(
        request=serializers.RoleBody,
        responses={
            200: serializers.UserSerializer,
            403: codes("self_change_forbidden"),
            409: codes("role_already_granted"),
        },
        parameters=[IDEMPOTENCY_KEY],
        operation_id="user_grant_role",
    )
    def post(self, request: Request, user_id: uuid.UUID) -> HttpResponse:
        return self.change(request, user_id, roles.role_grant, self.role_body())

    def role_body(self) -> dict[str, Any]:
        body = self.body(serializers.RoleBody)
        return body | {"role": Role(body["role"])}


class RevokeRoleView(GrantRoleView):
    """Take a role from a user; it is gone with their next request."""

    @extend_schema(
        request=serializers.RoleBody,
        responses={
            200: serializers.UserSerializer,
            403: codes("self_change_forbidden"),
            409: codes("last_admin"),
        },
        parameters=[IDEMPOTENCY_KEY],
        operation_id="user_revoke_role",
    )
    def post(self, request: Request, user_id: uuid.UUID) -> HttpResponse:
        return self.change(request, user_id, roles.role_revoke, self.role_body())


def _answer(user: User, status: int = 200) -> Answer:
    prefetch_related_objects([user], "role_grants__hall")
    return Answer(serializers.UserSerializer(user).data, status=status)

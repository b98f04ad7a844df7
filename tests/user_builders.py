"""Users, grants and clients for tests."""

from collections.abc import Mapping
from typing import Any

from django.contrib.auth.hashers import make_password
from knox.models import AuthToken
from rest_framework.test import APIClient

from casino.permissions import Role
from casino.users.models import RoleGrant, User

PASSWORD = "correct-horse-battery"
_ENCODED: list[str] = []


def user(username: str, *roles: Role, hall: Any = None, is_active: bool = True) -> User:
    """Make a user with PASSWORD and these roles, those per hall for the hall given."""
    if not _ENCODED:
        _ENCODED.append(make_password(PASSWORD))
    made = User.objects.create(username=username, password=_ENCODED[0], is_active=is_active)
    for role in roles:
        RoleGrant.objects.create(user=made, role=role, hall=hall if role in (Role.OPERATOR, Role.CASHIER) else None)
    return made


def client(caller: User | None = None) -> APIClient:
    """Make a client that sends a fresh token of this user, or none, and lets no exception through."""
    return APIClient(raise_request_exception=False) if caller is None else bearer(token(caller))


def bearer(token: str) -> APIClient:
    """Make a client that sends this token."""
    made = client()
    made.credentials(HTTP_AUTHORIZATION=f"Bearer {token}")
    return made


def token(caller: User) -> str:
    text: str = AuthToken.objects.create(caller)[1]
    return text


def keyed(key: str) -> dict[str, Any]:
    return {"HTTP_IDEMPOTENCY_KEY": key}


def code_of(response: Any, status: int) -> str:
    """Check that an answer is a whole problem with this status and return its code."""
    body: Mapping[str, Any] = response.json()
    assert response.headers["Content-Type"] == "application/problem+json", response.content
    assert response.status_code == body["status"] == status, response.content
    assert set(body) == {"type", "title", "status", "code", "detail", "request_id", "details"}
    assert body["type"] == f"urn:casino:problem:{body['code']}"
    code: str = body["code"]
    return code

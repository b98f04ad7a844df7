"""Who is calling: a bearer token, kept as a hash, ended by deletion, read with its user and roles in one statement."""

from collections.abc import Sequence
from typing import Any

from django.db import connection
from knox.auth import TokenAuthentication as KnoxTokenAuthentication
from knox.crypto import hash_token
from knox.models import AuthToken
from rest_framework import authentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from casino.api.address import client_address
from casino.permissions import Grant, Role
from casino.users.login import credentials_check
from casino.users.models import User

_COLUMNS = ("id", "last_login", "public_id", "username", "is_active", "is_house_bot", "created_at")  # in the order of the model
_CALLERS_SQL = """
    SELECT t.digest, t.expiry, u.id, u.last_login, u.public_id, u.username, u.is_active, u.is_house_bot, u.created_at,
           (SELECT coalesce(array_agg(ARRAY[g.role, g.hall_id::text]), '{}') FROM users_rolegrant g WHERE g.user_id = u.id)
    FROM knox_authtoken t JOIN users_user u ON u.id = t.user_id
    WHERE t.digest = ANY(%s) AND t.expiry > clock_timestamp() AND u.is_active
"""


class TokenAuthentication(KnoxTokenAuthentication):
    """Know the caller by ``Authorization: Bearer …``.

    **Rule** An expired token, a deleted one and a disabled user's are refused alike and at once.
    """

    def authenticate_credentials(self, token: bytes) -> tuple[User, AuthToken]:
        try:
            digest = hash_token(token.decode("ascii"))
        except UnicodeDecodeError as error:
            raise AuthenticationFailed("This token is not valid.") from error
        caller = callers_find([digest]).get(digest)
        if caller is None:
            raise AuthenticationFailed("This token is not valid.")
        return caller


def callers_find(digests: Sequence[str]) -> dict[str, tuple[User, AuthToken]]:
    """Return whose tokens these are, of those that are still good, in one statement."""
    with connection.cursor() as cursor:
        cursor.execute(_CALLERS_SQL, [list(digests)])
        return {row[0]: _identify(*row) for row in cursor.fetchall()}


def _identify(digest: str, expiry: Any, *row: Any) -> tuple[User, AuthToken]:
    *columns, grants = row
    user = User.from_db(connection.alias, _COLUMNS, columns)
    user.grants = tuple(Grant(Role(role), int(hall_id) if hall_id else None) for role, hall_id in grants)
    return user, AuthToken(digest=digest, user=user, expiry=expiry)


class BasicAuthentication(authentication.BasicAuthentication):
    """Name and password, asked for by the browser: for the pages about the API, which cannot send a token."""

    def authenticate_credentials(self, userid: str, password: str, request: Request | None = None) -> tuple[User, None]:
        return credentials_check(username=userid, password=password, address=client_address(request)), None

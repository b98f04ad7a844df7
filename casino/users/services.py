"""What happens to users: made, let in, changed, shut out. Each service is one transaction and leaves its audit record."""

import uuid
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.auth.hashers import check_password, make_password
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from knox.models import AuthToken

from audit.trail import audit_record
from casino.db import now as database_now
from casino.db import rows_purge, unit_of_work
from casino.errors import Conflict, Forbidden, InvalidInput, NotFound, Unauthenticated
from casino.permissions import Role
from casino.users.locks import admins_lock, user_lock
from casino.users.login import attempt_count, attempt_forget, credentials_check, password_limits
from casino.users.models import USERNAME_REGEX, RoleGrant, User
from casino.users.selectors import other_admin_exists, user_is_managed_by


@dataclass(frozen=True)
class Login:
    """A new token, told once."""

    user: User
    token: str
    expires_at: datetime


def token_create(*, username: str, password: str, address: str, now: datetime | None = None) -> Login:
    """Log a user in.

    **Rule** The password is checked before the transaction, being slow on purpose; under the lock it must still be the one.
    **Errors** invalid_credentials (401), login_locked (429).
    """
    checked = credentials_check(username=username, password=password, address=address, now=now)
    with unit_of_work():
        user = user_lock(checked.public_id)
        if not user.is_active or user.password != checked.password:
            raise Unauthenticated("invalid_credentials")
        row, token = AuthToken.objects.create(user)
        user.last_login = now or database_now()
        user.save(update_fields=["last_login"])
    return Login(user, token, row.expiry)


def token_delete(*, digest: str) -> None:
    """Log out: end one token."""
    with unit_of_work():
        AuthToken.objects.filter(digest=digest).delete()


def tokens_delete(*, user: User) -> None:
    """Log out everywhere: end all of a user's tokens."""
    with unit_of_work():
        user_lock(user.public_id)
        AuthToken.objects.filter(user=user).delete()


def tokens_purge(*, now: datetime | None = None) -> int:
    """Forget the tokens past their end and tell how many they were."""
    return rows_purge(AuthToken.objects.filter(expiry__lt=now or database_now()))


def password_change(*, user: User, current_password: str, new_password: str, digest: str, now: datetime | None = None) -> None:
    """Change one's own password and end every token but the one in use.

    **Errors** password_wrong (403), password_weak (400), login_locked (429).
    """
    limits = password_limits(user)
    attempt_count(limits, now)
    encoded = User.objects.values_list("password", flat=True).get(pk=user.pk)
    if not check_password(current_password, encoded):
        raise Forbidden("password_wrong", field="current_password")
    attempt_forget(limits)
    _password_check(new_password, user, field="new_password")
    replacement = make_password(new_password)
    with unit_of_work():
        locked = user_lock(user.public_id)
        if locked.password != encoded:
            raise Forbidden("password_wrong", field="current_password")
        locked.password = replacement
        locked.save(update_fields=["password"])
        AuthToken.objects.filter(user=locked).exclude(digest=digest).delete()
        audit_record(actor=user, action="password_changed", subject=locked, before=None, after=None)


def password_reset(*, username: str, new_password: str, reason: str) -> User:
    """Give a user another password from the command line and end all their tokens.

    **Errors** NotFound, password_weak (400). **Writes** an audit record of the system's.
    """
    user = User.objects.filter(username=username.lower()).first()
    if user is None:
        raise NotFound("not_found")
    _password_check(new_password, user, field="new_password")
    replacement = make_password(new_password)
    with unit_of_work():
        locked = user_lock(user.public_id)
        locked.password = replacement
        locked.save(update_fields=["password"])
        AuthToken.objects.filter(user=locked).delete()
        audit_record(actor=None, action="password_reset", subject=locked, before=None, after=None, reason=reason)
        return locked


def user_create(
    *, actor: User | None, username: str, password: str, role: Role | None, is_house_bot: bool = False, reason: str = ""
) -> User:
    """Create a user, with a role that is not per hall or with none yet.

    **Rule** An admin creates anybody, an operator people who play; no actor is the command line. A house bot is a player.
    **Errors** forbidden (403), username_taken (409), password_weak (400).
    """
    username = username.lower()
    if not USERNAME_REGEX.fullmatch(username):
        raise InvalidInput("invalid_input", "A name has 3 to 32 letters, digits, '.', '_' or '-'.", field="username")
    if is_house_bot and role != Role.PLAYER:
        raise InvalidInput("invalid_input", "A house bot is a player.", field="is_house_bot")
    user = User(username=username, is_house_bot=is_house_bot)
    _password_check(password, user, field="password")
    makes_person_who_plays = role == Role.PLAYER and not is_house_bot
    if actor and not actor.has_role(Role.ADMIN) and not (makes_person_who_plays and actor.has_role(Role.OPERATOR)):
        raise Forbidden("forbidden")
    user.password = make_password(password)
    with unit_of_work():
        _insert(user)
        if role is not None:
            RoleGrant.objects.create(user=user, role=role, granted_by=actor)
        after = {"username": username, "role": role, "is_house_bot": is_house_bot}
        audit_record(actor=actor, action="user_created", subject=user, before=None, after=after, reason=reason)
    return user


def user_disable(*, actor: User | None, user_id: uuid.UUID, reason: str) -> User:
    """Shut a user out: every token ends at once.

    **Errors** not_found (404), self_change_forbidden (403), user_already_disabled, last_admin (409).
    """
    with unit_of_work():
        user = _managed(actor, user_id)
        if not user.is_active:
            raise Conflict("user_already_disabled")
        admins_lock()
        if not other_admin_exists(user=user) and user.has_role(Role.ADMIN):
            raise Conflict("last_admin")
        AuthToken.objects.filter(user=user).delete()
        return _set_active(actor, user, is_active=False, reason=reason)


def user_enable(*, actor: User | None, user_id: uuid.UUID, reason: str) -> User:
    """Let a disabled user in again; the old tokens stay ended.

    **Errors** not_found (404), self_change_forbidden (403), user_already_enabled (409).
    """
    with unit_of_work():
        user = _managed(actor, user_id)
        if user.is_active:
            raise Conflict("user_already_enabled")
        return _set_active(actor, user, is_active=True, reason=reason)


def _insert(user: User) -> None:
    try:
        with transaction.atomic():
            user.save(force_insert=True)
    except IntegrityError as error:
        raise Conflict("username_taken", field="username") from error


def _managed(actor: User | None, user_id: uuid.UUID) -> User:
    user = user_lock(user_id)
    if actor is not None and not user_is_managed_by(actor=actor, user=user):
        raise NotFound("not_found")
    if actor is not None and actor.pk == user.pk:
        raise Forbidden("self_change_forbidden")
    return user


def _set_active(actor: User | None, user: User, *, is_active: bool, reason: str) -> User:
    before: dict[str, Any] = {"is_active": user.is_active}
    user.is_active = is_active
    user.save(update_fields=["is_active"])
    action = "user_enabled" if is_active else "user_disabled"
    audit_record(actor=actor, action=action, subject=user, before=before, after={"is_active": is_active}, reason=reason)
    return user


def _password_check(password: str, user: User, *, field: str) -> None:
    try:
        validate_password(password, user)
    except ValidationError as error:
        raise InvalidInput("password_weak", " ".join(error.messages), field=field) from error

"""The only place that locks users and their grants. Order: the user, then the admins."""

import uuid

from casino.errors import NotFound
from casino.permissions import Role
from casino.users.models import RoleGrant, User


def user_lock(user_id: uuid.UUID) -> User:
    """Lock a user for a change.

    **Errors** NotFound.
    """
    user = User.objects.select_for_update(no_key=True, of=("self",)).filter(public_id=user_id).first()
    if user is None:
        raise NotFound("not_found")
    return user


def admins_lock() -> None:
    """Lock the grants of all admins, so that no two of them can remove each other at once.

    **Rule** Count them in a statement after this one: it must see what the lock waited for.
    """
    grants = RoleGrant.objects.select_for_update(no_key=True, of=("self",)).filter(role=Role.ADMIN)
    list(grants.order_by("pk").values_list("pk"))

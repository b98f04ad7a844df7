"""What accounts say, to whom they may say it."""

from typing import Any
from uuid import UUID

from django.apps import apps
from django.db.models import FilteredRelation, Q, QuerySet, Sum
from django.db.models.functions import Coalesce

from casino.errors import InvalidInput, NotFound
from casino.permissions import OVERSEERS, Role
from casino.users.models import User
from wallets.models import Account, AccountKind, StatementLine

READERS = OVERSEERS | {Role.CASHIER}


def reads_every_account(user: User) -> bool:
    """Tell whether a user may read any player's accounts."""
    return user.has_any_role(READERS)


def account_list(*, user_id: int) -> QuerySet[Account]:
    """List a player's accounts, one per currency, each with ``held_minor``: what is in escrow for it in open rounds now.

    **Rule** Both are read in one statement, so that no amount shows in both or in neither.
    """
    accounts = Account.objects.filter(kind=AccountKind.PLAYER, user=user_id)
    open_seats = FilteredRelation("seats", condition=Q(seats__is_open=True))
    return accounts.annotate(open_seats=open_seats).annotate(held_minor=Coalesce(Sum("open_seats__held_minor"), 0))


def account_get(*, viewer: User, account_id: UUID) -> Account:
    """Find a player's account: one's own, or anybody's for staff that reads them.

    **Errors** NotFound, the same for what is another's and what does not exist.
    """
    visible = Account.objects.filter(kind=AccountKind.PLAYER, public_id=account_id)
    if not reads_every_account(viewer):
        visible = visible.filter(user=viewer)
    account = visible.first()
    if account is None:
        raise NotFound("not_found")
    return account


def statement(*, account_id: int) -> QuerySet[StatementLine]:
    """List what came to an account and what went; order it by ``sequence``, which counts a stored account's transfers from 1."""
    lines = StatementLine.objects.filter(account=account_id, sequence__isnull=False)
    return lines.select_related("transfer__reversal_of", "transfer__created_by", "account__user", "counterpart__hall")


def hall_get(*, viewer: User, hall_id: UUID) -> Any:
    """Find a hall by its public id; wallets know halls only as owners of accounts.

    **Errors** NotFound, naming the field; also for a hall that has never opened and is not the viewer's.
    """
    known = Q(opened_at__isnull=False) | Q(pk__in=viewer.halls_of(Role.CASHIER))
    hall = apps.get_model("halls", "Hall").objects.filter(known, public_id=hall_id).first()
    if hall is None:
        raise NotFound("not_found", field="hall_id")
    return hall


def player_get(*, player_id: UUID | None = None, username: str | None = None) -> User:
    """Find a player by id or by name, exactly one of them.

    **Errors** InvalidInput, NotFound, naming the field.
    """
    if (player_id is None) == (username is None):
        raise InvalidInput("invalid_input", "Name the player by player_id or by username, not both.", field="player_id")
    # Who has played keeps an account, and what is in it, also when the role is gone.
    players = User.objects.filter(Q(role_grants__role=Role.PLAYER) | Q(accounts__isnull=False)).distinct()
    if player_id is not None:
        player, field = players.filter(public_id=player_id).first(), "player_id"
    else:
        player, field = players.filter(username=(username or "").lower()).first(), "username"
    if player is None:
        raise NotFound("not_found", field=field)
    return player

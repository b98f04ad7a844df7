"""What accounts say, to whom they may say it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.apps import apps
from django.db.models import FilteredRelation, Q, QuerySet, Sum
from django.db.models.functions import Coalesce

from casino.errors import NotFound
from casino.permissions import OVERSEERS, Role
from casino.sql import Row, Statement, row_of, together
from casino.users.models import User
from wallets.models import Account, AccountKind, StatementLine, Transfer

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


def account_players(account_id: UUID) -> list[UUID]:
    """Tell whose account it is."""
    return list(Account.objects.filter(public_id=account_id).values_list("user__public_id", flat=True))


def transfer_players(transfer_id: UUID) -> list[UUID]:
    """Tell from whose account to whose a transfer went."""
    sides = Transfer.objects.filter(public_id=transfer_id).values_list(
        "debit_account__user__public_id", "credit_account__user__public_id"
    )
    return [player for side in sides for player in side if player is not None]


def statement(*, account_id: int) -> QuerySet[StatementLine]:
    """List what came to an account and what went; order it by ``sequence``, which counts a stored account's transfers from 1."""
    lines = StatementLine.objects.filter(account=account_id, sequence__isnull=False)
    return lines.select_related("transfer__reversal_of", "transfer__created_by", "account__user", "counterpart__hall")


@dataclass(frozen=True, slots=True)
class Counter:
    """Who meets at a hall's counter, and between which accounts money goes there; None for what there is not."""

    hall: Any | None
    player: User | None
    account: Account | None
    cage: Account | None


def counter_find(*, viewer: User, hall_id: UUID, currency: str, player_id: UUID | None, username: str | None) -> Counter:
    """Find a hall, a player by id or by name, and their accounts of a currency.

    **Rule** A hall that has never opened is there for its own cashiers only. Wallets know halls only as owners of accounts.
    """
    served, name = list(viewer.halls_of(Role.CASHIER)), None if username is None else username.lower()
    found = Statement("SELECT * FROM counter_find(%s, %s::bigint[], %s, %s, %s)", [hall_id, served, player_id, name, currency])
    together(found)
    values = iter(found.rows[0])
    hall = _found(apps.get_model("halls", "Hall"), ("id", "public_id", "currency"), values)
    player = _found(User, ("id", "public_id", "username", "is_active"), values)
    return Counter(hall, player, _found(Account, ("id", "public_id"), values), _found(Account, ("id",), values))


def _found(model: type[Row], names: Sequence[str], values: Iterator[Any]) -> Row | None:
    """Make a row, unless there is none; what is not read here is read when it is asked for."""
    row = row_of(model, names, values)
    return None if row.pk is None else row


def player_get(*, player_id: UUID) -> User:
    """Find a player. Who has played keeps an account, and what is in it, also when the role is gone.

    **Errors** NotFound, naming the field.
    """
    players = User.objects.filter(Q(role_grants__role=Role.PLAYER) | Q(accounts__isnull=False)).distinct()
    player = players.filter(public_id=player_id).first()
    if player is None:
        raise NotFound("not_found", field="player_id")
    return player

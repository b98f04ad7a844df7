"""Players, cashiers and money for tests, made by the code that makes them in the product."""

from typing import Any
from uuid import UUID, uuid4

from django.db import transaction
from django.db.models import Sum

from casino.db import now
from casino.permissions import Role
from casino.users.models import RoleGrant, User
from games.halls.models import Hall
from wallets import ledger
from wallets.ledger import PostedTransfer, Posting
from wallets.models import Account, Transfer

CURRENCY = "EUR"


def hall(code: str = "counter", currency: str = CURRENCY) -> Hall:
    found = Hall.objects.filter(code=code).first()
    fields = {"name": f"Hall {code}", "currency": currency, "time_zone": "Europe/Vienna"}
    return found or Hall.objects.create(code=code, **fields, created_at=now(), opened_at=now())


def user(username: str, *roles: Role, at: Hall | None = None) -> User:
    """A user with these roles; the roles of a hall are for ``at``."""
    made = User.objects.create(username=username, password="!")
    for role in roles:
        RoleGrant.objects.create(user=made, role=role, hall=at if role in (Role.CASHIER, Role.OPERATOR) else None)
    return made


def player(username: str = "anna", *, minor: int = 0) -> User:
    """A player with so much money in the test currency."""
    made = user(username, Role.PLAYER)
    if minor:
        pay_in(account(made), minor)
    return made


def account(owner: User) -> Account:
    return ledger.player_account(owner.pk, CURRENCY)


def pay_in(to: Account, amount_minor: int) -> PostedTransfer:
    cage = ledger.cage_account(hall().pk, CURRENCY)
    (posted,) = move(Posting(cage.pk, to.pk, amount_minor, "deposit"))
    return posted


def escrow(round_id: UUID | None = None) -> Account:
    return ledger.escrow_open(round_id or uuid4(), CURRENCY)


def house() -> Account:
    return ledger.house_account(hall().pk, CURRENCY)


def move(*postings: Posting, **kwargs: Any) -> list[PostedTransfer]:
    """Post in a transaction of its own."""
    with transaction.atomic():
        return ledger.post(postings, **({"step_id": None, "now": now()} | kwargs))


def balance(of: Account) -> int:
    """The balance of an account: stored, or the sum of a hall's account's transfers."""
    stored = Account.objects.values_list("balance_minor", flat=True).get(pk=of.pk)
    if stored is not None:
        return stored
    total = Sum("amount_minor", default=0)
    inward = Transfer.objects.filter(credit_account=of).aggregate(minor=total)["minor"]
    return inward - Transfer.objects.filter(debit_account=of).aggregate(minor=total)["minor"]

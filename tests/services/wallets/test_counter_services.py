"""The cashier's counter: deposits, withdrawals and the reversal of a deposit."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any
from uuid import UUID, uuid4

import pytest

from audit.models import AuditRecord
from casino.errors import Conflict, DomainError, Forbidden, InvalidInput, NotFound, Refused
from casino.permissions import Role
from casino.users.models import User
from games.halls.models import Hall
from tests.wallet_builders import CURRENCY, account, balance, escrow, hall, move, player, user
from wallets.ledger import Posting
from wallets.models import StatementLine, Transfer
from wallets.selectors import statement
from wallets.serializers import TransferSerializer
from wallets.services import deposit_create, deposit_reverse, withdrawal_create

pytestmark = pytest.mark.django_db

Service = Callable[..., StatementLine]


@pytest.fixture
def room() -> Hall:
    return hall()


@pytest.fixture
def cashier(room: Hall) -> User:
    return user("cashier", Role.CASHIER, at=room)


@pytest.fixture
def anna() -> User:
    return player()


def order(actor: User, of: User, **fields: Any) -> dict[str, Any]:
    return {
        "actor": actor,
        "hall_id": hall().public_id,
        "player_id": of.public_id,
        "amount_minor": 500,
        "currency": CURRENCY,
    } | fields


def nothing_moved(transfers: int = 0) -> bool:
    return Transfer.objects.count() == transfers and AuditRecord.objects.count() == transfers


def test_a_deposit_credits_the_player_and_leaves_its_record(cashier: User, anna: User, room: Hall) -> None:
    line = deposit_create(**order(cashier, anna, reference="R-17"))
    assert (line.direction, line.balance_before_minor, line.balance_after_minor, line.sequence) == ("in", 0, 500, 1)
    assert (line.transfer.code, line.transfer.reference, line.transfer.created_by) == ("deposit", "R-17", cashier)
    assert line.counterpart.hall == room
    assert balance(line.counterpart) == -500
    record = AuditRecord.objects.get()
    assert (record.actor, record.actor_name, record.action, record.hall_id) == (cashier, "cashier", "deposit_created", room.pk)
    assert (record.subject_type, record.subject_id) == ("wallets.transfer", str(line.transfer.public_id))
    assert record.before == {"balance_minor": 0}
    assert record.after is not None
    assert (record.after["balance_minor"], record.after["amount_minor"], record.after["reference"]) == (500, 500, "R-17")
    assert (record.after["account_id"], record.after["player_id"]) == (str(line.account.public_id), str(anna.public_id))


def test_a_player_may_be_named_instead(cashier: User, anna: User) -> None:
    assert deposit_create(**order(cashier, anna, player_id=None, username="Anna")).account.user == anna
    both = order(cashier, anna, username="anna")
    neither = order(cashier, anna, player_id=None)
    for unclear in (both, neither):
        with pytest.raises(InvalidInput) as refusal:
            deposit_create(**unclear)
        assert refusal.value.details["field"] == "player_id"


def test_a_withdrawal_takes_free_money_only(cashier: User, anna: User) -> None:
    deposit_create(**order(cashier, anna))
    move(Posting(account(anna).pk, escrow().pk, 200, "ante"))
    with pytest.raises(Refused) as refusal:
        withdrawal_create(**order(cashier, anna, amount_minor=301))
    assert refusal.value.code == "insufficient_funds"
    assert (refusal.value.details["available_minor"], refusal.value.details["required_minor"]) == (300, 301)
    line = withdrawal_create(**order(cashier, anna, amount_minor=300))
    assert (line.direction, line.balance_before_minor, line.balance_after_minor) == ("out", 300, 0)
    assert AuditRecord.objects.latest("pk").action == "withdrawal_created"


@pytest.mark.parametrize("service", [deposit_create, withdrawal_create])
@pytest.mark.parametrize(
    ("fields", "kind", "code", "field"),
    [
        ({"hall_id": uuid4()}, NotFound, "not_found", "hall_id"),
        ({"player_id": uuid4()}, NotFound, "not_found", "player_id"),
        ({"player_id": None, "username": "nobody"}, NotFound, "not_found", "username"),
        ({"currency": "USD"}, Refused, "currency_not_of_hall", "currency"),
    ],
)
def test_what_does_not_fit_the_hall_or_names_nobody(
    service: Service, cashier: User, anna: User, fields: dict[str, Any], kind: type[DomainError], code: str, field: str
) -> None:
    with pytest.raises(kind) as refusal:
        service(**order(cashier, anna, **fields))
    assert (refusal.value.code, refusal.value.details["field"]) == (code, field)
    assert nothing_moved()


@pytest.mark.parametrize("service", [deposit_create, withdrawal_create])
def test_only_this_halls_cashiers_serve_and_never_themselves(service: Service, cashier: User, anna: User) -> None:
    strangers = [user(f"x-{role}", role, at=hall()) for role in Role if role is not Role.CASHIER]
    for stranger in (*strangers, user("elsewhere", Role.CASHIER, at=hall("other"))):
        with pytest.raises(Forbidden):
            service(**order(stranger, anna))
    both = user("both", Role.CASHIER, Role.PLAYER, at=hall())
    with pytest.raises(Forbidden) as refusal:
        service(**order(both, both))
    assert refusal.value.code == "own_account_forbidden"
    assert nothing_moved()


def test_who_plays_not_has_no_account(cashier: User) -> None:
    with pytest.raises(NotFound):
        deposit_create(**order(cashier, user("clerk", Role.AUDITOR)))


def test_a_disabled_player_pays_in_nothing_but_is_paid_out(cashier: User, anna: User) -> None:
    deposit_create(**order(cashier, anna))
    anna.is_active = False
    anna.save()
    with pytest.raises(Refused) as refusal:
        deposit_create(**order(cashier, anna))
    assert refusal.value.code == "user_disabled"
    assert withdrawal_create(**order(cashier, anna)).balance_after_minor == 0


def reversal(by: User, of: UUID, reason: str = "typed twice") -> StatementLine:
    return deposit_reverse(actor=by, transfer_id=of, reason=reason)


@pytest.mark.parametrize("role", [Role.CASHIER, Role.SUPERVISOR])
def test_a_mistaken_deposit_is_taken_back_by_a_further_transfer(cashier: User, anna: User, role: Role) -> None:
    deposit = deposit_create(**order(cashier, anna)).transfer
    line = reversal(user("second", role, at=hall()), deposit.public_id)
    assert (line.direction, line.amount_minor, line.balance_after_minor) == ("out", 500, 0)
    assert (line.transfer.code, line.transfer.reversal_of) == ("deposit_reversal", deposit)
    record = AuditRecord.objects.latest("pk")
    assert (record.action, record.reason) == ("deposit_reversed", "typed twice")
    assert record.after is not None
    assert record.after["reversal_of"] == str(deposit.public_id)


def test_a_deposit_is_reversed_once_and_the_second_try_changes_nothing(cashier: User, anna: User) -> None:
    deposit = deposit_create(**order(cashier, anna)).transfer
    first = reversal(cashier, deposit.public_id).transfer
    deposit_create(**order(cashier, anna))
    for again in (deposit, deposit):
        with pytest.raises(Conflict) as refusal:
            reversal(cashier, again.public_id)
        assert refusal.value.code == "transfer_already_reversed"
    assert balance(account(anna)) == 500
    assert nothing_moved(transfers=3)
    with pytest.raises(Refused) as refusal_of_reversal:
        reversal(cashier, first.public_id)
    assert refusal_of_reversal.value.code == "transfer_not_reversible"
    assert balance(account(anna)) == 500


def test_the_second_try_is_a_conflict_even_when_the_money_is_gone(cashier: User, anna: User) -> None:
    deposit = deposit_create(**order(cashier, anna)).transfer
    reversal(cashier, deposit.public_id)
    with pytest.raises(Conflict):
        reversal(cashier, deposit.public_id)


def test_money_that_the_player_no_longer_has_is_not_taken_back(cashier: User, anna: User) -> None:
    deposit = deposit_create(**order(cashier, anna)).transfer
    withdrawal_create(**order(cashier, anna, amount_minor=1))
    with pytest.raises(Refused) as refusal:
        reversal(cashier, deposit.public_id)
    assert refusal.value.code == "insufficient_funds"
    assert balance(account(anna)) == 499
    deposit_create(**order(cashier, anna, amount_minor=1))
    assert reversal(cashier, deposit.public_id).balance_after_minor == 0


def test_who_may_not_reverse(cashier: User, anna: User) -> None:
    deposit = deposit_create(**order(cashier, anna)).transfer
    elsewhere = user("elsewhere", Role.CASHIER, at=hall("other"))
    for stranger in (elsewhere, user("auditor", Role.AUDITOR), user("admin", Role.ADMIN), anna):
        with pytest.raises(NotFound):
            reversal(stranger, deposit.public_id)
    with pytest.raises(NotFound):
        reversal(cashier, uuid4())
    assert nothing_moved(transfers=1)


def test_only_deposits_are_reversed(cashier: User, anna: User) -> None:
    deposit_create(**order(cashier, anna))
    withdrawal = withdrawal_create(**order(cashier, anna, amount_minor=100)).transfer
    (stake,) = move(Posting(account(anna).pk, escrow().pk, 200, "deposit"))
    for transfer_id in (withdrawal.public_id, stake.public_id):
        with pytest.raises(Refused) as refusal:
            reversal(cashier, transfer_id)
        assert refusal.value.code == "transfer_not_reversible"
    assert balance(account(anna)) == 200


def test_what_the_counter_answers_is_what_the_statement_says(cashier: User, anna: User) -> None:
    paid_in = deposit_create(**order(cashier, anna, reference="R-1"))
    paid_out = withdrawal_create(**order(cashier, anna, amount_minor=100))
    deposit_create(**order(cashier, anna, amount_minor=100))
    taken_back = reversal(cashier, paid_in.transfer.public_id)
    for line in (paid_in, paid_out, taken_back):
        read = statement(account_id=account(anna).pk).get(transfer=line.transfer_id)
        for made, stored in ((line, read), (line.transfer, read.transfer)):
            names = [column.attname for column in made._meta.concrete_fields]
            assert [getattr(made, name) for name in names] == [getattr(stored, name) for name in names]
        request = SimpleNamespace(user=cashier)
        shown, wanted = (TransferSerializer(each, context={"request": request}).data for each in (line, read))
        assert shown == wanted


@pytest.mark.parametrize("service", [deposit_create, withdrawal_create])
def test_an_unknown_player_comes_before_a_wrong_currency(service: Any) -> None:
    with pytest.raises(NotFound):
        service(
            actor=user("teller", Role.CASHIER, at=hall()),
            hall_id=hall().public_id,
            player_id=uuid4(),
            amount_minor=1,
            currency="CHF",
        )

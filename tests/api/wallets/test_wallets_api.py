"""Accounts, statements and the counter over HTTP."""

import json
from itertools import count
from typing import Any
from uuid import uuid4

import pytest
from django.http import HttpResponse
from rest_framework.test import APIClient

from audit.models import AuditRecord
from casino.db import now
from casino.permissions import Role
from casino.users.models import User
from tests.wallet_builders import CURRENCY, account, balance, escrow, hall, house, move, player, user
from wallets import ledger
from wallets.ledger import Posting
from wallets.models import Transfer

pytestmark = pytest.mark.django_db

_keys = count()


@pytest.fixture
def cashier() -> User:
    return user("cashier", Role.CASHIER, at=hall())


@pytest.fixture
def anna() -> User:
    return player()


def client(of: User) -> APIClient:
    made = APIClient()
    made.force_authenticate(of)
    return made


def post(by: User, path: str, body: Any, *, key: str | None = "") -> Any:
    """POST with a fresh key, a given one or (None) none; a text goes as it is."""
    headers = {} if key is None else {"Idempotency-Key": key or f"k{next(_keys)}"}
    content = body if isinstance(body, str) else json.dumps(body, default=str)
    return client(by).post(f"/api/v1/{path}", content, content_type="application/json", headers=headers)


def order(of: User, **fields: Any) -> dict[str, Any]:
    return {"hall_id": hall().public_id, "player_id": of.public_id, "amount_minor": 500, "currency": CURRENCY} | fields


def problem(response: HttpResponse, status: int, code: str) -> dict[str, Any]:
    body = json.loads(response.content)
    assert (response.status_code, response["Content-Type"], body["code"]) == (status, "application/problem+json", code)
    details: dict[str, Any] = body["details"]
    return details


def test_a_deposit_and_a_withdrawal_and_what_the_player_sees(cashier: User, anna: User) -> None:
    response = post(cashier, "deposits", order(anna, reference="R-17"))
    assert response.status_code == 201
    deposit = json.loads(response.content)
    assert deposit == {
        "id": str(Transfer.objects.get().public_id),
        "account_id": str(account(anna).public_id),
        "player_id": str(anna.public_id),
        "sequence": 1,
        "at": deposit["at"],
        "code": "deposit",
        "direction": "in",
        "amount_minor": 500,
        "currency": CURRENCY,
        "balance_before_minor": 0,
        "balance_after_minor": 500,
        "round_id": None,
        "hall_id": str(hall().public_id),
        "reference": "R-17",
        "reversal_of": None,
        "handled_by": "cashier",
    }
    assert len(deposit["at"]) == len("2026-11-30T12:00:00.000000Z") and deposit["at"].endswith("Z")
    withdrawn = post(cashier, "withdrawals", order(anna, amount_minor=200))
    assert json.loads(withdrawn.content)["balance_after_minor"] == 300
    pot = escrow()
    move(Posting(account(anna).pk, pot.pk, 100, "ante"))
    (row,) = client(anna).get("/api/v1/accounts").json()["results"]
    assert (row["id"], row["currency"]) == (deposit["account_id"], CURRENCY)
    assert (row["available_minor"], row["held_minor"]) == (200, 0)
    lines = client(anna).get(f"/api/v1/accounts/{row['id']}/transfers").json()["results"]
    assert [(line["code"], line["direction"], line["balance_before_minor"], line["balance_after_minor"]) for line in lines] == [
        ("ante", "out", 300, 200),
        ("withdrawal", "out", 500, 300),
        ("deposit", "in", 0, 500),
    ]
    assert lines[0]["round_id"] == str(pot.round_reference)
    assert lines[0]["hall_id"] is None
    assert {line["handled_by"] for line in lines} == {None}


BAD_BODIES = [
    ("amount_minor", {"amount_minor": 0}),
    ("amount_minor", {"amount_minor": -5}),
    ("amount_minor", {"amount_minor": 2**53}),
    ("amount_minor", {"amount_minor": 10**400}),
    ("amount_minor", {"amount_minor": "5"}),
    ("amount_minor", {"amount_minor": 5.0}),
    ("amount_minor", {"amount_minor": "٥"}),
    ("amount_minor", {"amount_minor": True}),
    ("amount_minor", {"amount_minor": None}),
    ("amount_minor", {"amount_minor": [5]}),
    ("currency", {"currency": "eur"}),
    ("currency", {"currency": "EURO"}),
    ("currency", {"currency": 978}),
    ("hall_id", {"hall_id": "first"}),
    ("player_id", {"player_id": 7}),
    ("player_id", {"username": "anna"}),
    ("reference", {"reference": "a" * 101}),
    ("reference", {"reference": "line\nbreak"}),
    ("amount", {"amount": 5}),
]


@pytest.mark.parametrize("path", ["deposits", "withdrawals"])
@pytest.mark.parametrize(("field", "fields"), BAD_BODIES)
def test_a_body_that_makes_no_sense_names_the_field_and_moves_nothing(
    path: str, field: str, fields: dict[str, Any], cashier: User, anna: User
) -> None:
    details = problem(post(cashier, path, order(anna, **fields)), 400, "invalid_input")
    assert details["field"] == field
    assert Transfer.objects.count() == AuditRecord.objects.count() == 0


@pytest.mark.parametrize("path", ["deposits", "withdrawals"])
@pytest.mark.parametrize("field", ["hall_id", "player_id", "amount_minor", "currency"])
def test_what_is_missing_is_named(path: str, field: str, cashier: User, anna: User) -> None:
    body = order(anna)
    del body[field]
    assert problem(post(cashier, path, body), 400, "invalid_input")["field"] == field


@pytest.mark.parametrize("number", ["5e0", "5.0", "0x5", "٥", "NaN"])
def test_a_number_in_other_clothes_is_refused(number: str, cashier: User, anna: User) -> None:
    text = json.dumps(order(anna), default=str).replace("500", number)
    response = post(cashier, "deposits", text)
    assert response.status_code == 400
    assert Transfer.objects.count() == 0


def test_another_currency_is_refused_by_name(cashier: User, anna: User) -> None:
    details = problem(post(cashier, "deposits", order(anna, currency="USD")), 422, "currency_not_of_hall")
    assert details == {"field": "currency", "currency": CURRENCY}
    assert Transfer.objects.count() == 0


def test_a_key_is_required_and_one_key_is_one_effect(cashier: User, anna: User) -> None:
    problem(post(cashier, "deposits", order(anna), key=None), 400, "idempotency_key_required")
    first = post(cashier, "deposits", order(anna), key="same")
    again = post(cashier, "deposits", order(anna), key="same")
    assert (again.status_code, again.content, again["Idempotency-Replayed"]) == (201, first.content, "true")
    problem(post(cashier, "deposits", order(anna, amount_minor=20), key="same"), 422, "idempotency_key_reused")
    assert balance(account(anna)) == 500


def test_a_refused_withdrawal_stays_refused_and_moves_nothing(cashier: User, anna: User) -> None:
    details = problem(post(cashier, "withdrawals", order(anna), key="early"), 422, "insufficient_funds")
    assert details == {"account_id": details["account_id"], "available_minor": 0, "required_minor": 500}
    assert Transfer.objects.count() == AuditRecord.objects.count() == 0
    post(cashier, "deposits", order(anna))
    problem(post(cashier, "withdrawals", order(anna), key="early"), 422, "insufficient_funds")
    assert balance(account(anna)) == 500


def test_a_reversal_over_http(cashier: User, anna: User) -> None:
    deposit = json.loads(post(cashier, "deposits", order(anna)).content)
    path = f"transfers/{deposit['id']}/reversal"
    assert problem(post(cashier, path, {}, key=None), 400, "invalid_input")["field"] == "reason"
    assert problem(post(cashier, path, {"reason": " "}, key=None), 400, "invalid_input")["field"] == "reason"
    done = post(cashier, path, {"reason": "typed twice"}, key="r1")
    assert done.status_code == 201
    assert json.loads(done.content)["reversal_of"] == deposit["id"]
    assert post(cashier, path, {"reason": "typed twice"}, key="r1").content == done.content
    problem(post(cashier, path, {"reason": "typed twice"}, key=None), 409, "transfer_already_reversed")
    problem(post(cashier, f"transfers/{uuid4()}/reversal", {"reason": "typed twice"}, key=None), 404, "not_found")
    assert balance(account(anna)) == 0
    assert Transfer.objects.count() == 2


def test_others_accounts_are_as_if_they_did_not_exist(anna: User) -> None:
    theirs, nowhere = account(player("berta", minor=5)).public_id, uuid4()
    bank, pot = house().public_id, escrow().public_id
    answers = [client(anna).get(f"/api/v1/accounts/{account_id}/transfers") for account_id in (theirs, nowhere, bank, pot)]
    for answer in answers:
        problem(answer, 404, "not_found")
    assert len({json.dumps(answer.json() | {"request_id": None}) for answer in answers}) == 1
    problem(client(anna).get(f"/api/v1/players/{anna.public_id}/accounts"), 403, "forbidden")


def test_who_reads_and_who_serves(anna: User) -> None:
    account_id = account(anna).public_id
    people = {role: user(f"x-{role}", role, at=hall()) for role in Role}
    readers, servers, reversers = set(), set(), set()
    for role, person in people.items():
        if client(person).get(f"/api/v1/accounts/{account_id}/transfers").status_code == 200:
            readers.add(role)
        if (client(person).get(f"/api/v1/players/{anna.public_id}/accounts").status_code == 200) != (role in readers):
            pytest.fail(f"{role} reads one and not the other")
        if post(person, "deposits", order(anna)).status_code == 201:
            servers.add(role)
        if post(person, f"transfers/{uuid4()}/reversal", {"reason": "x"}).status_code == 404:
            reversers.add(role)
    assert readers == {Role.CASHIER, Role.SUPERVISOR, Role.AUDITOR, Role.ADMIN}
    assert servers == {Role.CASHIER}
    assert reversers == {Role.CASHIER, Role.SUPERVISOR}
    for path in (f"accounts/{account_id}/transfers", "accounts", f"players/{anna.public_id}/accounts"):
        assert APIClient().get(f"/api/v1/{path}").status_code == 401


def test_staff_see_who_served(cashier: User, anna: User) -> None:
    post(cashier, "deposits", order(anna))
    path = f"/api/v1/accounts/{account(anna).public_id}/transfers"
    assert client(user("auditor", Role.AUDITOR)).get(path).json()["results"][0]["handled_by"] == "cashier"
    assert client(anna).get(path).json()["results"][0]["handled_by"] is None
    problem(client(cashier).get(f"/api/v1/players/{uuid4()}/accounts"), 404, "not_found")


def test_pages_show_each_line_once_forwards_and_back(anna: User) -> None:
    """All lines have one moment; the account's own count is what the cursor goes by."""
    purse, cage = account(anna), ledger.cage_account(hall().pk, CURRENCY)
    move(*[Posting(cage.pk, purse.pk, minor, "deposit") for minor in range(1, 101)], now=now())
    move(*[Posting(purse.pk, cage.pk, minor, "withdrawal") for minor in range(1, 101)], now=now())
    reader = client(anna)
    url: str | None = f"/api/v1/accounts/{purse.public_id}/transfers?page_size=7"
    forwards, page = [], {}
    while url:
        page = reader.get(url).json()
        forwards += [line["sequence"] for line in page["results"]]
        url = page["next"]
    assert forwards == list(range(200, 0, -1))
    backwards = [line["sequence"] for line in reversed(page["results"])]
    while page["previous"]:
        page = reader.get(page["previous"]).json()
        backwards += [line["sequence"] for line in reversed(page["results"])]
    assert backwards == list(range(1, 201))


@pytest.mark.parametrize("query", ["page_size=0", "page_size=201", "cursor=x", "order=at"])
def test_a_query_that_makes_no_sense(query: str, anna: User) -> None:
    for path in ("accounts", f"accounts/{account(anna).public_id}/transfers"):
        problem(client(anna).get(f"/api/v1/{path}?{query}"), 400, "invalid_input")

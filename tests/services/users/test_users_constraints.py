"""What the database itself refuses, whoever writes."""

from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction

from casino.models import IdempotencyRecord
from casino.permissions import Role
from casino.users.models import RoleGrant
from tests.hall_builders import hall_in_preparation
from tests.user_builders import user

pytestmark = pytest.mark.django_db
GRANT = "INSERT INTO users_rolegrant (user_id, role, hall_id, granted_by_id) VALUES (%s, %s, %s, %s)"
RECORD = """INSERT INTO casino_idempotencyrecord
    (scope_hash, fingerprint, user_id, method, path, status, headers, body, reference)
    VALUES (%s, 'f', %s, 'POST', '/', %s, '{}', %s, %s)"""


def refused(name: str, statement: str, *values: Any) -> None:
    with pytest.raises(IntegrityError, match=name), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement, values)


@pytest.mark.parametrize("username", ["Anna", "an", "änna", "anna ", "anna\n", "-anna"])
def test_user_username_plain(username: str) -> None:
    refused("user_username_plain", "UPDATE users_user SET username = %s WHERE id = %s", username, user("bert").pk)


def test_usernames_are_unique() -> None:
    user("anna")
    refused("users_user_username", "UPDATE users_user SET username = 'anna' WHERE id = %s", user("bert").pk)


def test_role_grant_once() -> None:
    anna, hall = user("anna"), hall_in_preparation()
    for role, hall_id in ((Role.ADMIN, None), (Role.CASHIER, hall.pk)):
        RoleGrant.objects.create(user=anna, role=role, hall_id=hall_id)
        refused("role_grant_once", GRANT, anna.pk, role, hall_id, None)


def test_role_grant_known_role() -> None:
    refused("role_grant_known_role", GRANT, user("anna").pk, "king", None, None)


def test_role_grant_hall_where_per_hall() -> None:
    anna, hall = user("anna"), hall_in_preparation()
    refused("role_grant_hall_where_per_hall", GRANT, anna.pk, "operator", None, None)
    refused("role_grant_hall_where_per_hall", GRANT, anna.pk, "admin", hall.pk, None)


def test_role_grant_by_another() -> None:
    anna = user("anna")
    refused("role_grant_by_another", GRANT, anna.pk, "admin", None, anna.pk)


def test_idempotency_final_answers_only() -> None:
    for status in (199, 300, 409, 500):
        refused("idempotency_final_answers_only", RECORD, b"s", user(f"u{status}").pk, status, b"body", None)


def test_idempotency_body_or_reference() -> None:
    anna = user("anna")
    refused("idempotency_body_or_reference", RECORD, b"s", anna.pk, 201, None, None)
    refused("idempotency_body_or_reference", RECORD, b"s", anna.pk, 201, b"body", "{}")


def test_idempotency_scope_is_unique() -> None:
    anna = user("anna")
    with connection.cursor() as cursor:
        cursor.execute(RECORD, [b"s", anna.pk, 201, b"body", None])
    refused("scope_hash", RECORD, b"s", anna.pk, 201, b"body", None)
    assert IdempotencyRecord.objects.count() == 1

"""What the database itself refuses, whoever asks."""

from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from django.db import DatabaseError, connection, transaction

from games.halls.models import Hall, LimitSet
from tests.hall_builders import HOUR, NOON, hall_in_preparation, limits, pay_table, published_limits, published_pay_table

in_a_transaction = pytest.mark.django_db


def assert_refused(name: str, sql: str, parameters: list[Any] | None = None) -> None:
    with pytest.raises(DatabaseError, match=name), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(sql, parameters)


@in_a_transaction
@pytest.mark.parametrize(
    ("constraint", "change"),
    [
        ("hall_code_slug", "code = 'First'"),
        ("hall_name_short", "name = ' '"),
        ("hall_name_short", "name = repeat('h', 81)"),
        ("hall_currency_iso_4217", "currency = 'eur'"),
        ("hall_version_positive", "version = 0"),
        ("hall_open_since", "is_open = true, opened_at = NULL"),
        ("halls_hall_code_key", "code = 'other'"),
        ("halls_hall_public_id_key", "public_id = (SELECT public_id FROM halls_hall WHERE code = 'other')"),
    ],
)
def test_a_hall_keeps_its_shape(constraint: str, change: str) -> None:
    hall_in_preparation()
    hall_in_preparation("other")
    assert_refused(constraint, f"UPDATE halls_hall SET {change} WHERE code = 'test'")


@pytest.fixture(params=["limitset", "paytable"])
def table(request: pytest.FixtureRequest) -> str:
    """A table with one row that takes effect in an hour."""
    hall = hall_in_preparation()
    publish: Callable[..., Any] = published_limits if request.param == "limitset" else published_pay_table
    publish(hall, limits() if request.param == "limitset" else pay_table(), effective_at=NOON + HOUR)
    name: str = request.param
    return name


@in_a_transaction
@pytest.mark.parametrize(
    ("constraint", "column", "value"),
    [
        ("one_row_per_version", "version", "version"),
        ("one_row_per_time", "effective_at", "effective_at"),
        ("data_unless_withdrawn", "data", "NULL"),
        ("data_unless_withdrawn", "revision", "1"),
        ("not_in_the_past", "effective_at", "created_at - interval '1 microsecond'"),
        ("reason_given", "reason", "' '"),
        ("version_positive", "version", "0"),
        ("revision_check", "revision", "-2"),
    ],
)
def test_terms_keep_their_shape(table: str, constraint: str, column: str, value: str) -> None:
    fresh = {
        "public_id": "gen_random_uuid()",
        "hall_id": "hall_id",
        "game": "game",
        "version": "version + 1",
        "effective_at": "effective_at + interval '1 hour'",
        "revision": "revision",
        "data": "data",
        "reason": "reason",
        "author_id": "author_id",
        "created_at": "created_at",
    }
    copy = "INSERT INTO halls_{0} ({1}) SELECT {2} FROM halls_{0}"
    altered = {**fresh, column: value}
    assert_refused(f"{table}_{constraint}", copy.format(table, ", ".join(altered), ", ".join(altered.values())))
    with connection.cursor() as cursor:
        cursor.execute(copy.format(table, ", ".join(fresh), ", ".join(fresh.values())))


@in_a_transaction
@pytest.mark.parametrize("change", ["UPDATE halls_{} SET reason = 'other'", "DELETE FROM halls_{}", "TRUNCATE halls_{} CASCADE"])
def test_terms_are_never_changed(table: str, change: str) -> None:
    assert_refused("append-only|permission denied", change.format(table))


@pytest.mark.parametrize("table", ["halls_limitset", "halls_paytable"])
@pytest.mark.parametrize("change", ["UPDATE {} SET reason = 'other'", "DELETE FROM {}", "TRUNCATE {} CASCADE"])
def test_even_their_owner_cannot_change_terms(owner_connection: psycopg.Connection, table: str, change: str) -> None:
    hall = hall_in_preparation()
    published_limits(hall, limits())
    published_pay_table(hall, pay_table())
    with pytest.raises(psycopg.errors.RestrictViolation, match="append-only"):
        owner_connection.execute(change.format(table))


@in_a_transaction
def test_the_models_refuse_changes_too() -> None:
    hall = hall_in_preparation()
    row = published_limits(hall, limits())
    row.reason = "other"
    for change in (row.save, row.delete, LimitSet.objects.all().delete, lambda: LimitSet.objects.update(reason="other")):
        with pytest.raises(TypeError, match="append-only"):
            change()
    assert LimitSet.objects.get().reason == "test"
    assert Hall.objects.get().version == 2

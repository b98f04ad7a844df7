"""What the application's database role may do, asked of PostgreSQL for every table there is."""

from collections.abc import Iterator

import psycopg
import pytest
from django.apps import apps
from django.conf import settings
from django.db import connection, transaction
from django.db.utils import ProgrammingError

from casino.db import AppendOnly
from tests.databases import Server

APPEND_ONLY = {model._meta.db_table for model in apps.get_models() if issubclass(model, AppendOnly)}

_POWERS_SQL = """
    SELECT 'OWNS ' || relname FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND pg_has_role(%(role)s, relowner, 'MEMBER')
    UNION ALL
    SELECT 'OWNS ' || proname FROM pg_proc
    WHERE pronamespace = 'public'::regnamespace AND pg_has_role(%(role)s, proowner, 'MEMBER')
    UNION ALL
    SELECT 'OWNS ' || datname FROM pg_database WHERE datname = current_database() AND pg_has_role(%(role)s, datdba, 'MEMBER')
    UNION ALL
    SELECT 'CREATE in public' WHERE has_schema_privilege(%(role)s, 'public', 'CREATE')
    UNION ALL
    SELECT 'CREATE in the database' WHERE has_database_privilege(%(role)s, current_database(), 'CREATE')
    UNION ALL
    SELECT 'IS ' || attribute FROM pg_roles, LATERAL (VALUES
        (rolsuper, 'superuser'), (rolcreaterole, 'createrole'), (rolcreatedb, 'createdb'),
        (rolbypassrls, 'bypassrls'), (rolreplication, 'replication')) AS held (is_held, attribute)
    WHERE rolname = %(role)s AND is_held
"""


def powers_of(role: str) -> set[str]:
    """What would let a role go beyond the rights that it was given: ownership, creation, attributes."""
    with connection.cursor() as cursor:
        cursor.execute(_POWERS_SQL, {"role": role})
        return {power for (power,) in cursor.fetchall()}


@pytest.fixture
def role(db: None) -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_user")
        return str(cursor.fetchone()[0])


def test_the_service_connects_as_the_application_role(role: str) -> None:
    assert role == settings.DATABASE_APP_ROLE


def test_it_owns_nothing_and_can_create_nothing(role: str) -> None:
    assert powers_of(role) == set()


def statements(table: str) -> Iterator[str]:
    """What an intruder with the application's password would try on a table."""
    yield f"ALTER TABLE {table} ADD COLUMN planted integer"
    yield f"ALTER TABLE {table} DISABLE TRIGGER ALL"
    yield f"ALTER TABLE {table} OWNER TO CURRENT_USER"
    yield f"TRUNCATE {table} CASCADE"
    yield f"DROP TABLE {table} CASCADE"
    yield f"CREATE INDEX planted ON {table} ((1))"
    yield f"CREATE TRIGGER planted BEFORE INSERT ON {table} EXECUTE FUNCTION suppress_redundant_updates_trigger()"
    yield f"CREATE RULE planted AS ON INSERT TO {table} DO INSTEAD NOTHING"
    if table in APPEND_ONLY:
        yield f"DELETE FROM {table}"
        with connection.cursor() as cursor:
            columns = [column.name for column in connection.introspection.get_table_description(cursor, table)]
        yield from (f"UPDATE {table} SET {column} = {column}" for column in columns)


def test_postgresql_refuses_what_an_intruder_would_try_on_each_table(role: str) -> None:
    outside = (
        "CREATE TABLE planted ()",
        "CREATE SCHEMA planted",
        "CREATE ROLE planted",
        "SET session_replication_role = replica",
    )
    tried = [*outside, *(each for table in connection.introspection.table_names() for each in statements(table))]
    for statement in tried:
        with pytest.raises(ProgrammingError) as refusal, transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement)
        assert isinstance(refusal.value.__cause__, psycopg.errors.InsufficientPrivilege), statement
    assert len(tried) > 8 * len(connection.introspection.table_names())


PLANTED = {
    "ALTER TABLE rounds_roundrecord OWNER TO {}": "OWNS rounds_roundrecord",
    "GRANT CREATE ON SCHEMA public TO {}": "CREATE in public",
}


def test_control_a_power_too_many_is_found_and_lets_the_statements_through(
    committed_db: str, owner_connection: psycopg.Connection, database_server: Server
) -> None:
    role, table = database_server.application_role, "rounds_roundrecord"
    with psycopg.connect(database_server.url(database_server.admin_url, owner_connection.info.dbname), autocommit=True) as admin:
        for statement, power in PLANTED.items():
            assert power not in powers_of(role)
            admin.execute(statement.format(f'"{role}"').encode())
            assert power in powers_of(role)
    assert table in APPEND_ONLY
    with connection.cursor() as cursor:
        cursor.execute(next(statements(table)))
        cursor.execute("CREATE TABLE planted ()")

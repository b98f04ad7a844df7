"""The application's role may do with every table what its rights say, and nothing else."""

import re
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from django.apps import apps
from django.conf import settings
from django.db import DatabaseError, ProgrammingError, connection

from casino.db import AppendOnly
from casino.rights import SEQUENCE_RIGHTS, TABLE_RIGHTS, application_role_grant
from games.rounds.models import RoundRecord, RoundStep

WRITTEN_IN = {"wallets_transfer", "rounds_roundstep", "rounds_roundrecord"}
RIGHTS = ("SELECT", "INSERT", "UPDATE", "DELETE", "TRUNCATE", "REFERENCES", "TRIGGER")
HELD = """
    SELECT relation.relname, wanted.name FROM pg_class relation, unnest(%(rights)s::text[]) AS wanted (name)
    WHERE relation.relnamespace = 'public'::regnamespace AND relation.relkind IN ('r', 'p', 'v', 'm', 'f')
        AND has_table_privilege(%(role)s, relation.oid, wanted.name)
"""
HELD_COLUMNS = """
    SELECT relation.relname, wanted.name || ' (' || attribute.attname || ')'
    FROM pg_class relation JOIN pg_attribute attribute ON attribute.attrelid = relation.oid AND attribute.attnum > 0,
        unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'REFERENCES']) AS wanted (name)
    WHERE relation.relnamespace = 'public'::regnamespace AND relation.relkind IN ('r', 'p', 'v', 'm', 'f')
        AND has_column_privilege(%(role)s, relation.oid, attribute.attnum, wanted.name)
        AND NOT has_table_privilege(%(role)s, relation.oid, wanted.name)
"""


def held() -> set[tuple[str, str]]:
    asked: dict[str, Any] = {"role": settings.DATABASE_APP_ROLE, "rights": list(RIGHTS)}
    with connection.cursor() as cursor:
        cursor.execute(f"{HELD} UNION ALL {HELD_COLUMNS}", asked)
        return set(cursor.fetchall())


def meant() -> set[tuple[str, str]]:
    return {(table, right) for table, rights in TABLE_RIGHTS.items() for right in each_column(rights)}


def each_column(rights: str) -> Iterator[str]:
    """Take rights apart, those on several columns column by column."""
    for right, columns in re.findall(r"(\w+)(?: \(([^)]*)\))?", rights):
        yield from [f"{right} ({column})" for column in columns.split(", ")] if columns else [right]


@pytest.mark.django_db
def test_the_role_holds_exactly_the_listed_rights() -> None:
    assert held() == meant()


@pytest.mark.django_db
def test_the_role_turns_no_other_sequence() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT sequencename FROM pg_sequences WHERE schemaname = 'public'")
        names = {name for (name,) in cursor.fetchall()}
        cursor.execute(
            "SELECT name FROM unnest(%s::text[]) AS name WHERE has_sequence_privilege(name, 'USAGE, SELECT, UPDATE')",
            [list(names)],
        )
        assert {name for (name,) in cursor.fetchall()} == SEQUENCE_RIGHTS.keys() < names


def test_what_is_written_once_can_be_added_and_read_only() -> None:
    tables = {model._meta.db_table for model in apps.get_models() if issubclass(model, AppendOnly)}
    assert {TABLE_RIGHTS[table] for table in tables - WRITTEN_IN} == {"SELECT, INSERT"}
    assert TABLE_RIGHTS["wallets_transfer"] == "SELECT"


@pytest.mark.django_db
@pytest.mark.parametrize("model", [RoundStep, RoundRecord])
def test_nobody_but_the_database_says_which_transaction_wrote_a_row(model: type[AppendOnly]) -> None:
    table, columns = model._meta.db_table, [field.column for field in model._meta.concrete_fields]
    assert set(each_column(TABLE_RIGHTS[table])) == {"SELECT", *(f"INSERT ({column})" for column in columns)}
    own = f"INSERT INTO {table} (written_xid) VALUES ('1152921504606846976')"
    with pytest.raises(ProgrammingError, match=f"permission denied for table {table}"), connection.cursor() as cursor:
        cursor.execute(own)


def test_rights_that_were_given_otherwise_go_and_a_table_of_nobodys_stays_closed(owner_connection: psycopg.Connection) -> None:
    owner_connection.execute("CREATE TABLE unlisted (id bigint)")
    owner_connection.execute(f"GRANT ALL ON ALL TABLES IN SCHEMA public TO {settings.DATABASE_APP_ROLE}")
    assert ("unlisted", "DELETE") in held() and ("wallets_transfer", "TRUNCATE") in held()
    application_role_grant(apps.get_app_config("users"), using="owner")
    assert held() == meant()


def test_while_rights_change_nobody_meets_others(owner_connection: psycopg.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault in the middle leaves the role what it had."""
    owner_connection.execute(f"REVOKE ALL ON halls_hall FROM {settings.DATABASE_APP_ROLE}")
    before = held()
    monkeypatch.setitem(TABLE_RIGHTS, "wallets_transfer", "NONSENSE")
    with pytest.raises(DatabaseError, match="nonsense"):
        application_role_grant(apps.get_app_config("users"), using="owner")
    assert held() == before

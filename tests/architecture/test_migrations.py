"""The database's schema: complete, reversible, and the same forwards as after a way back."""

from io import StringIO

import pytest
from django.apps import apps
from django.core.management import call_command
from django.db import connections
from django.db.migrations.loader import MigrationLoader

from tests.architecture.source import PACKAGES

OUR_APPS = [config.label for config in apps.get_app_configs() if config.name.split(".")[0] in PACKAGES]


@pytest.mark.django_db(databases=["default", "owner"])
def test_models_and_migrations_agree() -> None:
    call_command("makemigrations", check=True, dry_run=True, verbosity=0)


def test_every_operation_can_be_reversed() -> None:
    loader = MigrationLoader(None)
    irreversible = [
        f"{key}: {operation.describe()}"
        for key, migration in loader.disk_migrations.items()
        if key[0] in OUR_APPS
        for operation in migration.operations
        if not operation.reversible
    ]
    assert irreversible == []


@pytest.mark.usefixtures("committed_db")
def test_all_the_way_back_and_forth_gives_the_same_schema() -> None:
    before = schema()
    for label in OUR_APPS:
        call_command("migrate", label, "zero", database="owner", verbosity=0)
    assert not [name for kind, name, *_ in schema() if kind == "table" and name.partition("_")[0] in OUR_APPS]
    call_command("migrate", database="owner", verbosity=0, stdout=StringIO())
    assert schema() == before


def schema() -> list[tuple[str, ...]]:
    """List tables, columns, constraints, triggers, functions and rights of the application's role."""
    with connections["owner"].cursor() as cursor:
        cursor.execute("""
            SELECT 'table', relname, '', '' FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
            UNION ALL SELECT 'column', table_name, column_name, concat_ws(' ', data_type, is_nullable, column_default)
                FROM information_schema.columns WHERE table_schema = 'public'
            UNION ALL SELECT 'constraint', conrelid::regclass::text, conname, pg_get_constraintdef(oid)
                FROM pg_constraint WHERE connamespace = 'public'::regnamespace
            UNION ALL SELECT 'index', tablename, indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'
            UNION ALL SELECT 'trigger', tgrelid::regclass::text, tgname, pg_get_triggerdef(oid)
                FROM pg_trigger WHERE NOT tgisinternal
            UNION ALL SELECT 'function', proname, '', prosrc FROM pg_proc WHERE pronamespace = 'public'::regnamespace
            UNION ALL SELECT 'right', table_name, grantee, privilege_type
                FROM information_schema.role_table_grants WHERE table_schema = 'public'
            ORDER BY 1, 2, 3, 4
        """)
        return cursor.fetchall()

"""The ledger as a Django app: it narrows what the application's role may do to accounts and transfers."""

from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.db import connections
from django.db.models.signals import post_migrate


class WalletsConfig(AppConfig):
    name = "wallets"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        post_migrate.connect(narrow_application_role, sender=self)


def narrow_application_role(sender: AppConfig, using: str = "default", **kwargs: Any) -> None:
    """Leave the role of an account only its opening and its close, of a transfer only what ``ledger_post`` does for it.

    Runs after ``casino``'s receiver, which gives the role every row of every table. The right to one column is also what
    PostgreSQL asks for a row lock.
    """
    role = settings.DATABASE_APP_ROLE
    with connections[using].cursor() as cursor:
        cursor.execute("SELECT 1 FROM pg_roles WHERE rolname = %s AND rolname <> current_user", [role])
        if cursor.fetchone() is None or "wallets_transfer" not in connections[using].introspection.table_names():
            return
        cursor.execute(f'REVOKE UPDATE, DELETE ON wallets_account FROM "{role}"')
        cursor.execute(f'GRANT UPDATE (closed_at) ON wallets_account TO "{role}"')
        cursor.execute(f'REVOKE INSERT ON wallets_transfer FROM "{role}"')
        cursor.execute(f'GRANT EXECUTE ON FUNCTION ledger_post TO "{role}"')

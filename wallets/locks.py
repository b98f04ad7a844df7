"""The only row locks on accounts that the application takes itself; posting takes its own."""

from collections.abc import Iterable

from django.db import connection

from wallets.models import Account


def accounts_lock(account_ids: Iterable[int]) -> list[Account]:
    """Hold accounts of a stored balance until the transaction ends, for a check whose answer the posting relies on.

    **Locks** Ascending by key, without blocking foreign keys. A hall's accounts are never locked; rounds come before accounts.
    **Errors** RuntimeError outside a transaction.
    """
    if not connection.in_atomic_block:
        raise RuntimeError("a lock needs the transaction that it protects")
    stored = Account.objects.filter(pk__in=account_ids, balance_minor__isnull=False)
    return list(stored.select_for_update(no_key=True, of=("self",)).order_by("pk"))

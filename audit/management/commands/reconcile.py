"""Reconcile the books from the command line."""

import sys
from typing import Any

from django.core.management.base import BaseCommand
from django.db import DEFAULT_DB_ALIAS, transaction

from audit.reconcile import books_reconcile
from casino.db import time_unlimited
from wallets.models import Account, Transfer


class Command(BaseCommand):
    """Print every deviation, each with its row; exit with 1 when there is one."""

    help = "Recount balances from transfers and rounds from steps, and name each row that deviates. Exit code 1 when any does."

    def handle(self, *args: Any, **options: Any) -> None:
        with transaction.atomic():
            time_unlimited(DEFAULT_DB_ALIAS)
            deviations = books_reconcile()
        for deviation in deviations:
            self.stdout.write(str(deviation))
        outcome = f"deviations: {len(deviations)}" if deviations else "reconciled"
        self.stdout.write(f"{Account.objects.count()} accounts, {Transfer.objects.count()} transfers: {outcome}")
        if deviations:
            sys.exit(1)

"""Seal now what is new."""

from typing import Any

from django.core.management.base import BaseCommand

from audit.seals.models import Seal
from audit.seals.tasks import seals_make


class Command(BaseCommand):
    help = "Seal what is new and add the heads to the anchor file, as the task does each minute"

    def handle(self, *args: Any, **options: Any) -> None:
        made = seals_make()
        newest = Seal.objects.order_by("-number").first()
        self.stdout.write(f"seals made: {made}; newest: {f'{newest.number} {newest.hash}' if newest else 'none'}")

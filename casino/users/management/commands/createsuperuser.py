"""There are no superusers; say what there is."""

from typing import Any, Never

from django.core.management.base import BaseCommand, CommandError


class Command(BaseCommand):
    """``manage.py createsuperuser``: Django's command would fail, since roles are granted."""

    help = "Refused: use admin_create."

    def handle(self, *args: Any, **options: Any) -> Never:
        raise CommandError("There are no superusers. Create the first admin: manage.py admin_create NAME")

"""``manage.py halls_create``: the halls that the games' documents describe."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from casino.commands import refusals_told
from casino.users.models import User
from games.engines import current_engines
from games.halls.defaults import default_halls_create


class Command(BaseCommand):
    """Create what is missing of the three halls; what is there stays as it is."""

    help = "Create and open the first hall, the second hall and VIP with the limits and pay tables of the games' documents."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--author", required=True, help="who publishes them, by user name")
        parser.add_argument("--currency", default="EUR", help="ISO 4217 (default EUR)")
        parser.add_argument("--time-zone", default="UTC", help="such as Europe/Vienna (default UTC)")

    def handle(self, *args: Any, author: str, currency: str, time_zone: str, **options: Any) -> None:
        user = User.objects.filter(username=author.lower(), is_active=True).first()
        if user is None:
            raise CommandError(f"--author: there is no active user {author}")
        engines = current_engines()
        with refusals_told():
            halls = default_halls_create(engines=engines, author=user, currency=currency, time_zone=time_zone)
        for hall in halls:
            self.stdout.write(f"{hall.code}: {hall.name}, {hall.currency}, {hall.public_id}")

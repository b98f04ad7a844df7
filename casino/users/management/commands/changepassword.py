"""Give a user another password; in place of Django's command, which would leave their tokens alive and no trace."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from casino.commands import refusals_told
from casino.users.management.commands.admin_create import password_read
from casino.users.services import password_reset


class Command(BaseCommand):
    """``manage.py changepassword NAME --reason …``: asks for a password, or reads one from standard input."""

    help = "Give a user another password and end all their tokens. The password is asked for, or read from standard input."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("username")
        parser.add_argument("--reason", required=True, help="for the audit trail")

    def handle(self, *args: Any, username: str, reason: str, **options: Any) -> None:
        with refusals_told({"username": "username"}):
            user = password_reset(username=username, new_password=password_read(), reason=reason)
        self.stdout.write(f"{user.username} has another password and no open session.")

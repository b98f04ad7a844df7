"""Create the first admin, who then grants every other role through the API."""

import getpass
import secrets
import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from casino.commands import refusals_told
from casino.permissions import Role
from casino.users.services import user_create


class Command(BaseCommand):
    """``manage.py admin_create NAME``: asks for a password, reads one from standard input, or makes and prints one."""

    help = "Create an admin. The password is asked for, or read from standard input, or with --generate made and printed."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("username")
        parser.add_argument("--generate", action="store_true", help="make a password and print it once")

    def handle(self, *args: Any, username: str, generate: bool, **options: Any) -> None:
        password = secrets.token_urlsafe(18) if generate else password_read()
        with refusals_told({"username": "username"}):
            user = user_create(actor=None, username=username, password=password, role=Role.ADMIN, reason="admin_create")
        self.stdout.write(f"Admin {user.username} created.")
        if generate:
            self.stdout.write(f"Password: {password}")


def password_read() -> str:
    """Ask for a password twice, or read one from standard input."""
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\n")
    password = getpass.getpass("Password: ")
    if getpass.getpass("Again: ") != password:
        raise CommandError("The two passwords differ.")
    return password

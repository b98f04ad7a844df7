"""Who reads what the audit has, and in whose name a command keeps or exports some of it."""

from argparse import ArgumentParser

from django.core.management.base import CommandError

from casino.permissions import Role, only
from casino.users.models import User

AUDITORS = only(Role.AUDITOR, Role.ADMIN)


def author_argument(parser: ArgumentParser, *, required: bool) -> None:
    """Let a command be told its author."""
    parser.add_argument("--author", required=required, help="the name of the auditor or admin who asks; it goes into the trail")


def author_named(username: str) -> User:
    """Find the author that a command was told. **Errors** CommandError for anybody who is no auditor or admin."""
    author = User.objects.filter(username=username.lower(), is_active=True).first()
    if author is None or not author.has_any_role({Role.AUDITOR, Role.ADMIN}):
        raise CommandError("--author: must be the name of an auditor or an admin")
    return author

#!/usr/bin/env python
"""Run an administrative command."""

import os
import pwd
import sys

from django.core.management import execute_from_command_line
from structlog.contextvars import bind_contextvars


def account() -> str:
    """Name the account of the operating system that runs this, whatever the environment says."""
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return str(os.getuid())


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "casino.settings")
    bind_contextvars(account=account())  # for the log, and for the trail where the command has no author
    execute_from_command_line(sys.argv)

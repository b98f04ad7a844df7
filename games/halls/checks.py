"""What a hall's own fields may be. Pure; each refusal names the field."""

import re
from datetime import datetime, timedelta
from zoneinfo import available_timezones

from casino.errors import InvalidInput

CODE_PATTERN = r"^[a-z0-9][a-z0-9-]{0,31}$"
CURRENCY_PATTERN = r"^[A-Z]{3}$"
NAME_LENGTH_MAX = 80
SCHEDULE_AHEAD_MAX = timedelta(days=366)
NO_PLACES = frozenset({"localtime", "Factory"})
"""Names of no zone: the clock of the machine that is asked, another on every host, and that of one that nobody has set."""


def check_code(code: str) -> None:
    if re.fullmatch(CODE_PATTERN, code) is None:
        raise InvalidInput("invalid_input", "A code is 1 to 32 lower-case letters, digits and hyphens.", field="code")


def check_currency(currency: str) -> None:
    if re.fullmatch(CURRENCY_PATTERN, currency) is None:
        raise InvalidInput("invalid_input", "A currency is three capital letters of ISO 4217.", field="currency")


def check_time_zone(time_zone: str) -> None:
    if time_zone in NO_PLACES or time_zone not in available_timezones():
        raise InvalidInput("invalid_input", "A time zone is a name such as Europe/Vienna.", field="time_zone")


def check_name(name: str) -> None:
    if not 1 <= len(name) <= NAME_LENGTH_MAX or name != name.strip() or not name.isprintable():
        message = f"One line of 1 to {NAME_LENGTH_MAX} characters, without spaces around it."
        raise InvalidInput("invalid_input", message, field="name")


def check_effective_at(effective_at: datetime | None, now: datetime) -> None:
    """Refuse to change the past, and a slip of the year."""
    if effective_at is not None and not now <= effective_at <= now + SCHEDULE_AHEAD_MAX:
        message = f"Terms take effect now or within the next {SCHEDULE_AHEAD_MAX.days} days."
        raise InvalidInput("invalid_input", message, field="effective_at")

"""Finding the one row at which a check of many fails."""

from collections.abc import Callable, Sequence

import structlog
from django.db import InterfaceError, OperationalError, ProgrammingError, transaction

from audit.continuous.reporting import unreadable_report
from audit.findings import error_text

NOT_OF_A_ROW = (OperationalError, InterfaceError, ProgrammingError, MemoryError)
"""What says nothing about the rows at hand: the server is away, or the statement is one that it refuses whatever the rows."""
logger = structlog.get_logger(__name__)


def check_apart(table: str, keys: Sequence[int], check: Callable[[Sequence[int]], int]) -> int:
    """Check rows of a table and return the number of findings; call it in a transaction.

    **Rule** Where the check itself fails, the rows are halved down to the one that makes it fail. That one is a finding, the rest
    is checked all the same: nobody hides a row behind one that cannot be read.
    """
    if not keys:
        return 0
    try:
        with transaction.atomic():
            return check(keys)
    except NOT_OF_A_ROW:
        raise
    except Exception as error:
        if len(keys) == 1:
            logger.exception("audit_cannot_read", table=table, key=keys[0])
            return unreadable_report(table, keys, error_text(error))
    middle = len(keys) // 2
    return check_apart(table, keys[:middle], check) + check_apart(table, keys[middle:], check)

"""Replaying many rounds, whatever becomes of one of them."""

from collections.abc import Sequence

import structlog
from django.db import DEFAULT_DB_ALIAS, transaction

from audit.continuous.apart import NOT_OF_A_ROW
from audit.continuous.reporting import replay_failure_report, replay_report
from audit.findings import error_text
from audit.replay import Replayer
from audit.stored import Stored, rounds_stored

logger = structlog.get_logger(__name__)


def rounds_replay(keys: Sequence[int], *, using: str = DEFAULT_DB_ALIAS, replayer: Replayer | None = None) -> int:
    """Replay closed rounds and raise findings; return how many. Call it in a transaction.

    **Rule** A round at which reading or replaying fails is a finding like any other, and the next one is replayed all the same.
    """
    replayer = replayer or Replayer()
    try:
        with transaction.atomic(using=using):
            found = rounds_stored(keys, using=using)
    except NOT_OF_A_ROW:
        raise
    except Exception as error:
        if len(keys) == 1:
            return _failed(keys[0], error)
        # Whichever it is: each by itself.
        return sum(rounds_replay([key], using=using, replayer=replayer) for key in keys)
    return sum(_replay(replayer, stored) for stored in found)


def _replay(replayer: Replayer, stored: Stored) -> int:
    try:
        report = replayer.replay(stored)
        if report.is_clean:
            return 0
        with transaction.atomic():
            return replay_report(report)
    except Exception as error:
        return _failed(stored.record.pk, error)


def _failed(round_key: int, error: Exception) -> int:
    logger.exception("replay_failed", round_key=round_key)
    return replay_failure_report(round_key, error_text(error))

"""The service of the heartbeat: say that a part is there, and give players back the time in which it was not."""

from datetime import datetime, timedelta

import structlog
from django.conf import settings

from audit.trail import audit_record
from casino import metrics
from casino.db import now as database_now
from casino.db import unit_of_work
from games.outages.gaps import Gap, Loss
from games.outages.locks import heartbeat_lock, outages_lock
from games.outages.models import Outage, Part
from games.outages.selectors import gaps_known
from games.rounds.waits import round_deadlines_move
from games.tables.waits import table_deadlines_move

FRESH = timedelta(milliseconds=500)
"""A beat that is younger need not be written again: however many processes make up a part, it beats about once a second."""
logger = structlog.get_logger(__name__)


def heartbeat_write(*, part: Part, now: datetime | None = None) -> Outage | None:
    """Write that a part is there; return the outage that this ends, if it was away too long.

    **Rule** The beat is of the moment at which it is written, however late the message that asked for it. Every deadline that was
    open when the part was last seen moves by the outage, by what no earlier outage has given back.
    **Locks** the heartbeat; with an outage also outages, then tables and rounds, each ascending.
    **Writes** the beat; with an outage also its row, deadlines, events of tables, and an audit record.
    """
    with unit_of_work():
        beat = heartbeat_lock(part, before=(now or database_now()) - FRESH)
        if beat is None:
            return None
        at = now or database_now()
        outage = None
        if beat.beat_at is not None and at - beat.beat_at > timedelta(seconds=settings.OUTAGE_AFTER_SECONDS):
            outages_lock()
            at = now or database_now()
            outage = _outage_end(part, Gap(beat.beat_at, at))
        beat.beat_at = at
        beat.save(update_fields=["beat_at"])
        return outage


def _outage_end(part: Part, gap: Gap) -> Outage:
    loss = Loss(gap, gaps_known(ended_after=gap.began_at))
    moved = table_deadlines_move(loss) + round_deadlines_move(loss)
    outage = Outage.objects.create(
        part=part, began_at=gap.began_at, ended_at=gap.ended_at, lost=loss.lost(gap.began_at), deadlines_moved=moved
    )
    audit_record(
        actor=None,
        action="outage_ended",
        subject=outage,
        before={"part": part, "seen_at": gap.began_at},
        after={"part": part, "seen_at": gap.ended_at, "lost_seconds": str(outage.lost.total_seconds()), "deadlines_moved": moved},
        reason="The time of an outage is not charged to players.",
    )
    metrics.count_on_commit(metrics.OUTAGES.labels(part))
    logger.warning("outage_ended", part=part, seconds=outage.lost.total_seconds(), deadlines_moved=moved)
    return outage

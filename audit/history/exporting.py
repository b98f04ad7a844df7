"""Exports of many rounds: begun in one transaction, then written page by page, each page read by itself.

No transaction and no cursor stays open in between, so a slow reader holds up nothing; memory holds one page.
"""

import hashlib
import time
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any

from django.db import connection
from django.db.models import BooleanField, QuerySet
from django.db.models.expressions import RawSQL
from django.db.models.functions import Now

from audit.history.lines import FORMS
from audit.history.models import Export
from audit.locks import work_lock
from audit.trail import audit_record
from casino.db import connection_rest, unit_of_work
from casino.errors import RateLimited
from casino.users.models import User
from games.rounds.history import HistoryFilter, rounds_fitting
from games.rounds.models import Round
from games.rounds.records import iso

PAGE_ROUNDS = 50
MOST_RUNNING = 4
"""Each keeps one thread of a web server busy; more at once would leave too few for play."""
SILENT_AFTER = timedelta(minutes=2)
"""An export that has not moved on for so long has died with its process, or nobody reads it, and does not count as running."""
PROGRESS_EVERY_SECONDS = 1


def export_begin(*, author: User, format: str, filters: Mapping[str, Any]) -> Export:
    """Begin an export: fix which rounds it has, count them, and note who takes what. One of the seals has none.

    **Shapes** ``filters`` are fields of ``HistoryFilter``. **Errors** RateLimited ``too_many_exports``.
    **Writes** the export and an audit record.
    """
    with unit_of_work():
        work_lock("exports")  # so that two at once do not both find the last place
        running = Export.objects.filter(status=Export.Status.RUNNING, progress_at__gt=Now() - SILENT_AFTER)
        if running.count() >= MOST_RUNNING:
            raise RateLimited("too_many_exports", retry_after_seconds=30)
        snapshot, now = _snapshot()
        export = Export(author=author, format=format, filters=_as_json(filters), snapshot=snapshot, began_at=now)
        export.rounds_total = _rounds(export, filters).count() if export.is_of_rounds else 0
        export.save(force_insert=True)
        taken = {"format": export.format, "filters": export.filters}
        audit_record(
            actor=author,
            action="rounds_exported" if export.is_of_rounds else "seals_exported",
            subject=export,
            before=None,
            after={**taken, "rounds": export.rounds_total} if export.is_of_rounds else taken,
        )
        return export


def export_lines(export: Export, *, filters: Mapping[str, Any]) -> Iterator[bytes]:
    """Write an export that has begun, a page at a time; how far it is and how it ends is kept along.

    **Rule** It is done when all rounds that were counted have been written; else the stream breaks off.
    """
    return export_kept(export, _pages(export, filters))


def _pages(export: Export, filters: Mapping[str, Any]) -> Iterator[tuple[bytes, int]]:
    form = FORMS[export.format]
    if form.header:
        yield form.header.encode(), 0
    last = 0
    while page := list(form.reading(_rounds(export, filters).filter(pk__gt=last)).order_by("pk")[:PAGE_ROUNDS]):
        yield form.lines(page).encode(), len(page)
        last = page[-1].pk


def export_kept(export: Export, chunks: Iterable[tuple[bytes, int]]) -> Iterator[bytes]:
    """Write the chunks of an export, each with the number of its rounds; how far it is and how it ends is kept along.

    No database connection is held while the reader reads.
    """
    progress = _Progress(export)
    try:
        for content, rounds in chunks:
            progress.written(content, rounds)
            connection_rest()
            yield content
        progress.ended(Export.Status.DONE)
    except GeneratorExit:
        progress.ended(Export.Status.STOPPED)
        raise
    except BaseException:
        progress.ended(Export.Status.FAILED)
        raise


class _Progress:
    """Counts what is written, and lets others know about once a second."""

    def __init__(self, export: Export) -> None:
        self.export = export
        self.digest = hashlib.sha256()
        self.told_at = time.monotonic()

    def written(self, content: bytes, rounds: int) -> None:
        self.digest.update(content)
        self.export.rounds_written += rounds
        self.export.bytes_written += len(content)
        if time.monotonic() - self.told_at > PROGRESS_EVERY_SECONDS:
            self._tell()

    def ended(self, status: Export.Status) -> None:
        is_done = status == Export.Status.DONE
        self._tell(status=status, sha256=self.digest.hexdigest() if is_done else "")

    def _tell(self, **changes: Any) -> None:
        self.told_at = time.monotonic()
        changes |= {name: getattr(self.export, name) for name in ("rounds_written", "bytes_written")}
        Export.objects.filter(pk=self.export.pk).update(progress_at=Now(), **changes)


def _snapshot() -> tuple[str, datetime]:
    """Return which transactions are over, and the time."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_current_snapshot()::text, now()")
        snapshot, now = cursor.fetchone()
    return snapshot, now


def _rounds(export: Export, filters: Mapping[str, Any]) -> QuerySet[Round]:
    """Return the rounds of an export: those that had closed when it began, and none that is committed later."""
    was_there = RawSQL(
        "pg_visible_in_snapshot(rounds_roundrecord.written_xid, %s::pg_snapshot)", [export.snapshot], output_field=BooleanField()
    )
    rounds = rounds_fitting(HistoryFilter(**filters), user=export.author, at=export.began_at)
    return rounds.filter(was_there, record__isnull=False)


def _as_json(filters: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: iso(value) if isinstance(value, datetime) else value if isinstance(value, bool | int) else str(value)
        for name, value in filters.items()
    }

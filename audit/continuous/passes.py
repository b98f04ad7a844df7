"""The full pass: everything there is, in pages, each done as a whole by whoever takes it."""

from collections.abc import Callable
from datetime import date
from itertools import pairwise
from time import monotonic

import structlog
from django.db import DEFAULT_DB_ALIAS, connection, connections, transaction
from django.db.models import Exists, OuterRef, Sum
from django.db.models.functions import Now

from audit.continuous.apart import NOT_OF_A_ROW
from audit.continuous.checking import ATTEMPTS_MAX, everything_check_apart
from audit.continuous.moments import moment_now
from audit.continuous.replaying import rounds_replay
from audit.continuous.replica import reading_alias
from audit.continuous.reporting import again_report, again_unresolved, deviations_report, unreadable_report
from audit.continuous.rows import EVERY, KEY_MAX, rows_again
from audit.findings import error_text
from audit.locks import attempt_note, work_lock, work_try_lock
from audit.models import AuditMark, AuditPage, AuditPass
from audit.reconcile import Deviation, kept_reconcile, ledger_reconcile, rounds_reconcile
from casino.db import time_unlimited
from games.rounds.models import Round, RoundRecord
from wallets.models import Transfer

PAGE_ROUNDS = 1000
_PAGES_AHEAD = 64
_WORK_MEM = "SET LOCAL work_mem = '64MB'"
_LAST_KEYS = """
    SELECT round_id FROM (SELECT round_id, row_number() OVER (ORDER BY round_id) AS place FROM rounds_roundrecord) numbered
    WHERE place %% %s = 0 ORDER BY round_id
"""
Part = AuditPage.Part
logger = structlog.get_logger(__name__)


def pass_begin(*, cause: AuditPass.Cause, night: date | None = None) -> AuditPass | None:
    """Begin a full pass and lay out its pages. None while another is under way, and for a night that has had its pass.

    **Rule** Call it in a transaction. Of two that begin at once, one waits for the other and then begins nothing.
    """
    moment = moment_now()
    made = AuditPass(cause=cause, night=night, database=moment.database, wal_position=moment.wal_position)
    AuditPass.objects.bulk_create([made], ignore_conflicts=True)
    begun = AuditPass.objects.filter(public_id=made.public_id).first()
    if begun is None:
        return None
    # What takes longest comes first: the replays fill up what the processes have left.
    pages = [AuditPage(part=Part.LEDGER), AuditPage(part=Part.ROUNDS)]
    pages += [AuditPage(part=Part.AGAIN, table_name=written.table, last_key=KEY_MAX) for written in EVERY]
    with connection.cursor() as cursor:
        cursor.execute(_LAST_KEYS, [PAGE_ROUNDS])
        ends = [0, *(key for (key,) in cursor.fetchall()), KEY_MAX]
    pages += [AuditPage(part=Part.REPLAY, first_key=a + 1, last_key=b) for a, b in pairwise(ends)]
    for page in pages:
        page.audit_pass = begun
    AuditPage.objects.bulk_create(pages)
    logger.info("audit_pass_began", audit_pass=str(begun.public_id), cause=cause, pages=len(pages))
    return begun


def pass_standing() -> AuditPass | None:
    """Return the pass that is under way in this database."""
    return AuditPass.objects.filter(ended_at=None, database=moment_now().database).first()


def pages_work(*, seconds: float | None = None) -> int:
    """Do pages of the pass under way until there are none left that nobody has, or for some seconds; return how many.

    **Rule** A page is one transaction: whoever dies leaves it undone, and another does it again. What it found is found once.
    """
    began, done = monotonic(), 0
    while (seconds is None or monotonic() - began < seconds) and (standing := pass_standing()):
        alias = reading_alias(standing)
        if alias is None or not any(page_work(page, alias) for page in _to_do(standing)):
            break
        done += 1
    if standing := pass_standing():
        _end_if_done(standing)
    return done


def page_work(page: AuditPage, alias: str = DEFAULT_DB_ALIAS) -> bool:
    """Do a page, if nobody else has it.

    **Rule** A second attempt reads the primary: a replica cancels what is in the way of its recovery, each time anew.
    **Writes** findings, the page; the attempt beforehand, for one that dies to leave.
    """
    with transaction.atomic():
        if not work_try_lock("page", page.pk) or _is_done(page) or not attempt_note(page):
            return False
    if page.attempts > 1:
        alias = DEFAULT_DB_ALIAS
    with transaction.atomic(), transaction.atomic(using=alias):
        work_lock("page", page.pk)
        if _is_done(page):
            return False
        time_unlimited(*{DEFAULT_DB_ALIAS, alias})
        with connections[alias].cursor() as cursor:
            cursor.execute(_WORK_MEM)
        page.rows, page.deviations = _attempt(page, alias)
        page.done_at = Now()
        page.save(update_fields=["rows", "deviations", "done_at"])
    _end_if_done(page.audit_pass)
    return True


def _is_done(page: AuditPage) -> bool:
    page.refresh_from_db()
    return page.done_at is not None


def _to_do(audit_pass: AuditPass) -> list[AuditPage]:
    rows = AuditPage.objects.filter(audit_pass=audit_pass, done_at=None).select_related("audit_pass")
    return list(rows.order_by("pk")[:_PAGES_AHEAD])


def _attempt(page: AuditPage, alias: str) -> tuple[int, int]:
    """Do a page, or what is left to do with one at which others died: halve it, and tell of what cannot be halved."""
    keys = _replay_keys(page, alias) if page.part == Part.REPLAY else []
    if page.attempts <= ATTEMPTS_MAX // 2 or (page.attempts <= ATTEMPTS_MAX and len(keys) <= 1):
        return _check(page, keys, alias)
    if len(keys) <= 1:
        return 0, unreadable_report(page.table_name or page.part, keys or [page.first_key])
    middle = keys[len(keys) // 2]
    halves = ((page.first_key, middle - 1), (middle, page.last_key))
    AuditPage.objects.bulk_create(
        AuditPage(audit_pass=page.audit_pass, part=page.part, first_key=first, last_key=last) for first, last in halves
    )
    return 0, 0


def _check(page: AuditPage, keys: list[int], alias: str) -> tuple[int, int]:
    """Check what a page is about; return how many rows that were, and how many findings."""
    if page.part == Part.LEDGER:
        return Transfer.objects.using(alias).count(), _recounted(page, ledger_reconcile, alias)
    if page.part == Part.ROUNDS:
        return Round.objects.using(alias).count(), _recounted(page, _rounds_and_kept, alias)
    if page.part == Part.REPLAY:
        return len(keys), rounds_replay(keys, using=alias)
    (written,) = (each for each in EVERY if each.table == page.table_name)
    mark = AuditMark.objects.filter(pk=page.table_name, database=page.audit_pass.database).first()
    if mark is None:
        return 0, 0
    # What is wrong with them the other pages find: they look at every row.
    again = again_unresolved(written, rows_again(written, mark, after=page.first_key, to=page.last_key, using=alias))
    return len(again), again_report(written, again)


def _rounds_and_kept(*, using: str) -> list[Deviation]:
    return [*rounds_reconcile(using=using), *kept_reconcile(using=using)]


def _recounted(page: AuditPage, recount: Callable[..., list[Deviation]], alias: str) -> int:
    """Recount everything at once; where that fails at some row, say so, and check row by row."""
    try:
        with transaction.atomic(), transaction.atomic(using=alias):
            return deviations_report(recount(using=alias))
    except NOT_OF_A_ROW:
        raise
    except Exception as error:
        logger.exception("audit_cannot_read", part=page.part)
        told = unreadable_report(page.part, [page.first_key], error_text(error))
    return told + everything_check_apart()


def _replay_keys(page: AuditPage, alias: str) -> list[int]:
    records = RoundRecord.objects.using(alias).filter(pk__gte=page.first_key, pk__lte=page.last_key)
    return list(records.order_by("pk").values_list("pk", flat=True))


def _end_if_done(audit_pass: AuditPass) -> None:
    """End a pass whose pages are all done. After the page's commit: of two that finish at once, the later sees both."""
    undone = AuditPage.objects.filter(audit_pass=OuterRef("pk"), done_at=None)
    if AuditPass.objects.filter(~Exists(undone), pk=audit_pass.pk, ended_at=None).update(ended_at=Now()):
        told = audit_pass.pages.aggregate(findings=Sum("deviations"))
        log = logger.error if told["findings"] else logger.info
        log("audit_pass_ended", audit_pass=str(audit_pass.public_id), **told)

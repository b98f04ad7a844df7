"""Who changed what, when and why; what the audit found amiss, and how far it has looked."""

import uuid
from typing import ClassVar

from django.conf import settings
from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVector
from django.core.serializers.json import DjangoJSONEncoder
from django.db import models
from django.db.models import Case, Func, Value, When
from django.db.models.fields.json import KT
from django.db.models.functions import Coalesce, Now

from audit.fairness.models import FairnessRun as FairnessRun
from audit.fairness.models import FairnessVerdict as FairnessVerdict
from audit.history.models import Export as Export
from audit.manifest.models import ManifestCheck as ManifestCheck
from audit.reports.models import StoredReport as StoredReport
from audit.returns.models import ReturnsDay as ReturnsDay
from audit.sightings.models import Sighting as Sighting
from casino.db import AppendOnly, TransactionIdField, times_in_calendar

SUBJECT_ID_LENGTH_MAX = 100


def words_of(text: str | Value) -> Func:
    """Leave of a text its letters and digits: PostgreSQL would take signs between words for paths, hosts, negative numbers."""
    return Func(text, Value("[^[:alnum:]]+"), Value(" "), Value("g"), function="regexp_replace", output_field=models.TextField())


class AuditRecord(AppendOnly):
    """One administrative change, written in the transaction that made it.

    The actor's name is kept beside the reference, as it was; a null actor is the system itself, or a command's account. Subject
    and hall are plain identifiers: the trail lies below everything it tells of.
    """

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    at = models.DateTimeField(db_default=Now())
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+", db_index=False)
    actor_name = models.CharField(max_length=150)
    action = models.CharField(max_length=100)
    subject_type = models.CharField(max_length=100)
    subject_id = models.CharField(max_length=SUBJECT_ID_LENGTH_MAX)
    hall_id = models.BigIntegerField(null=True)
    before = models.JSONField(null=True, encoder=DjangoJSONEncoder)
    after = models.JSONField(null=True, encoder=DjangoJSONEncoder)
    reason = models.TextField(default="", blank=True)
    request_id = models.CharField(max_length=100, default="", blank=True)

    class Meta:
        constraints = [
            times_in_calendar("audit_record_time_in_calendar", "at"),
            models.CheckConstraint(
                name="audit_record_complete",
                condition=~models.Q(actor_name="") & ~models.Q(action="") & ~models.Q(subject_type="") & ~models.Q(subject_id=""),
            ),
        ]
        indexes = [
            models.Index(name="audit_record_by_subject", fields=["subject_type", "subject_id", "id"]),
            models.Index(name="audit_record_by_hall", fields=["hall_id", "id"]),
            models.Index(name="audit_record_by_actor", fields=["actor", "id"]),
            models.Index(name="audit_record_by_action", fields=["action", "id"]),
            models.Index(name="audit_record_by_request", fields=["request_id", "id"], condition=~models.Q(request_id="")),
            models.Index(name="audit_record_by_time", fields=["at"]),
            GinIndex(name="audit_record_by_key_before", fields=["before"]),
            GinIndex(name="audit_record_by_key_after", fields=["after"]),
            GinIndex(SearchVector(words_of("reason"), config="simple"), name="audit_record_by_reason"),
        ]

    def __str__(self) -> str:
        return f"{self.actor_name} {self.action} {self.subject_type} {self.subject_id}"


ROUND = "rounds.round"
"""The type of a subject that is a round; its id is the one that everybody knows the round by."""


class AuditFinding(models.Model):
    """Something that is not as it must be, from its discovery to its resolution.

    **Rule** One is open per check and subject, however often the check fails: ``seen_at`` and ``times_seen`` tell of the repeats.
    What was found is never changed or deleted; a resolved finding stays as it is, and a new failure is a new finding.
    **Shapes** ``check_name`` names the rule that failed; ``evidence`` is what it expected, what it found, and where.
    """

    class Severity(models.TextChoices):
        NOTICE = "notice"
        WARNING = "warning"
        CRITICAL = "critical"

    class Status(models.TextChoices):
        OPEN = "open"
        OWNED = "owned"
        RESOLVED = "resolved"

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    previous_id = models.BigIntegerField(null=True)
    """The finding before it, by its key; 0 for the first: one that is taken away is missed. None: from before this was kept."""
    check_name = models.CharField(max_length=100)
    severity = models.CharField(max_length=8, choices=Severity)
    subject_type = models.CharField(max_length=100)
    subject_id = models.CharField(max_length=SUBJECT_ID_LENGTH_MAX)
    hall_id = models.BigIntegerField(null=True)
    evidence = models.JSONField(encoder=DjangoJSONEncoder)
    round_reference = models.GeneratedField(
        expression=Coalesce(KT("evidence__round_id"), Case(When(subject_type=ROUND, then="subject_id"))),
        output_field=models.TextField(null=True),
        db_persist=True,
    )
    """The round that it is about: the subject itself, or the one of the step, seat or transfer that is."""
    found_at = models.DateTimeField(db_default=Now())
    found_hash = models.CharField(max_length=64, default="", db_default="", editable=False)
    """The SHA-256 of all that was found, up to ``found_at``; the insertion fills it in."""
    seen_at = models.DateTimeField(db_default=Now())
    times_seen = models.PositiveIntegerField(default=1)
    status = models.CharField(max_length=8, choices=Status, default=Status.OPEN)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    resolution = models.TextField(default="", blank=True)
    resolved_at = models.DateTimeField(null=True)

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            times_in_calendar("audit_finding_times_in_calendar", "found_at", "seen_at", "resolved_at"),
            models.UniqueConstraint(
                name="audit_finding_one_open",
                fields=["check_name", "subject_type", "subject_id"],
                condition=~models.Q(status="resolved"),
            ),
            models.CheckConstraint(
                name="audit_finding_complete",
                condition=~models.Q(check_name="") & ~models.Q(subject_type="") & ~models.Q(subject_id=""),
            ),
            models.CheckConstraint(
                name="audit_finding_is_in_its_status",
                condition=models.Q(status="open", owner=None, resolution="", resolved_at=None)
                | models.Q(status="owned", owner__isnull=False, resolution="", resolved_at=None)
                | models.Q(status="resolved", owner__isnull=False, resolution__gt="", resolved_at__isnull=False),
            ),
            models.CheckConstraint(
                name="audit_finding_severity", condition=models.Q(severity__in=["notice", "warning", "critical"])
            ),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(name="audit_finding_unresolved", fields=["-id"], condition=~models.Q(status="resolved")),
            models.Index(name="audit_finding_by_subject", fields=["subject_type", "subject_id", "id"]),
            models.Index(name="audit_finding_by_round", fields=["round_reference", "id"]),
        ]

    def __str__(self) -> str:
        return f"{self.check_name}: {self.subject_type} {self.subject_id}"


class AuditMark(models.Model):
    """How far the continuous audit has read a table whose rows are written once.

    **Rule** Every row of an earlier transaction than ``xid`` has been read. Transactions are numbered anew in another database,
    so a mark counts only where it was set: ``database`` tells which that was, and a mark that is set anew begins an ``era``.
    """

    table_name = models.CharField(max_length=63, primary_key=True)
    database = models.CharField(max_length=100)
    era = models.PositiveIntegerField()
    xid = TransactionIdField()
    first_key = models.BigIntegerField()
    """Rows up to this key were there when the mark was set: who wrote them when is not known here."""
    set_xid = TransactionIdField()
    """No transaction had this number or a later one when the mark was set: one that has, and wrote such a row, wrote it again."""
    ahead_xid = TransactionIdField()
    """No row had a later number when the mark was set: after a restore rows may have some that are still to come here."""
    again_key = models.BigIntegerField(default=0)
    """Up to here older rows have been looked at again, in the present round over the table."""
    again_attempts = models.PositiveSmallIntegerField(default=0, db_default=0)
    """How often the look at older rows has begun without coming to its end."""
    attempts = models.PositiveSmallIntegerField(default=0)
    """How often reading has begun without coming to its end."""
    taken_at = models.DateTimeField(null=True)
    """When reading last began, if it has not come to its end."""
    moved_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            times_in_calendar("audit_mark_times_in_calendar", "taken_at", "moved_at"),
        ]


class AuditReading(AppendOnly):
    """One step of a mark: rows of transactions before ``until_xid`` have been read, and were all there before ``before_xid``.

    **Rule** So a row of that span that was written by ``before_xid`` or later has been written again. So has one up to
    ``last_key`` where keys are drawn in order: all of those had been drawn by then.
    """

    table_name = models.CharField(max_length=63)
    era = models.PositiveIntegerField()
    until_xid = TransactionIdField()
    before_xid = TransactionIdField()
    last_key = models.BigIntegerField(default=0, db_default=0)
    rows = models.PositiveIntegerField()
    read_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            times_in_calendar("audit_reading_time_in_calendar", "read_at"),
            models.UniqueConstraint(name="audit_reading_once", fields=["table_name", "era", "until_xid"]),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(name="audit_reading_by_moment", fields=["table_name", "era", "before_xid", "last_key"]),
        ]


class AuditPass(models.Model):
    """A look at everything there is, page by page, by as many processes as there are; it is over when every page is done."""

    class Cause(models.TextChoices):
        NIGHT = "night"
        MARKS = "marks"
        ASKED = "asked"

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    cause = models.CharField(max_length=8, choices=Cause)
    night = models.DateField(null=True, unique=True)
    database = models.CharField(max_length=100)
    wal_position = models.CharField(max_length=20)
    """What a replica must have replayed before anything is read there."""
    began_at = models.DateTimeField(db_default=Now())
    ended_at = models.DateTimeField(null=True)

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            times_in_calendar("audit_pass_times_in_calendar", "began_at", "ended_at"),
            models.UniqueConstraint(name="audit_pass_one_at_a_time", fields=["database"], condition=models.Q(ended_at=None)),
        ]


class AuditPage(models.Model):
    """A part of a full pass that is done as a whole: one kind of check over the rows from one key to another."""

    class Part(models.TextChoices):
        LEDGER = "ledger"
        ROUNDS = "rounds"
        AGAIN = "again"
        REPLAY = "replay"

    audit_pass = models.ForeignKey(AuditPass, models.PROTECT, related_name="pages", db_index=False)
    part = models.CharField(max_length=6, choices=Part)
    table_name = models.CharField(max_length=63, default="", blank=True)
    first_key = models.BigIntegerField(default=0)
    last_key = models.BigIntegerField(default=0)
    attempts = models.PositiveSmallIntegerField(default=0)
    taken_at = models.DateTimeField(null=True)
    rows = models.PositiveIntegerField(default=0)
    deviations = models.PositiveIntegerField(default=0)
    done_at = models.DateTimeField(null=True)

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            times_in_calendar("audit_page_times_in_calendar", "taken_at", "done_at"),
            models.UniqueConstraint(name="audit_page_once", fields=["audit_pass", "part", "table_name", "first_key", "last_key"]),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(name="audit_page_to_do", fields=["audit_pass", "id"], condition=models.Q(done_at=None)),
        ]

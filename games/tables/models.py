"""Tables, who sits at them, and what happened there. The rounds of a table are rows of ``games.rounds``."""

import uuid
from datetime import datetime
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from casino.db import AppendOnly


class Table(models.Model):
    """Seats for one game in a hall. What is agreed is fixed when it is made: convention, stake, number of seats, rake.

    ``seq`` is the last event's; every change of the table or of its seats writes one.
    """

    class Status(models.TextChoices):
        OPEN = "open"
        CLOSED = "closed"

    id = models.BigAutoField(primary_key=True)
    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    hall = models.ForeignKey("halls.Hall", models.PROTECT, related_name="+", db_index=False)
    game = models.CharField(max_length=40)
    convention: "models.JSONField[dict[str, object], dict[str, object]]" = models.JSONField()
    """Every setting that the game's rules leave to the table, with the stake, complete."""
    stake_kind = models.CharField(max_length=40)
    stake_minor = models.BigIntegerField()
    most_to_lose_minor = models.BigIntegerField()
    seats = models.PositiveSmallIntegerField()
    rake: "models.JSONField[dict[str, object], dict[str, object]]" = models.JSONField()
    allows_spectators = models.BooleanField()
    status = models.CharField(max_length=6, choices=Status, default=Status.OPEN)
    seq = models.PositiveIntegerField(default=0)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", db_index=False)
    created_at = models.DateTimeField()
    empty_since = models.DateTimeField(null=True)
    closes_at = models.DateTimeField(null=True)
    """When it closes by itself if nobody comes."""
    closed_at = models.DateTimeField(null=True)

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(condition=Q(seats__gte=2), name="tables_table_for_several"),
            models.CheckConstraint(condition=Q(stake_minor__gte=1), name="tables_table_stake_positive"),
            models.CheckConstraint(
                condition=Q(status="open", closed_at=None) | Q(status="closed", closed_at__isnull=False),
                name="tables_table_closed_has_a_time",
            ),
            models.CheckConstraint(
                condition=Q(closes_at=None) | Q(status="open", empty_since__isnull=False), name="tables_table_closes_when_empty"
            ),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["hall", "game", "-id"], condition=Q(status="open"), name="tables_table_open_in_hall"),
            models.Index(fields=["closes_at"], condition=Q(status="open"), name="tables_table_empty"),
            models.Index(fields=["created_by"], condition=Q(status="open"), name="tables_table_open_of_user"),
        ]

    def __str__(self) -> str:
        return f"{self.game} table {self.public_id}"


class TableSeat(models.Model):
    """A player's stay at a table.

    ``ready_by`` is when one who is not ready loses the seat; it runs since ``waiting_since``. Who is ready keeps it until the
    round opens or a seat gets free, so that taking readiness back buys no time.
    """

    id = models.BigAutoField(primary_key=True)
    table = models.ForeignKey(Table, models.PROTECT, related_name="stays", db_index=False)
    index = models.PositiveSmallIntegerField()
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", db_index=False)
    is_ready = models.BooleanField(default=False)
    client_seed = models.CharField(max_length=64, blank=True)
    ready_by = models.DateTimeField(null=True)
    waiting_since = models.DateTimeField(null=True)
    sat_at = models.DateTimeField()
    left_at = models.DateTimeField(null=True)

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["table", "index"], condition=Q(left_at=None), name="tables_seat_taken_once"),
            models.UniqueConstraint(fields=["table", "user"], condition=Q(left_at=None), name="tables_seat_one_per_player"),
            models.CheckConstraint(
                condition=Q(ready_by=None, waiting_since=None) | Q(ready_by__isnull=False, waiting_since__isnull=False),
                name="tables_seat_waits_since_a_moment",
            ),
            models.CheckConstraint(
                condition=Q(left_at=None) | Q(is_ready=False, ready_by=None), name="tables_seat_left_waits_for_none"
            ),
            models.CheckConstraint(
                condition=Q(left_at=None) | Q(left_at__gte=F("sat_at")), name="tables_seat_left_after_sitting"
            ),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["user"], condition=Q(left_at=None), name="tables_seat_of_user"),
            models.Index(fields=["ready_by"], condition=Q(ready_by__isnull=False), name="tables_seat_ready_due"),
            models.Index(fields=["table"], condition=Q(left_at=None, is_ready=False, ready_by=None), name="tables_seat_unasked"),
        ]

    @property
    def awaited_by(self) -> datetime | None:
        """When the seat is lost; None for one who is ready, or whom nobody waits for."""
        return None if self.is_ready else self.ready_by


class TableEvent(AppendOnly):
    """One thing that happened at a table, for everybody who may see the table: its history, and what streams send."""

    class Kind(models.TextChoices):
        OPENED = "table_opened"
        SAT = "seat_taken"
        LEFT = "seat_left"
        LOST = "seat_lost"
        READY = "seat_ready"
        NOT_READY = "seat_not_ready"
        UNFUNDED = "seat_unfunded"
        AWAITED = "players_awaited"
        ROUND_OPENED = "round_opened"
        DEADLINES_MOVED = "deadlines_moved"
        CLOSED = "table_closed"

    id = models.BigAutoField(primary_key=True)
    table = models.ForeignKey(Table, models.PROTECT, related_name="events", db_index=False)
    seq = models.PositiveIntegerField()
    at = models.DateTimeField()
    kind = models.CharField(max_length=20, choices=Kind)
    data: "models.JSONField[dict[str, object], dict[str, object]]" = models.JSONField()

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["table", "seq"], name="tables_event_seq"),
        ]

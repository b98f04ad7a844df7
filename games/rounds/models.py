"""Commitments, rounds, their seats, steps and records.

A round is one game for money. What is hidden from anybody while it is open (seed, state, actions, events, moves) lies in
``secret`` columns, encrypted; the plain record is written when it closes.
"""

import uuid
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

from casino.db import AppendOnly, times_in_calendar


class Commitment(models.Model):
    """A pair (round id, hash of the seed) that players read before choosing anything.

    One is unused for each player, hall and game, and one for each table.
    """

    class Status(models.TextChoices):
        UNUSED = "unused"
        USED = "used"
        DISCARDED = "discarded"

    round_id = models.UUIDField(primary_key=True, default=uuid.uuid4)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+", db_index=False)
    table = models.ForeignKey("tables.Table", models.PROTECT, null=True, related_name="+", db_index=False)
    hall = models.ForeignKey("halls.Hall", models.PROTECT, related_name="+", db_index=False)
    game = models.CharField(max_length=40)
    status = models.CharField(max_length=9, choices=Status, default=Status.UNUSED)
    seed_hash = models.CharField(max_length=64)
    seed_secret = models.BinaryField()
    follows = models.OneToOneField("self", models.PROTECT, null=True, related_name="next")
    discard_reason = models.TextField(blank=True)
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            times_in_calendar("rounds_commitment_time_in_calendar", "created_at"),
            models.UniqueConstraint(
                fields=["user", "hall", "game"], condition=Q(status="unused"), name="rounds_commitment_one_unused"
            ),
            models.UniqueConstraint(fields=["table"], condition=Q(status="unused"), name="rounds_commitment_one_unused_at_table"),
            models.CheckConstraint(
                condition=Q(user=None, table__isnull=False) | Q(user__isnull=False, table=None),
                name="rounds_commitment_of_a_player_or_a_table",
            ),
            models.CheckConstraint(
                condition=Q(status="discarded", discard_reason__gt="") | (~Q(status="discarded") & Q(discard_reason="")),
                name="rounds_commitment_discarded_for_a_reason",
            ),
        ]


class Round(models.Model):
    """One game for money in a hall, played by one engine version under the limit set and pay table of its opening.

    With a ``table`` it is played among the players there, else by one player against the house.
    """

    class Status(models.TextChoices):
        OPEN = "open"
        SETTLED = "settled"
        VOIDED = "voided"

    id = models.BigAutoField(primary_key=True)
    commitment = models.OneToOneField(Commitment, models.PROTECT, related_name="round")
    game = models.CharField(max_length=40)
    rules_version = models.PositiveIntegerField()
    engine_digest = models.CharField(max_length=64)
    hall = models.ForeignKey("halls.Hall", models.PROTECT, related_name="rounds", db_index=False)
    table = models.ForeignKey("tables.Table", models.PROTECT, null=True, related_name="rounds", db_index=False)
    limit_set = models.ForeignKey("halls.LimitSet", models.PROTECT, related_name="+", db_index=False)
    pay_table = models.ForeignKey("halls.PayTable", models.PROTECT, related_name="+", db_index=False)
    escrow = models.OneToOneField("wallets.Account", models.PROTECT, related_name="+")
    currency = models.CharField(max_length=3)
    head = models.JSONField()
    """What was fixed before the first step, as the record has it; its hash begins the chain."""
    status = models.CharField(max_length=8, choices=Status, default=Status.OPEN)
    seq = models.PositiveIntegerField(default=0)
    last_hash = models.CharField(max_length=64)
    state_secret = models.BinaryField()
    opened_at = models.DateTimeField()
    acted_at = models.DateTimeField()
    """What is counted from a player's last action is counted from here; outages move it on."""
    closed_at = models.DateTimeField(null=True)
    house_id: int
    """The key of the account that the round is played from; the round's lock reads it along."""

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            times_in_calendar("rounds_round_times_in_calendar", "opened_at", "acted_at", "closed_at"),
            models.CheckConstraint(
                condition=Q(status="open", closed_at=None) | (~Q(status="open") & Q(closed_at__isnull=False)),
                name="rounds_round_closed_has_a_time",
            ),
            models.UniqueConstraint(
                fields=["table"], condition=Q(status="open", table__isnull=False), name="rounds_round_one_open_per_table"
            ),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["hall", "-id"], name="rounds_round_of_hall"),
            models.Index(fields=["table", "-id"], condition=Q(table__isnull=False), name="rounds_round_of_table"),
            models.Index(fields=["-id"], condition=Q(status="open"), name="rounds_round_open"),
            models.Index(fields=["-id"], condition=Q(status="voided"), name="rounds_round_voided"),
            models.Index(fields=["game", "-id"], name="rounds_round_of_game"),
            models.Index(fields=["opened_at"], name="rounds_round_by_opening"),
            models.Index(fields=["closed_at"], condition=Q(closed_at__isnull=False), name="rounds_round_by_closing"),
        ]

    @property
    def public_id(self) -> uuid.UUID:
        """The id that was committed to before the round, and that everybody outside knows it by."""
        return self.commitment_id


class RoundSeat(models.Model):
    """A player's place in a round: whose turn number it is, since when and until when it is waited for, how many turns in a row
    the system played for it, and what is in escrow for it."""

    round = models.ForeignKey(Round, models.PROTECT, related_name="seats", db_index=False)
    index = models.PositiveSmallIntegerField()
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", db_index=False)
    hall = models.ForeignKey("halls.Hall", models.PROTECT, related_name="+", db_index=False)
    table = models.ForeignKey("tables.Table", models.PROTECT, null=True, related_name="+", db_index=False)
    account = models.ForeignKey("wallets.Account", models.PROTECT, related_name="seats", db_index=False)
    client_seed = models.CharField(max_length=64, blank=True)
    is_open = models.BooleanField(default=True)
    turn = models.PositiveIntegerField(default=0)
    deadline = models.DateTimeField(null=True)
    waiting_since = models.DateTimeField(null=True)
    missed = models.PositiveIntegerField(default=0)
    hidden_steps = models.PositiveIntegerField(default=0)
    staked_minor = models.BigIntegerField(default=0)
    returned_minor = models.BigIntegerField(default=0)
    held_minor = models.BigIntegerField(default=0)

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            times_in_calendar("rounds_seat_times_in_calendar", "deadline", "waiting_since"),
            models.UniqueConstraint(fields=["round", "index"], name="rounds_seat_once"),
            models.UniqueConstraint(
                fields=["user", "hall"],
                condition=Q(is_open=True, table=None),
                name="rounds_seat_one_open_per_player_and_hall",
            ),
            models.UniqueConstraint(
                fields=["user", "table"],
                condition=Q(is_open=True, table__isnull=False),
                name="rounds_seat_one_open_per_player_and_table",
            ),
            models.CheckConstraint(
                condition=Q(is_open=True) | Q(deadline=None, held_minor=0), name="rounds_seat_closed_is_empty"
            ),
            models.CheckConstraint(
                condition=Q(deadline=None, waiting_since=None) | Q(deadline__isnull=False, waiting_since__isnull=False),
                name="rounds_seat_waits_since_a_moment",
            ),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["deadline"], condition=Q(deadline__isnull=False), name="rounds_seat_due"),
            models.Index(fields=["user", "-round"], name="rounds_seat_of_user"),
            models.Index(fields=["account"], condition=Q(is_open=True), name="rounds_seat_holding"),
            # Money as it stood at the end: rows get into these once, when their round closes.
            models.Index(fields=["staked_minor"], condition=Q(is_open=False), name="rounds_seat_by_staked"),
            models.Index(fields=["returned_minor"], condition=Q(is_open=False), name="rounds_seat_by_returned"),
            models.Index(F("returned_minor") - F("staked_minor"), condition=Q(is_open=False), name="rounds_seat_by_net"),
        ]


class RoundStep(AppendOnly):
    """One step of a round, chained by hash to the one before; what it shows of the cards is encrypted."""

    class Origin(models.TextChoices):
        PLAYER = "player"
        TIMEOUT = "timeout"
        SYSTEM = "system"

    id = models.BigAutoField(primary_key=True)
    round = models.ForeignKey(Round, models.PROTECT, related_name="steps", db_index=False)
    seq = models.PositiveIntegerField()
    at = models.DateTimeField()
    seat = models.PositiveSmallIntegerField(null=True)
    turn = models.PositiveIntegerField(null=True)
    origin = models.CharField(max_length=7, choices=Origin)
    secret = models.BinaryField()
    previous_hash = models.CharField(max_length=64)
    hash = models.CharField(max_length=64)
    available_minor = models.BigIntegerField(null=True)

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            times_in_calendar("rounds_step_time_in_calendar", "at"),
            models.UniqueConstraint(fields=["round", "seq"], name="rounds_step_seq"),
            models.UniqueConstraint(fields=["round", "seat", "turn"], name="rounds_step_one_per_turn"),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["-round"], condition=Q(origin="timeout"), name="rounds_step_automatic"),
        ]


class RoundRecord(AppendOnly):
    """The ``casino-round/1`` document of a closed round, byte for byte as it is exported."""

    round = models.OneToOneField(Round, models.PROTECT, primary_key=True, related_name="record")
    document = models.TextField()
    record_hash = models.CharField(max_length=64)

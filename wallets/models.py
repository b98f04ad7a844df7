"""Accounts and the transfers between them.

What must always hold is said by named constraints here and by the triggers of ``migrations/0002_ledger.sql``.
"""

from typing import ClassVar

from django.conf import settings
from django.contrib.postgres.indexes import BrinIndex
from django.db import models
from django.db.models import F, Func, Q
from django.db.models.functions import Now

from casino.db import AppendOnly, times_in_calendar

AMOUNT_MAX_MINOR = 2**53 - 1  # what every JSON reader takes without loss
PAID_IN_MAX_MINOR = 2**52  # a balance up to which money is paid in and rounds are opened: what is won always fits


class AccountKind(models.TextChoices):
    """Whose money an account holds."""

    PLAYER = "player"
    ESCROW = "escrow"
    HOUSE = "house"
    RAKE = "rake"
    CAGE = "cage"


HALL_KINDS = (AccountKind.HOUSE, AccountKind.RAKE, AccountKind.CAGE)
_STORED = Q(balance_minor__isnull=False, sequence__isnull=False)
_SUMMED = Q(balance_minor__isnull=True, sequence__isnull=True)


class Account(models.Model):
    """A place where money is: a player's, a round's escrow, or a hall's house, rake or cage.

    **Rule** Player and escrow accounts store a balance, never negative, and count their transfers. A hall's accounts store
    neither, as a row that every round changes would make rounds wait for each other: their balance is the sum of their transfers.
    **Rule** Balance and sequence change by the insertion of a transfer, in no other way. A closed escrow is empty and stays so.
    """

    public_id = models.UUIDField(db_default=Func(function="gen_random_uuid"), unique=True, editable=False)
    kind = models.CharField(max_length=6, choices=AccountKind)
    currency = models.CharField(max_length=3)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="accounts", db_index=False)
    hall = models.ForeignKey("halls.Hall", models.PROTECT, null=True, related_name="accounts", db_index=False)
    round_reference = models.UUIDField(null=True)
    balance_minor = models.BigIntegerField(null=True)
    sequence = models.BigIntegerField(null=True)
    opened_at = models.DateTimeField(db_default=Now())
    closed_at = models.DateTimeField(null=True)

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            times_in_calendar("account_times_in_calendar", "opened_at", "closed_at"),
            models.CheckConstraint(name="account_currency_code", condition=Q(currency__regex=r"^[A-Z]{3}$")),
            models.CheckConstraint(
                name="account_fits_kind",
                condition=Q(kind="player", user__isnull=False, hall__isnull=True, round_reference__isnull=True) & _STORED
                | Q(kind="escrow", user__isnull=True, hall__isnull=True, round_reference__isnull=False) & _STORED
                | Q(kind__in=HALL_KINDS, user__isnull=True, hall__isnull=False, round_reference__isnull=True) & _SUMMED,
            ),
            models.CheckConstraint(
                name="account_balance_in_bounds", condition=Q(balance_minor__gte=0, balance_minor__lte=AMOUNT_MAX_MINOR)
            ),
            models.CheckConstraint(
                name="account_closed_empty", condition=Q(closed_at__isnull=True) | Q(kind="escrow", balance_minor=0)
            ),
            models.UniqueConstraint(name="account_one_per_player", fields=["user", "currency"], condition=Q(kind="player")),
            models.UniqueConstraint(
                name="account_one_per_round", fields=["round_reference", "currency"], condition=Q(kind="escrow")
            ),
            models.UniqueConstraint(
                name="account_one_per_hall", fields=["hall", "kind", "currency"], condition=Q(kind__in=HALL_KINDS)
            ),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(name="account_open_escrow", fields=["id"], condition=Q(kind="escrow", closed_at__isnull=True)),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.currency} {self.public_id}"


class Transfer(AppendOnly):
    """One positive amount from one account to another, for ever. Corrections are further transfers.

    ``index`` is the place among the transfers posted together; ``step_id`` the round step that caused them. On a side that stores
    a balance, ``…_balance_after_minor`` and ``…_sequence`` are that account's after this transfer; the insertion fills them in.

    The accounts carry no foreign key: its check would lock the hall's account in every round. The insertion trigger reads both
    accounts instead, and accounts cannot be deleted.
    """

    public_id = models.UUIDField(db_default=Func(function="gen_random_uuid"), unique=True, editable=False)
    at = models.DateTimeField()
    step_id = models.BigIntegerField(null=True)
    index = models.SmallIntegerField()
    debit_account = models.ForeignKey(Account, models.PROTECT, related_name="debits", db_constraint=False, db_index=False)
    credit_account = models.ForeignKey(Account, models.PROTECT, related_name="credits", db_constraint=False, db_index=False)
    amount_minor = models.BigIntegerField()
    currency = models.CharField(max_length=3)
    code = models.CharField(max_length=40)
    reference = models.CharField(max_length=100, blank=True)
    reversal_of = models.ForeignKey("self", models.PROTECT, null=True, related_name="reversals", db_index=False)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+", db_index=False)
    debit_balance_after_minor = models.BigIntegerField(null=True)
    debit_sequence = models.BigIntegerField(null=True)
    credit_balance_after_minor = models.BigIntegerField(null=True)
    credit_sequence = models.BigIntegerField(null=True)

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            times_in_calendar("transfer_time_in_calendar", "at"),
            models.CheckConstraint(
                name="transfer_amount_in_bounds", condition=Q(amount_minor__gte=1, amount_minor__lte=AMOUNT_MAX_MINOR)
            ),
            models.CheckConstraint(name="transfer_between_two_accounts", condition=~Q(debit_account=F("credit_account"))),
            models.CheckConstraint(name="transfer_has_code", condition=~Q(code="")),
            models.UniqueConstraint(
                name="transfer_step_posted_once", fields=["step_id", "index"], condition=Q(step_id__isnull=False)
            ),
            models.UniqueConstraint(
                name="transfer_reversed_once", fields=["reversal_of"], condition=Q(reversal_of__isnull=False)
            ),
            models.UniqueConstraint(
                name="transfer_debit_sequence",
                fields=["debit_account", "debit_sequence"],
                condition=Q(debit_sequence__isnull=False),
            ),
            models.UniqueConstraint(
                name="transfer_credit_sequence",
                fields=["credit_account", "credit_sequence"],
                condition=Q(credit_sequence__isnull=False),
            ),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(name="transfer_hall_debits", fields=["debit_account", "id"], condition=Q(debit_sequence__isnull=True)),
            models.Index(
                name="transfer_hall_credits", fields=["credit_account", "id"], condition=Q(credit_sequence__isnull=True)
            ),
            BrinIndex(name="transfer_by_time", fields=["at"], pages_per_range=32, autosummarize=True),
            models.Index(name="transfer_by_author", fields=["created_by", "id"], condition=Q(created_by__isnull=False)),
        ]

    def __str__(self) -> str:
        return f"{self.code} {self.amount_minor} {self.currency}"


class Direction(models.TextChoices):
    """Whether a transfer brings an account money or takes it."""

    IN = "in"
    OUT = "out"


class StatementLine(models.Model):
    """A transfer as one of its two accounts sees it: a row of a view, never written. Ask for the lines of one account."""

    transfer = models.OneToOneField(Transfer, models.DO_NOTHING, primary_key=True, related_name="+")
    account = models.ForeignKey(Account, models.DO_NOTHING, related_name="lines")
    counterpart = models.ForeignKey(Account, models.DO_NOTHING, related_name="+")
    direction = models.CharField(max_length=3, choices=Direction)
    amount_minor = models.BigIntegerField()
    sequence = models.BigIntegerField(null=True)
    balance_after_minor = models.BigIntegerField(null=True)
    counterpart_sequence = models.BigIntegerField(null=True)

    class Meta:
        managed = False
        db_table = "wallets_statement"

    def __str__(self) -> str:
        return f"{self.account} {self.direction} {self.amount_minor}"

    @property
    def balance_before_minor(self) -> int | None:
        """The account's balance before the transfer, where it stores one."""
        if self.balance_after_minor is None:
            return None
        return self.balance_after_minor + (self.amount_minor if self.direction == Direction.OUT else -self.amount_minor)

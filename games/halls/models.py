"""Halls, and the terms they play by: rows that are published, never edited."""

import uuid
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import F, Func, Q
from django.db.models.lookups import Exact

from casino.db import AppendOnly
from games.halls.checks import CODE_PATTERN, CURRENCY_PATTERN


class Hall(models.Model):
    """A room of the casino with one currency. Its ``version`` grows with every change of it or of what hangs on it."""

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    code = models.TextField(unique=True)
    name = models.TextField()
    currency = models.CharField(max_length=3)
    time_zone = models.TextField()
    is_open = models.BooleanField(default=False)
    opened_at = models.DateTimeField(null=True)
    """When it last opened; a hall that never did is in preparation and not shown to players."""
    edge_bands: "models.JSONField[Any, Any]" = models.JSONField(default=dict, db_default={})
    """The house's edges that it allows, where they are not the default ones: see ``games.halls.edges``."""
    version = models.BigIntegerField(default=1)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Exact(Func(F("edge_bands"), function="jsonb_typeof", output_field=models.TextField()), "object"),
                name="hall_edge_bands_object",
            ),
            models.CheckConstraint(condition=Q(code__regex=CODE_PATTERN), name="hall_code_slug"),
            models.CheckConstraint(condition=Q(name__regex=r"^\S(.{0,78}\S)?$"), name="hall_name_short"),
            models.CheckConstraint(condition=Q(currency__regex=CURRENCY_PATTERN), name="hall_currency_iso_4217"),
            models.CheckConstraint(condition=Q(version__gte=1), name="hall_version_positive"),
            models.CheckConstraint(condition=Q(is_open=False) | Q(opened_at__isnull=False), name="hall_open_since"),
        ]

    def __str__(self) -> str:
        return self.name


class Terms(AppendOnly):
    """What a hall offers for one game from a moment on, until the next row takes effect.

    **Shapes** ``data`` is JSON by the game's own schema, so that a new game needs no migration. Rows with one effective time are
    its revisions: an even one is published, an odd one (without data) withdraws the one before it; the highest counts.
    """

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    hall = models.ForeignKey(Hall, on_delete=models.PROTECT, related_name="+", db_index=False)
    game = models.TextField()
    version = models.IntegerField()
    """Numbers the rows of a hall and game in the order of their writing, from 1."""
    effective_at = models.DateTimeField()
    revision = models.PositiveSmallIntegerField(default=0)
    data: "models.JSONField[Any, Any]" = models.JSONField(null=True)
    reason = models.TextField()
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField()

    class Meta:
        abstract = True
        constraints = [
            models.UniqueConstraint(fields=["hall", "game", "version"], name="%(class)s_one_row_per_version"),
            models.UniqueConstraint(fields=["hall", "game", "effective_at", "revision"], name="%(class)s_one_row_per_time"),
            models.CheckConstraint(
                condition=Q(Exact(F("revision") % 2, 0), data__isnull=False) | Q(Exact(F("revision") % 2, 1), data__isnull=True),
                name="%(class)s_data_unless_withdrawn",
            ),
            models.CheckConstraint(condition=Q(effective_at__gte=F("created_at")), name="%(class)s_not_in_the_past"),
            models.CheckConstraint(condition=Q(reason__regex=r"\S"), name="%(class)s_reason_given"),
            models.CheckConstraint(condition=Q(version__gte=1), name="%(class)s_version_positive"),
        ]

    def __str__(self) -> str:
        return f"{self.game} {self.version} of hall {self.hall_id}"


class LimitSet(Terms):
    """The stakes, timers and caps of one game in one hall."""


class PayTable(Terms):
    """What each combination of one game pays in one hall."""


class PayTableFigures(AppendOnly):
    """The exact mathematics that a pay table was published with, where the house has an edge in the game."""

    pay_table = models.OneToOneField(PayTable, on_delete=models.PROTECT, primary_key=True, related_name="figures")
    data: "models.JSONField[Any, Any]" = models.JSONField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Exact(Func(F("data"), function="jsonb_typeof", output_field=models.TextField()), "object"),
                name="paytablefigures_object",
            )
        ]

    def __str__(self) -> str:
        return f"figures of pay table {self.pay_table_id}"

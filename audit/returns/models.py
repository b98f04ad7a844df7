"""The sums of finished days."""

from datetime import date
from typing import Any, ClassVar

from django.db import models

from casino.db import AppendOnly


class ReturnsDay(AppendOnly):
    """What the settled rounds of one day staked and got back: one kind of bet, one stake level, one pay table.

    **Rule** A day (UTC, by the rounds' closing) is summed once, in one transaction, when it is over: closed rounds never change.
    A new pay table, or new rules, is a new series and never added to another one.
    **Shapes** ``backs`` is what ``audit.returns.sums.backs_json`` writes.
    """

    day: "models.DateField[date, date]" = models.DateField()
    hall = models.ForeignKey("halls.Hall", models.PROTECT, related_name="+", db_index=False)
    game = models.CharField(max_length=40)
    rules_version = models.PositiveIntegerField()
    pay_table = models.ForeignKey("halls.PayTable", models.PROTECT, related_name="+", db_index=False)
    series = models.CharField(max_length=40)
    level_minor = models.BigIntegerField()
    plays = models.BigIntegerField()
    staked_minor = models.BigIntegerField()
    returned_minor = models.BigIntegerField()
    stake_squares = models.DecimalField(max_digits=60, decimal_places=0)
    net_squares = models.DecimalField(max_digits=60, decimal_places=0)
    backs: "models.JSONField[Any, Any]" = models.JSONField()

    class Meta:
        app_label = "audit"
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                name="audit_returns_day_once",
                fields=["day", "hall", "game", "rules_version", "pay_table", "series", "level_minor"],
            ),
            models.CheckConstraint(
                name="audit_returns_day_counts",
                condition=models.Q(
                    plays__gte=1, level_minor__gte=1, staked_minor__gte=0, stake_squares__gte=0, net_squares__gte=0
                ),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.day} {self.game} {self.series} from {self.level_minor}"

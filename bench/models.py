"""The yardstick's two tables: a row to lock and change, and one to add."""

from typing import ClassVar

from django.db import models


class Counter(models.Model):
    """A row that a request locks and changes."""

    amount = models.BigIntegerField(default=0)
    objects: ClassVar[models.Manager["Counter"]] = models.Manager()

    class Meta:
        app_label = "bench"


class Entry(models.Model):
    """A row that a request adds."""

    counter = models.ForeignKey(Counter, models.PROTECT)
    amount = models.BigIntegerField()
    at = models.DateTimeField(auto_now_add=True)
    objects: ClassVar[models.Manager["Entry"]] = models.Manager()

    class Meta:
        app_label = "bench"

"""Seals, the leaves and nodes of the tree that they are heads of, and how each head came to be known outside."""

from typing import Any, ClassVar

from django.db import models
from django.db.models import Q

from audit.seals import heads
from casino.db import AppendOnly


class StoredTimeField(models.DateTimeField):
    """A time that can be read whatever somebody wrote: what is none in Python, infinity or the year 20000, as the nearest."""

    def select_format(self, compiler: Any, sql: str, params: Any) -> tuple[str, Any]:
        return f"LEAST(GREATEST({sql}, '1000-01-01Z'::timestamptz), '9999-12-31Z'::timestamptz)", params

    def deconstruct(self) -> Any:
        name, _, args, kwargs = super().deconstruct()
        return name, "django.db.models.DateTimeField", args, kwargs


class Seal(AppendOnly):
    """A head of the tree: all that was sealed so far, as one hash, chained to the seal before.

    ``mark`` is the transaction below which everything was sealed by then; 0 while rows from before the first seal, or from before
    a restore, are still waiting. ``edge`` is all that the next seal needs of the tree.
    """

    number = models.BigIntegerField(primary_key=True)
    at = StoredTimeField()
    system_identifier = models.BigIntegerField()
    mark = models.BigIntegerField()
    steps = models.IntegerField()
    transfers = models.IntegerField()
    tree_size = models.BigIntegerField()
    root = models.CharField(max_length=64)
    previous_hash = models.CharField(max_length=64)
    hash = models.CharField(max_length=64)
    edge = models.BinaryField()

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(name="seals_seal_tree_size", fields=["tree_size"]),
            models.UniqueConstraint(name="seals_seal_chained_once", fields=["previous_hash"]),
            models.CheckConstraint(
                name="seals_seal_adds_leaves",
                condition=Q(number__gte=1, steps__gte=0, transfers__gte=0, mark__gte=0)
                & (Q(steps__gt=0) | Q(transfers__gt=0))
                & Q(tree_size__gte=models.F("steps") + models.F("transfers")),
            ),
        ]

    def __str__(self) -> str:
        return f"seal {self.number}"


class LeafKind(models.IntegerChoices):
    """What a leaf stands for; a number, as there are millions."""

    STEP = 1, heads.STEP
    TRANSFER = 2, heads.TRANSFER


class SealLeaf(AppendOnly):
    """A sealed row's place in the tree and its hash. ``index`` runs through all seals without a gap."""

    index = models.BigIntegerField(primary_key=True)
    kind = models.SmallIntegerField(choices=LeafKind)
    row_id = models.BigIntegerField()
    hash = models.BinaryField()

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(name="seals_leaf_once_per_row", fields=["kind", "row_id"]),
            models.CheckConstraint(name="seals_leaf_kind", condition=Q(kind__in=[1, 2], index__gte=0)),
        ]

    def __str__(self) -> str:
        return f"leaf {self.index}"


class SealNode(AppendOnly):
    """A whole subtree's hash, kept at every eighth level so that a proof reads few of them."""

    level = models.SmallIntegerField()
    index = models.BigIntegerField()
    hash = models.BinaryField()

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(name="seals_node_once", fields=["level", "index"]),
        ]

    def __str__(self) -> str:
        return f"node {self.level}/{self.index}"


class PassedOver(models.Model):
    """A row that could not be sealed as its time is none; it is sealed once it can be read."""

    kind = models.SmallIntegerField(choices=LeafKind)
    row_id = models.BigIntegerField()

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(name="seals_passed_over_once", fields=["kind", "row_id"]),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} {self.row_id}"


class AnchorFile(models.Model):
    """Up to which seal an anchor file has been written: what it has lost since is not written again in silence."""

    path = models.TextField(primary_key=True)
    number = models.BigIntegerField()

    def __str__(self) -> str:
        return self.path


class SealDelivery(models.Model):
    """How a seal's head is sent to the webhook: again and again, ever later, until it was taken."""

    seal = models.OneToOneField(Seal, models.PROTECT, primary_key=True, related_name="delivery")
    attempts = models.PositiveIntegerField(default=0)
    due_at = StoredTimeField()
    delivered_at = models.DateTimeField(null=True)
    answer = models.CharField(max_length=200, blank=True)
    """What the last attempt met: a status, or the kind of its error."""

    class Meta:
        indexes: ClassVar[list[models.Index]] = [
            models.Index(name="seals_delivery_due", fields=["due_at"], condition=Q(delivered_at=None)),
        ]

    def __str__(self) -> str:
        return f"delivery of seal {self.seal_id}"

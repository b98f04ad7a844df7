"""What the seals answer."""

from typing import Any

from rest_framework import serializers

from audit.seals.models import Seal
from audit.seals.services import head_of
from casino.api.fields import StrictSerializer


class WholeNumberField(serializers.IntegerField):
    """A number of a seal or a step in a query string, where all is text."""

    def __init__(self, *, min_value: int, **kwargs: Any) -> None:
        super().__init__(min_value=min_value, max_value=2**31 - 1, **kwargs)

    def to_internal_value(self, data: Any) -> int:
        if not (str(data).isascii() and str(data).isdigit()):
            self.fail("invalid")
        return super().to_internal_value(data)


class SealFilters(StrictSerializer):
    """Which seals to list."""

    number = WholeNumberField(min_value=1, required=False)


class StepProofQuery(StrictSerializer):
    """Which step's proof, and for the tree of which seal."""

    seq = WholeNumberField(min_value=0, default=0, help_text="The step's number; 0 is the opening.")
    seal = WholeNumberField(min_value=1, required=False, help_text="The newest, unless another is named.")


class TransferProofQuery(StrictSerializer):
    """For the tree of which seal."""

    seal = WholeNumberField(min_value=1, required=False, help_text="The newest, unless another is named.")


class ConsistencyQuery(StrictSerializer):
    """Which two seals."""

    first = WholeNumberField(min_value=1, default=1)
    second = WholeNumberField(min_value=1, required=False, help_text="The newest, unless another is named.")


class HeadSerializer(StrictSerializer):
    """A seal's head. Its hash is the SHA-256 of the canonical JSON of all its other fields."""

    format = serializers.CharField()
    number = serializers.IntegerField(min_value=1)
    at = serializers.DateTimeField()
    system_identifier = serializers.CharField(help_text="The database server that it was made on.")
    mark = serializers.CharField(help_text="All that transactions below this one wrote is sealed.")
    steps = serializers.IntegerField(min_value=0, help_text="Steps that this seal added.")
    transfers = serializers.IntegerField(min_value=0, help_text="Transfers that this seal added.")
    tree_size = serializers.IntegerField(min_value=1, help_text="Leaves of the whole tree.")
    root = serializers.CharField(  # type: ignore[assignment]
        help_text="The Merkle tree hash of the whole tree, as RFC 9162 defines it."
    )
    previous_hash = serializers.CharField()
    hash = serializers.CharField()


class SealSerializer(HeadSerializer):
    """A seal in a list."""

    def to_representation(self, instance: Seal) -> dict[str, Any]:
        return dict(head_of(instance))


class InclusionSerializer(StrictSerializer):
    """An inclusion proof (RFC 9162, 2.1.3). The leaf's hash is that of 0x00 and its canonical JSON."""

    head = HeadSerializer()
    index = serializers.IntegerField(min_value=0)
    leaf = serializers.DictField(allow_null=True, help_text="The row as it is now; null where it is gone.")
    leaf_hash = serializers.CharField()
    path = serializers.ListField(child=serializers.CharField())


class ConsistencySerializer(StrictSerializer):
    """A consistency proof (RFC 9162, 2.1.4): the second seal's tree begins with the first one's."""

    first = HeadSerializer()
    second = HeadSerializer()
    path = serializers.ListField(child=serializers.CharField())

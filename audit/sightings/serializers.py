"""What is told of who saw what."""

from rest_framework import serializers

from audit.sightings.models import Sighting
from casino.api.fields import MomentField, StrictSerializer, StrictUUIDField, TextField


class SightingFilters(StrictSerializer):
    """Which sightings to list."""

    viewer_id = StrictUUIDField(required=False)
    player_id = StrictUUIDField(required=False, help_text="Whose data it was.")
    subject_type = TextField(max_length=100, required=False)
    subject_id = TextField(max_length=100, required=False)
    request_id = TextField(max_length=100, required=False)
    at_from = MomentField(required=False)
    at_to = MomentField(required=False, help_text="Before this moment.")


class SightingSerializer(serializers.ModelSerializer[Sighting]):
    """A member of staff was shown something of players; a list by its filters and page, without an id."""

    id = serializers.UUIDField(source="public_id")
    viewer_id = serializers.UUIDField(source="viewer.public_id")
    query = serializers.DictField(child=serializers.CharField())
    player_ids = serializers.ListField(source="players", child=serializers.UUIDField())

    class Meta:
        model = Sighting
        fields = (
            "id", "at", "viewer_id", "viewer_name", "path", "query", "subject_type", "subject_id", "player_ids", "address",
            "request_id",
        )  # fmt: skip

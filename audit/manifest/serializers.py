"""What is told of the manifest and of its checks."""

from rest_framework import serializers

from audit.manifest.models import ManifestCheck
from casino.api.fields import HashField, MomentField, StrictBooleanField, StrictChoiceField, StrictSerializer

PARTS = ("rules", "play", "money", "wiring", "terms")


class DeviationSerializer(StrictSerializer):
    """Something that is not as the manifest says; null for what is not there."""

    name = serializers.CharField()
    expected = serializers.CharField(allow_null=True)
    found = serializers.CharField(allow_null=True)


class ManifestCheckSerializer(serializers.ModelSerializer[ManifestCheck]):
    """One check of the files of one host, and of the published terms."""

    id = serializers.UUIDField(source="public_id")
    occasion = StrictChoiceField(choices=ManifestCheck.Occasion.values, component="ManifestCheckOccasion")
    part = StrictChoiceField(choices=ManifestCheck.Part.values, component="ManifestCheckPart")
    actor_id = serializers.UUIDField(source="actor.public_id", default=None, allow_null=True)
    deviations = DeviationSerializer(many=True)

    class Meta:
        model = ManifestCheck
        fields = (
            "id", "at", "occasion", "part", "host", "process_id", "actor_id", "digest", "files", "terms", "passed", "deviations",
            "request_id",
        )  # fmt: skip


class ManifestEntrySerializer(StrictSerializer):
    """A file of the program, or a pay table or limit set as ``manage.py manifest_export`` writes it."""

    name = serializers.CharField()
    part = StrictChoiceField(choices=PARTS, component="ManifestPart")
    sha256 = HashField()


class EngineSerializer(StrictSerializer):
    """The digest that the rounds of an engine carry: over the sorted digests of its files and those of ``games/core``."""

    package = serializers.CharField()
    digest = HashField()


class ManifestSerializer(StrictSerializer):
    """All that decides rounds, by SHA-256. ``digest`` is over the lines of all entries, as ``sha256sum`` writes them, by name."""

    digest = HashField()
    files_digest = HashField(allow_null=True, help_text="Of the file manifest.sha256.")
    rounds_may_open = StrictBooleanField()
    server_time = MomentField()
    engines = EngineSerializer(many=True)
    entries = ManifestEntrySerializer(many=True)
    last_check = ManifestCheckSerializer(allow_null=True)

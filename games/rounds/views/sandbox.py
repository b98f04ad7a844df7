"""The sandbox: scripted rounds without money, for front-end developers and auditors."""

from typing import Any, ClassVar

from django.http import HttpResponse
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request

from casino.api.fields import (
    BoundedListField,
    StrictBooleanField,
    StrictChoiceField,
    StrictIntegerField,
    StrictJSONField,
    StrictSerializer,
    TextField,
)
from casino.api.rendering import CONTENT_TYPE, render_json
from casino.api.views import ApiView
from casino.errors import InvalidInput
from casino.permissions import ANY_USER, Roles
from games.core.errors import InvalidData
from games.registry import GAMES
from games.sandbox import MAX_DECK_ITEMS, MAX_ITEM_LENGTH, run

MAX_ACTIONS = 2_000
MAX_DECKS = 500
MAX_ANSWER_BYTES = 2 * 1024 * 1024
"""The command takes longer scripts; a request's work and answer must stay within reason."""


@extend_schema_field({"oneOf": [{"type": "string", "maxLength": MAX_ITEM_LENGTH}, {"type": "integer", "minimum": 0}]})
class DeckItemField(serializers.Field[Any, Any, Any, Any]):
    """A card's text, or the number of a seat or slot."""

    default_error_messages = {"invalid": "This must be a card's text or a number."}

    def to_internal_value(self, data: Any) -> str | int:
        if type(data) not in (str, int) or len(str(data)) > MAX_ITEM_LENGTH:
            self.fail("invalid")
        item: str | int = data
        return item


class SandboxScript(StrictSerializer):
    """A round to be played: docs/sandbox.md describes each game's setup and actions."""

    game = StrictChoiceField(choices=sorted(GAMES))
    setup = StrictJSONField()
    round_id = TextField(max_length=36, required=False)
    client_seeds = BoundedListField(child=TextField(max_length=64, allow_blank=True), max_length=8, required=False)
    decks = BoundedListField(
        child=BoundedListField(child=DeckItemField(), max_length=MAX_DECK_ITEMS),
        max_length=MAX_DECKS,
        required=False,
    )
    server_seed = TextField(max_length=64, required=False)
    rules_version = StrictIntegerField(min_value=1, required=False)
    actions = BoundedListField(child=StrictJSONField(), max_length=MAX_ACTIONS)

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        flags = {name: StrictBooleanField(required=False) for name in ("continue", "finish")}
        return {**super().get_fields(), **flags}


class SandboxRunSerializer(StrictSerializer):
    """What came of a script: every step's events, moves and views, and the result once the round is over."""

    game = serializers.CharField()
    rules_version = StrictIntegerField(min_value=1)
    setup = serializers.DictField()
    steps = serializers.ListField(child=serializers.DictField())
    completed = StrictBooleanField(help_text="False when an illegal action ended the script.")
    over = StrictBooleanField()
    escrow_minor = StrictIntegerField()
    result = serializers.DictField(allow_null=True)


class SandboxView(ApiView):
    """Playing a script. Nothing of it is kept and no money moves."""

    roles: ClassVar[Roles] = ANY_USER

    @extend_schema(operation_id="sandbox_run", request=SandboxScript, responses={200: SandboxRunSerializer})
    def post(self, request: Request) -> HttpResponse:
        """Play a script. Nothing of it is kept and no money moves."""
        script = self.body(SandboxScript)
        try:
            played = run(script, most_bytes=MAX_ANSWER_BYTES)
        except InvalidData as error:
            raise InvalidInput("invalid_input", error.message, field=error.field) from error
        return HttpResponse(render_json(played), content_type=CONTENT_TYPE)

"""What a game gives the API besides its rules."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from types import ModuleType
from typing import Any, get_type_hints

from rest_framework.serializers import Field, Serializer

from casino.api.fields import StrictChoiceField, StrictSerializer
from games.core.engine import Event
from games.core.events import kinds_in, type_of


@dataclass(frozen=True, slots=True)
class Game:
    """Shapes of a game's bodies and documents: an action of each type, the view, an event of each type, and what begins a round.

    A round against the house begins with the player's ``opening``; one among players with the ``convention`` of their table.
    """

    actions: Mapping[str, type[Serializer[Any]]]
    view: type[Serializer[Any]]
    events: Mapping[str, type[Serializer[Any]]]
    opening: type[Serializer[Any]] | None = None
    convention: type[Serializer[Any]] | None = None


def event_documents(
    events: ModuleType, prefix: str, field_of: Callable[[Any], Field[Any, Any, Any, Any]]
) -> dict[str, type[StrictSerializer]]:
    """Derive the documents of a module's events from their fields, so that the reference cannot fall behind the engine.

    ``prefix`` begins the documents' names; ``field_of`` makes the field of a type hint.
    """
    return {type_of(kind): _event_document(kind, type_of(kind), prefix, field_of) for kind in kinds_in(events)}


def _event_document(
    kind: type[Event], name: str, prefix: str, field_of: Callable[[Any], Field[Any, Any, Any, Any]]
) -> type[StrictSerializer]:
    hints = get_type_hints(kind)
    members: dict[str, Any] = {field.name: field_of(hints[field.name]) for field in fields(kind)}
    members["type"] = StrictChoiceField(choices=[name])
    members["__doc__"] = (kind.__doc__ or "").splitlines()[0]
    return type(f"{prefix}{kind.__name__}", (StrictSerializer,), members)

"""What a game gives the API besides its rules."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rest_framework.serializers import Serializer


@dataclass(frozen=True, slots=True)
class Game:
    """Shapes of a game's bodies and documents: what opens a round, an action of each type, the view, an event of each type."""

    opening: type[Serializer[Any]]
    actions: Mapping[str, type[Serializer[Any]]]
    view: type[Serializer[Any]]
    events: Mapping[str, type[Serializer[Any]]]

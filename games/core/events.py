"""Events as JSON, the same in every game: what happened as ``type``, then the event's fields."""

import re
from collections.abc import Callable, Mapping
from dataclasses import fields
from types import ModuleType
from typing import Any

from games.core.engine import Event


def type_of(kind: type[Event]) -> str:
    """Return the ``type`` of a kind of event: its name in snake case."""
    return re.sub(r"(?<=.)([A-Z])", r"_\1", kind.__name__).lower()


def kinds_in(module: ModuleType) -> tuple[type[Event], ...]:
    """Return the kinds of events that a module declares, in its order; what others there derive from is none."""
    declared = [each for each in vars(module).values() if isinstance(each, type) and issubclass(each, Event)]
    bases = {base for each in declared for base in each.__mro__[1:]}
    return tuple(each for each in declared if each.__module__ == module.__name__ and each not in bases)


class EventWriter:
    """Writes the events of a game.

    **Shapes** ``writers`` tell, by type, how a field's value becomes JSON; tuples are written item by item, and any other value
    stands for itself.
    """

    def __init__(self, writers: Mapping[type[Any], Callable[[Any], Any]]) -> None:
        self._writers: Mapping[type[Any], Callable[[Any], Any]] = {**writers, tuple: self._list}
        self._shapes: dict[type[Event], tuple[str, tuple[str, ...]]] = {}

    def __call__(self, event: Event) -> dict[str, Any]:
        kind = type(event)
        shape = self._shapes.get(kind)
        if shape is None:
            shape = self._shapes[kind] = type_of(kind), tuple([field.name for field in fields(event)])
        data: dict[str, Any] = {"type": shape[0]}
        for name in shape[1]:
            value = getattr(event, name)
            write = self._writers.get(type(value))
            data[name] = write(value) if write else value
        return data

    def _list(self, values: tuple[Any, ...]) -> list[Any]:
        get = self._writers.get
        return [write(value) if (write := get(type(value))) else value for value in values]

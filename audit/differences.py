"""A field of a row that is not as a record tells it, and finding those fields."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from games.core.codec import canonical
from games.core.engine import Json

SHOWN_CHARACTERS = 300


@dataclass(frozen=True, slots=True)
class Difference:
    """A field of a row that is not as the record tells it; without a field the row is not there, or not in the record."""

    table: str
    key: str
    row: str
    field: str | None
    expected: Any
    found: Any

    def __str__(self) -> str:
        expected, found = _shown(self.expected), _shown(self.found)
        if self.field is not None:
            return f"{self.row} is not what the record tells: {self.field}: the record tells {expected}, the row has {found}"
        if self.found is None:
            return f"{self.row} is not in the database: the record tells {expected}"
        return f"{self.row} is not in the record: the row has {found}"

    def as_json(self) -> dict[str, Any]:
        return {"table": self.table, "key": self.key, "field": self.field, "expected": self.expected, "found": self.found}


def _shown(value: Any) -> str:
    text = canonical(value).decode()
    return text if len(text) <= SHOWN_CHARACTERS else f"{text[:SHOWN_CHARACTERS]}…"


@dataclass(frozen=True, slots=True)
class Match:
    """One row and what it is called, matched with what the record tells of it."""

    table: str
    key: str
    row: str

    def differences(self, expected: Json | None, found: Json | None) -> Iterator[Difference]:
        if expected is None or found is None:
            yield self._difference(None, expected, found)
        else:
            yield from self._within("", expected, found)

    def _within(self, path: str, expected: Any, found: Any) -> Iterator[Difference]:
        """Go down to the fields themselves, as far as either has the same ones."""
        if expected == found:
            return
        if isinstance(expected, dict) and isinstance(found, dict) and expected.keys() == found.keys():
            for name in expected:
                yield from self._within(f"{path}.{name}" if path else name, expected[name], found[name])
        else:
            yield self._difference(path, expected, found)

    def _difference(self, field: str | None, expected: Any, found: Any) -> Difference:
        return Difference(self.table, self.key, self.row, field, expected, found)

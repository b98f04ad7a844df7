"""Server-sent events, as the HTML standard writes them, read from lines."""

from collections.abc import AsyncIterable, AsyncIterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ServerEvent:
    """One event: its name, its id ("" without one) and its data."""

    name: str
    id: str
    data: str


class EventReader:
    """Puts events together line by line; one that is cut off before its blank line is none."""

    def __init__(self) -> None:
        self.fields: dict[str, list[str]] = {}

    def read(self, line: str) -> ServerEvent | None:
        """Take the next line; return the event that it ends."""
        if line:
            name, _, value = line.partition(":")
            if name:
                self.fields.setdefault(name, []).append(value.removeprefix(" "))
            return None
        fields, self.fields = self.fields, {}
        if "data" not in fields:
            return None
        return ServerEvent(fields.get("event", ["message"])[-1], fields.get("id", [""])[-1], "\n".join(fields["data"]))


async def read_events(lines: AsyncIterable[str]) -> AsyncIterator[ServerEvent]:
    """Yield the events in a stream of lines."""
    reader = EventReader()
    async for line in lines:
        if event := reader.read(line):
            yield event

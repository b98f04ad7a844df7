"""Server-sent events, as the HTML standard writes them, read from lines."""

from collections.abc import AsyncIterable, AsyncIterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ServerEvent:
    """One event: its name, its id ("" without one) and its data."""

    name: str
    id: str
    data: str


async def read_events(lines: AsyncIterable[str]) -> AsyncIterator[ServerEvent]:
    """Yield the events in a stream of lines; one that is cut off before its blank line is none."""
    fields: dict[str, list[str]] = {}
    async for line in lines:
        if not line:
            if "data" in fields:
                name, number = fields.get("event", ["message"])[-1], fields.get("id", [""])[-1]
                yield ServerEvent(name, number, "\n".join(fields["data"]))
            fields = {}
            continue
        name, _, value = line.partition(":")
        if name:
            fields.setdefault(name, []).append(value.removeprefix(" "))

"""The house's own bots in the embedded stack: one for each game among players, at a table of its own."""

from collections.abc import Mapping
from types import MappingProxyType

from games.engines import current_engines

HOUSE_BOTS: Mapping[str, str] = MappingProxyType(
    {engine.code: f"bot-{engine.code}" for engine in current_engines() if engine.seats[1] > 1}
)
"""The names of the bots by their games."""
PASSWORD = "bot-demo"  # noqa: S105 a demo login, known to everybody

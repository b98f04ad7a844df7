"""The games as the API offers them, derived from the one list in ``games.engines``."""

from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType

from games.engines import current_engines
from games.rounds.game import Game

GAMES: Mapping[str, Game] = MappingProxyType(
    {engine.code: import_module(f"games.{engine.code}.service").GAME for engine in current_engines()}
)

"""The mathematics of the games against the house, derived from the one list in ``games.engines``.

A game has some if its package has a module ``mathematics``; games among players have none, since the house has no edge in them.
"""

from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from types import MappingProxyType

from games.core.mathematics import Mathematics
from games.engines import current_engines


def _mathematics() -> dict[str, Mathematics]:
    modules = {engine.code: f"games.{engine.code}.mathematics" for engine in current_engines()}
    return {game: import_module(module).MATHEMATICS for game, module in modules.items() if find_spec(module)}


MATHEMATICS: Mapping[str, Mathematics] = MappingProxyType(_mathematics())

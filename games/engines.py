"""The list of games: every engine that is played, and every former version of its rules that old rounds still need."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from games.chinese_poker.engine import ChinesePoker
from games.core.engine import Engine
from games.rapira.engine import Rapira
from games.russian_poker.engine import RussianPoker
from games.ukrainian_poker.engine import UkrainianPoker

ENGINES: tuple[Engine[Any, Any, Any], ...] = (
    RussianPoker(),
    ChinesePoker(),
    UkrainianPoker(),
    Rapira(),
)

_BY_VERSION: Mapping[tuple[str, int], Engine[Any, Any, Any]] = MappingProxyType(
    {(engine.code, engine.rules_version): engine for engine in ENGINES}
)
_CURRENT: Mapping[str, Engine[Any, Any, Any]] = MappingProxyType(
    {engine.code: engine for engine in sorted(ENGINES, key=lambda engine: engine.rules_version)}
)


def engine_for(code: str, rules_version: int) -> Engine[Any, Any, Any]:
    """Return the engine of a game in the version of its rules that a round was opened with.

    **Errors** KeyError for a game or version that is not listed.
    """
    return _BY_VERSION[code, rules_version]


def current_engine(code: str) -> Engine[Any, Any, Any]:
    """Return the engine of a game in its newest version: what new rounds are opened with.

    **Errors** KeyError for a game that is not listed.
    """
    return _CURRENT[code]


def current_engines() -> tuple[Engine[Any, Any, Any], ...]:
    """Return the newest version of every game, one each."""
    return tuple(_CURRENT.values())

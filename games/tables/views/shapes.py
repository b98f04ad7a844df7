"""What a table is made of in each game, for the API's reference: one document per game, told apart by ``game``."""

from typing import Any

from drf_spectacular.utils import PolymorphicProxySerializer

from casino.api.fields import StrictChoiceField, StrictSerializer
from games.registry import GAMES
from games.tables.serializers import TableCreation, TableSerializer


def _prefix(code: str) -> str:
    return code.title().replace("_", "")


def _creation(code: str, convention: type[Any]) -> type[StrictSerializer]:
    members = {"__doc__": TableCreation.__doc__, "game": StrictChoiceField(choices=[code]), "convention": convention()}
    return type(f"{_prefix(code)}TableCreation", (TableCreation,), members)


def _table(code: str, convention: type[Any]) -> type[TableSerializer]:
    members = {"__doc__": TableSerializer.__doc__, "game": StrictChoiceField(choices=[code]), "convention": convention()}
    return type(f"{_prefix(code)}TableSerializer", (TableSerializer,), members)


CONVENTIONS = {code: game.convention for code, game in GAMES.items() if game.convention}
CREATIONS: dict[str, Any] = {code: _creation(code, convention) for code, convention in CONVENTIONS.items()}
CREATION = PolymorphicProxySerializer(component_name="TableCreation", serializers=CREATIONS, resource_type_field_name="game")
TABLE = PolymorphicProxySerializer(
    component_name="Table",
    serializers={code: _table(code, convention) for code, convention in CONVENTIONS.items()},
    resource_type_field_name="game",
)

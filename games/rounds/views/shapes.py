"""What a round is made of in each game, for the API's reference: one document per game, told apart by ``game``."""

from typing import Any

from drf_spectacular.utils import PolymorphicProxySerializer, extend_schema_field
from rest_framework import serializers

from casino.api.fields import StrictChoiceField, StrictSerializer
from games.registry import GAMES
from games.rounds.game import Game
from games.rounds.serializers import LegalActionSerializer, RoundSerializer, StepSerializer

ACTIONS: dict[str, Any] = {tag: body for game in GAMES.values() for tag, body in game.actions.items()}
GAME_OF_ACTION = {tag: code for code, game in GAMES.items() for tag in game.actions}
ACTION = PolymorphicProxySerializer(component_name="Action", serializers=ACTIONS, resource_type_field_name="type")
OPENINGS: dict[str, Any] = {code: game.opening for code, game in GAMES.items() if game.opening}
OPENING = PolymorphicProxySerializer(component_name="Opening", serializers=OPENINGS, resource_type_field_name="game")


def _prefix(code: str) -> str:
    return code.title().replace("_", "")


def _events(code: str, game: Game) -> serializers.ListField:
    one_of = PolymorphicProxySerializer(
        component_name=f"{_prefix(code)}Event", serializers=dict(game.events), resource_type_field_name="type"
    )
    field = extend_schema_field(one_of)(type("EventField", (serializers.Field,), {}))
    return serializers.ListField(child=field())


def _round(code: str, game: Game) -> type[RoundSerializer]:
    types = StrictChoiceField(choices=list(game.actions), component=f"{_prefix(code)}ActionType")
    legal_action = type(f"{_prefix(code)}LegalActionSerializer", (LegalActionSerializer,), {"type": types})
    members = {
        "__doc__": RoundSerializer.__doc__,
        "game": StrictChoiceField(choices=[code]),
        "legal_actions": legal_action(many=True),
        "view": game.view(),
        "events": _events(code, game),
    }
    return type(f"{_prefix(code)}RoundSerializer", (RoundSerializer,), members)


def _steps(code: str, game: Game) -> type[StrictSerializer]:
    members = {"__doc__": StepSerializer.__doc__, "events": _events(code, game)}
    step = type(f"{_prefix(code)}StepSerializer", (StepSerializer,), members)
    results = {"__doc__": "The steps of a round from the first on.", "results": step(many=True)}
    return type(f"{_prefix(code)}StepsSerializer", (StrictSerializer,), results)


ROUND = PolymorphicProxySerializer(
    component_name="Round",
    serializers={code: _round(code, game) for code, game in GAMES.items()},
    resource_type_field_name="game",
)
STEPS = PolymorphicProxySerializer(
    component_name="Steps",
    serializers=[_steps(code, game) for code, game in GAMES.items()],
    resource_type_field_name=None,
)

"""Rapira as the API offers it."""

from games.rapira.documents import EVENTS, RapiraView
from games.rapira.serializers import ACTIONS, RapiraConvention
from games.rounds.game import Game

GAME = Game(actions=ACTIONS, view=RapiraView, events=EVENTS, convention=RapiraConvention)

"""Ukrainian poker as the API offers it."""

from games.rounds.game import Game
from games.ukrainian_poker.documents import EVENTS, UkrainianPokerView
from games.ukrainian_poker.serializers import ACTIONS, UkrainianPokerConvention

GAME = Game(convention=UkrainianPokerConvention, actions=ACTIONS, view=UkrainianPokerView, events=EVENTS)

"""Russian poker as the API offers it."""

from games.rounds.game import Game
from games.russian_poker.documents import EVENTS, RussianPokerView
from games.russian_poker.serializers import ACTIONS, RussianPokerOpening

GAME = Game(opening=RussianPokerOpening, actions=ACTIONS, view=RussianPokerView, events=EVENTS)

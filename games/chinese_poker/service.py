"""Thirteen-card poker as the API offers it."""

from games.chinese_poker.documents import EVENTS, ChinesePokerView
from games.chinese_poker.serializers import ACTIONS, ChinesePokerConvention
from games.rounds.game import Game

GAME = Game(convention=ChinesePokerConvention, actions=ACTIONS, view=ChinesePokerView, events=EVENTS)

"""The games together: what the API tells apart by one word is called by one word only once."""

from collections import Counter

from games.engines import current_engines
from games.registry import GAMES


def test_every_listed_game_is_offered_by_the_api():
    assert set(GAMES) == {engine.code for engine in current_engines()}
    for engine in current_engines():
        game = GAMES[engine.code]
        assert (game.opening is None, game.convention is None) == ((False, True) if engine.seats == (1, 1) else (True, False))


def test_action_types_are_unique_across_the_games():
    types = Counter(kind for game in GAMES.values() for kind in game.actions)
    assert types.most_common(1)[0][1] == 1

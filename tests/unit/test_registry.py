"""The games together: what the API tells apart by one word is called by one word only once."""

from collections import Counter

from casino.play.house import HOUSE_BOTS
from casino.users.models import USERNAME_REGEX
from games.engines import current_engines
from games.registry import GAMES
from games.tables.serializers import SitBody, TableCreation


def test_every_listed_game_is_offered_by_the_api():
    assert set(GAMES) == {engine.code for engine in current_engines()}
    for engine in current_engines():
        game = GAMES[engine.code]
        assert (game.opening is None, game.convention is None) == ((False, True) if engine.seats == (1, 1) else (True, False))


def test_action_types_are_unique_across_the_games():
    types = Counter(kind for game in GAMES.values() for kind in game.actions)
    assert types.most_common(1)[0][1] == 1


def test_tables_have_seats_for_the_game_with_the_most():
    most = max(engine.seats[1] for engine in current_engines())
    assert TableCreation().fields["seats"].max_value == SitBody().fields["seat"].max_value + 1 == most


def test_the_house_has_a_bot_for_each_game_among_players():
    assert set(HOUSE_BOTS) == {engine.code for engine in current_engines() if engine.seats[1] > 1}
    assert len(set(HOUSE_BOTS.values())) == len(HOUSE_BOTS)
    assert all(USERNAME_REGEX.fullmatch(name) for name in HOUSE_BOTS.values())

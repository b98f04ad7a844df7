"""Who may see a round at a table: its seats what is theirs, others only what is public, and only where the table allows it."""

import pytest

from casino.errors import NotFound
from casino.permissions import Role
from casino.users.models import User
from games.halls.models import Hall
from games.rounds.selectors import last_opening, record_get, round_list, round_now, round_steps
from games.tables.services import table_leave, table_sit
from tests import playing
from tests.table_builders import GAME, Game


def dealt(game: Game, viewer: int) -> list[dict[str, object]]:
    """The events of the opening in which a seat is shown a hand."""
    (opening,) = round_steps(user=game.players[viewer], round_id=game.row.public_id)
    return [event for event in opening["events"] if event["type"] == "hand_dealt"]


@pytest.fixture
def game(hall: Hall) -> Game:
    return Game.opened(hall, 3, allows_spectators=True)


def test_each_seat_sees_its_own_cards_and_a_spectator_none(game: Game, player: User) -> None:
    for index in range(3):
        assert [event["seat"] for event in dealt(game, index)] == [index]
        shown = round_now(user=game.players[index], round_id=game.row.public_id)
        assert (shown["seat"], shown["turn"]) == (index, 0)
        assert shown["view"]["hand"] is not None
        assert bool(shown["legal_actions"]) == (index in game.to_act())
    watched = round_now(user=player, round_id=game.row.public_id)
    assert (watched["seat"], watched["turn"], watched["view"]["hand"], watched["legal_actions"]) == (None, None, None, [])
    assert (watched["available_minor"], watched["next_commitment"], watched["server_seed"]) == (None, None, None)
    assert [step["events"] for step in round_steps(user=player, round_id=game.row.public_id)] == [
        [event for event in step["events"] if event["type"] != "hand_dealt"]
        for step in round_steps(user=game.players[0], round_id=game.row.public_id)
    ]


def test_where_spectators_are_not_allowed_the_round_does_not_exist_for_them(hall: Hall, player: User) -> None:
    game = Game.opened(hall)
    for look in (round_now, round_steps, record_get):
        with pytest.raises(NotFound):
            look(user=player, round_id=game.row.public_id)
    for role in (Role.OPERATOR, Role.CASHIER):
        with pytest.raises(NotFound):
            round_now(user=playing.user_with(role, hall=hall), round_id=game.row.public_id)
    for role in (Role.AUDITOR, Role.SUPERVISOR, Role.ADMIN):
        watched = round_now(user=playing.user_with(role), round_id=game.row.public_id)
        assert (watched["seat"], watched["view"]["hand"]) == (None, None)


def test_who_sits_down_during_a_round_is_no_part_of_it_and_who_left_still_is(hall: Hall, player: User) -> None:
    game = Game.opened(hall)
    table_leave(user=game.players[0], table_id=game.table_id, now=game.clock())
    table_sit(user=player, table_id=game.table_id, now=game.clock())
    with pytest.raises(NotFound):
        round_now(user=player, round_id=game.row.public_id)
    assert round_now(user=game.players[0], round_id=game.row.public_id)["seat"] == 0


def test_a_players_rounds_are_those_they_played_also_at_tables(game: Game, player: User) -> None:
    mine = {"user": game.players[1]}
    assert list(round_list(**mine)) == list(round_list(**mine, table_id=game.table_id)) == [game.row]
    assert list(round_list(**mine, player_id=game.players[2].public_id, game=GAME)) == [game.row]
    assert list(round_list(user=player, table_id=game.table_id)) == []
    assert list(round_list(user=playing.user_with(Role.AUDITOR), table_id=game.table_id)) == [game.row]
    assert len(round_list(**mine)[0].seats.all()) == 3


def test_bets_to_repeat_are_those_against_the_house(game: Game, hall: Hall) -> None:
    assert last_opening(user=game.players[0], hall_id=hall.public_id, game=GAME) is None

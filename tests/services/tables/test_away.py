"""Time at tables: who lets three turns pass is away and not waited for long, until they act; nobody else is affected."""

from datetime import timedelta
from random import Random

import pytest

from casino.errors import Conflict
from games.core.engine import AWAY_AFTER, AWAY_SECONDS
from games.halls.models import Hall
from games.rounds.models import RoundRecord
from games.rounds.selectors import round_now, rounds_due
from games.rounds.services import round_expire
from games.verify import verify
from tests import playing
from tests.table_builders import Game, convention

TIME = timedelta(seconds=30)
SHORT = timedelta(seconds=AWAY_SECONDS)
LATE = 0


@pytest.fixture
def game(hall: Hall) -> Game:
    return Game.opened(hall, convention={"ante_minor": 10, "bid_timeout_seconds": 30, "play_timeout_seconds": 30})


def until_late(game: Game, chance: Random) -> timedelta:
    """Let the others act until it is the late seat's turn; tell how long it may think."""
    while game.to_act() != [LATE]:
        (seat,) = game.to_act()
        game.act_by_chance(seat, chance)
        game.read()
    deadline = game.position.seats[LATE].deadline
    assert deadline is not None
    began = game.row.steps.order_by("-seq").values_list("at", flat=True)[0]
    return deadline - began


def test_a_seat_is_away_after_three_time_outs_and_back_when_it_acts(game: Game) -> None:
    chance, times, shown = Random(1), [], []
    for _ in range(AWAY_AFTER + 2):
        times.append(until_late(game, chance))
        shown.append(round_now(user=game.players[1], round_id=game.row.public_id)["seats"][LATE]["is_away"])
        assert game.time_out(LATE) == 1
    assert times == [TIME] * AWAY_AFTER + [SHORT] * 2
    assert shown == [False] * AWAY_AFTER + [True] * 2
    assert until_late(game, chance) == SHORT
    game.act_by_chance(LATE, chance)
    game.read()
    assert not round_now(user=game.players[1], round_id=game.row.public_id)["seats"][LATE]["is_away"]
    assert until_late(game, chance) == TIME
    game.play_out(chance)
    assert verify(RoundRecord.objects.get(round=game.row).document.encode()).status == "settled"


def test_the_others_keep_their_full_time(game: Game) -> None:
    chance = Random(2)
    for _ in range(AWAY_AFTER + 1):
        until_late(game, chance)
        game.time_out(LATE)
        (other,) = game.to_act()
        deadline = game.position.seats[other].deadline
        assert other == LATE or deadline == game.clock.at + TIME


def test_the_time_out_comes_at_the_deadline_and_not_before(game: Game) -> None:
    (seat,) = game.to_act()
    deadline = game.position.seats[seat].deadline
    assert deadline is not None
    early = deadline - timedelta(microseconds=1)
    assert list(rounds_due(early)) == []
    assert round_expire(round_id=game.row.public_id, now=early) == 0
    assert list(rounds_due(deadline)) == [game.row.public_id]
    game.clock.at = deadline
    with pytest.raises(Conflict) as refused:
        game.act_by_chance(seat, Random(3))
    assert refused.value.code == "deadline_passed"
    assert round_expire(round_id=game.row.public_id, now=deadline) == 1
    assert round_expire(round_id=game.row.public_id, now=deadline) == 0


def test_a_game_that_everybody_left_plays_itself_to_its_end(game: Game) -> None:
    begun = game.clock.at
    game.play_out(Random(4), is_late=lambda seat: True)
    assert (game.row.status, game.row.escrow.balance_minor) == ("settled", 0)
    assert verify(RoundRecord.objects.get(round=game.row).document.encode()).status == "settled"
    turns = game.row.steps.count() - 1
    assert game.clock.at - begun <= 2 * AWAY_AFTER * TIME + turns * SHORT
    assert sum(playing.balance(player) for player in game.players) == 200_000


def test_one_time_out_skips_all_bonuses_that_a_seat_has_left(hall: Hall) -> None:
    game = Game.opened(hall, game="rapira", convention=convention("rapira", max_cycles=2))
    while game.position.state.phase == "hand":
        for seat in game.to_act():
            game.act(seat, {"type": "play_hand", "positions": [0]})
    left = game.position.state.seats[LATE].bonuses
    assert left > 2
    game.act(LATE, {"type": "bonus_skip"})
    while 1 in game.to_act():
        game.act(1, {"type": "bonus_skip"})
    assert game.time_out(LATE) == left - 1
    assert (game.position.state.phase, game.position.state.cycle) == ("hand", 2)

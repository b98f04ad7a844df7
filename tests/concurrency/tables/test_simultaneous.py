"""Seats of one round that may act at the same time: none is in another's way, and each acts once in its turn."""

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from audit.reconcile import books_reconcile
from games.halls.models import Hall
from tests import playing
from tests.concurrency.gate import without_the_rounds_lock
from tests.concurrency.racing import race
from tests.table_builders import Game
from tests.user_builders import code_of

GAME = "chinese_poker"
SEATS = 4


@pytest.fixture
def game(committed_db: str) -> Game:
    hall: Hall = playing.halls()["first"]
    return Game.opened(hall, SEATS, game=GAME)


def sent(game: Game, seat: int, action: dict[str, Any]) -> Callable[[], Any]:
    """A request with an action of a seat for its present turn."""
    client, body = playing.client(game.players[seat]), {"turn": game.position.seats[seat].turn, "action": action}
    return lambda: client.post(f"/api/v1/rounds/{game.row.public_id}/actions", body, format="json")


def arrangements(game: Game) -> list[Callable[[], Any]]:
    return [sent(game, seat, game.some_action(seat, Random(seat))) for seat in range(SEATS)]


def test_arrangements_of_all_seats_at_one_instant_are_all_accepted(game: Game) -> None:
    assert game.to_act() == list(range(SEATS))
    answers = race(arrangements(game))
    assert [answer.status_code for answer in answers] == [200] * SEATS, [answer.content for answer in answers]
    assert sorted(game.row.steps.filter(turn=0).values_list("seat", flat=True)) == list(range(SEATS))
    game.read()
    assert {seat.turn for seat in game.position.seats} == {1}
    assert books_reconcile() == []


def test_control_without_the_rounds_lock_they_are_in_each_others_way(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    without_the_rounds_lock(monkeypatch, SEATS)
    answers = race(arrangements(game))
    assert sorted(answer.status_code for answer in answers) == [200, *[500] * (SEATS - 1)]


def test_a_second_arrangement_of_a_seat_is_refused_with_a_body(game: Game) -> None:
    seat, chance = 2, Random(0)
    first = game.some_action(seat, chance)
    other = next(action for _ in range(50) if (action := game.some_action(seat, chance)) != first)
    answers = sorted(race([sent(game, seat, first), sent(game, seat, other)]), key=lambda answer: answer.status_code)
    assert [answer.status_code for answer in answers] == [200, 409]
    assert code_of(answers[1], 409) == "turn_already_played"
    assert game.row.steps.filter(seat=seat).count() == 1

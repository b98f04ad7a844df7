"""What a seat does unseen is not even counted by others: not in views, history, lists or streams (RA-2.4)."""

import json
from random import Random
from typing import Any

import pytest

from audit.replay import round_audit
from casino.users.models import User
from games.halls.models import Hall
from games.rounds.selectors import record_get, round_now, round_steps
from games.rounds.streams import RoundSource
from tests import playing
from tests.table_builders import Game, convention

SOURCE = RoundSource()


@pytest.fixture
def game(hall: Hall) -> Game:
    return Game.opened(hall, 2, game="rapira", allows_spectators=True, convention=convention("rapira", max_cycles=2))


@pytest.fixture
def spectator(hall: Hall) -> User:
    return playing.player(hall, 0)


def discard(game: Game, index: int, times: int = 1) -> None:
    for _ in range(times):
        game.act(index, {"type": "discard", "positions": [0]})


def told(game: Game, viewer: int | None, after: int = -1) -> list[tuple[int, Any]]:
    topic = SOURCE.topic(game.row.public_id, after)
    topic.read()
    return [(message.seq, json.loads(message.data)) for message in topic.messages(after=after, viewer=viewer)]


def shown(game: Game, spectator: User, viewer: int | None) -> Any:
    user = spectator if viewer is None else game.players[viewer]
    document = round_now(user=user, round_id=game.row.public_id)
    steps = round_steps(user=user, round_id=game.row.public_id)
    answer = playing.client(user).get("/api/v1/rounds").json()["results"]
    listed = [each["seq"] for each in answer]
    return {**document, "server_time": None, "available_minor": None}, steps, listed, [seq for seq, _ in told(game, viewer)]


def test_others_do_not_see_that_a_seat_discarded_nor_how_often(game: Game, spectator: User) -> None:
    before = {viewer: shown(game, spectator, viewer) for viewer in (0, None)}
    discard(game, 1, times=3)
    for viewer, former in before.items():
        assert shown(game, spectator, viewer) == former
    own = shown(game, spectator, 1)
    assert (own[0]["seq"], len(own[1]), own[3]) == (3, 4, [0, 1, 2, 3])


def test_each_viewer_counts_what_it_is_shown_without_a_gap(game: Game, spectator: User) -> None:
    chance = Random(4)
    seen: dict[int | None, list[int]] = {viewer: [] for viewer in (0, 1, None)}
    while game.to_act() and game.position.seq < 150:
        game.act_by_chance(chance.choice(game.to_act()), chance)
        for viewer, numbers in seen.items():
            new = told(game, viewer, after=numbers[-1] if numbers else -1)
            numbers += [seq for seq, _ in new]
            assert all(document["seq"] == seq for seq, document in new)
            user = spectator if viewer is None else game.players[viewer]
            assert round_now(user=user, round_id=game.row.public_id)["seq"] == numbers[-1]
    for viewer, numbers in seen.items():
        assert numbers == list(range(len(numbers)))
        assert numbers == [seq for seq, _ in told(game, viewer)]
    assert len(seen[None]) < len(seen[0]) < game.position.seq + 1


def test_after_the_end_history_and_record_show_every_step(game: Game, spectator: User) -> None:
    discard(game, 1, times=2)
    game.play_out(Random(2))
    steps = round_steps(user=spectator, round_id=game.row.public_id)
    record = json.loads(record_get(user=spectator, round_id=game.row.public_id)[0])
    assert [step["seq"] for step in steps] == [step["seq"] for step in record["steps"]] == list(range(len(record["steps"])))
    assert [step["origin"] for step in steps] == [step["origin"] for step in record["steps"]]
    assert round_audit(round_id=game.row.public_id).is_clean


def test_a_stream_is_over_for_each_viewer_at_its_own_last_number(game: Game) -> None:
    game.play_out(Random(3))
    topic = SOURCE.topic(game.row.public_id, -1)
    topic.read()
    assert topic.is_over
    for viewer in (0, 1, None):
        assert topic.reached(viewer) == topic.messages(after=-1, viewer=viewer)[-1].seq

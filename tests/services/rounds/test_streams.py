"""A watched round tells each step as its own request was answered, reads each once, and shows nobody another's money."""

import json
import random
from copy import copy
from dataclasses import replace
from typing import Any

import pytest
from pytest_django import DjangoAssertNumQueries

from casino.api.rendering import render_json
from casino.permissions import Role
from casino.users.models import User
from games.halls.models import Hall
from games.outages.models import Part
from games.rounds.documents import step_document
from games.rounds.replay import round_replay
from games.rounds.selectors import round_after_step
from games.rounds.services import round_void
from games.rounds.steps import StepTaken
from games.rounds.streams import RoundSource
from tests import playing
from tests.services.outages.conftest import gap, seconds
from tests.table_builders import Game

SOURCE = RoundSource()


def played(player: User, taken: StepTaken, chance: random.Random) -> list[StepTaken]:
    """Play a round out and hand back its steps."""
    steps = [taken]
    while specs := playing.legal(player, taken.round_id):
        steps.append(playing.act(player, taken.round_id, playing.choose(specs, chance)))
    return steps


@pytest.mark.parametrize("seed", range(5))
def test_a_topic_tells_every_step_as_it_was_answered(halls: dict[str, Hall], seed: int) -> None:
    player, chance = playing.player(halls["first"]), random.Random(seed)
    opened = playing.open_round(player, halls["first"], playing.FOUR_BOXES)
    topic = SOURCE.topic(opened.round_id, 0)
    topic.read()
    answers = [json.loads(render_json(step_document(taken, viewer=0))) for taken in played(player, opened, chance)]
    topic.read()
    told = topic.messages(after=-1, viewer=0)
    assert [json.loads(message.data) for message in told] == answers
    assert [message.seq for message in told] == list(range(len(answers)))
    assert (topic.is_over, topic.last_seq) == (True, len(answers) - 1)
    again = SOURCE.topic(opened.round_id, 0)
    again.read()
    assert [message.data for message in again.messages(after=-1, viewer=0)] == [message.data for message in told]


def test_each_step_is_read_in_one_query_and_nothing_else_asks_the_database(
    halls: dict[str, Hall], django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    player, chance = playing.player(halls["first"]), random.Random(1)
    opened = playing.open_round(player, halls["first"], playing.FOUR_BOXES)
    topic = SOURCE.topic(opened.round_id, 0)
    with django_assert_num_queries(2):
        topic.read()
    for _ in played(player, opened, chance)[1:]:
        with django_assert_num_queries(1):
            topic.read()
        with django_assert_num_queries(0):
            for viewer in (0, None):
                topic.messages(after=-1, viewer=viewer)
    with django_assert_num_queries(1):
        assert SOURCE.last_seqs([opened.round_id]) == {opened.round_id: topic.last_seq}


def test_outages_are_asked_for_again_when_there_is_another_also_one_that_became_known_late(
    halls: dict[str, Hall], django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    game, chance = Game.opened(halls["first"], 4, game="chinese_poker"), random.Random(1)
    began, topic = game.clock.at, SOURCE.topic(game.row.public_id, 0)

    def act_and_read(seat: int, queries: int) -> None:
        game.act_by_chance(seat, chance)
        with django_assert_num_queries(queries):
            topic.read()
        replayed = round_replay(game.row, game.seats, engine=game.engine)
        assert [taken.position for taken in topic.steps] == [taken.position for taken in replayed]

    topic.read()
    assert gap(Part.WEB, began, began + seconds(60)) is not None
    game.clock.at += seconds(90)
    act_and_read(0, queries=2)
    act_and_read(1, queries=1)
    assert gap(Part.SWEEP, began + seconds(70), game.clock.at - seconds(1.5)) is not None
    act_and_read(2, queries=2)


def test_a_void_ends_a_topic_and_is_told_as_the_round_then_is(halls: dict[str, Hall]) -> None:
    player = playing.player(halls["first"])
    opened = playing.open_round(player, halls["first"])
    topic = SOURCE.topic(opened.round_id, 0)
    topic.read()
    round_void(actor=playing.user_with(Role.SUPERVISOR), round_id=opened.round_id, reason="test")
    topic.read()
    (told,) = topic.messages(after=0, viewer=0)
    assert json.loads(told.data) == json.loads(render_json(round_after_step(user=player, round_id=opened.round_id, seq=1)))
    assert topic.is_over


def test_what_an_account_holds_is_shown_to_the_seat_that_took_the_step_alone(halls: dict[str, Hall]) -> None:
    taken = playing.open_round(playing.player(halls["first"]), halls["first"])
    own, watching = (step_document(taken, viewer=viewer) for viewer in (0, None))
    assert taken.step.available_minor is not None
    assert (own["available_minor"], watching["available_minor"]) == (taken.step.available_minor, None)
    of_another = copy(taken.step)
    of_another.seat = 1
    shown = step_document(replace(taken, step=of_another), viewer=0)
    assert shown["available_minor"] is None
    assert {affordable(action) for action in shown["legal_actions"]} <= {(True, True), (False, None)}


def affordable(action: dict[str, Any]) -> tuple[bool, bool | None]:
    return action["cost_minor"] == 0, action["affordable"]


def without_roles(user: User) -> User:
    """The same user as they are once all their roles have been taken."""
    again = User(pk=user.pk)
    again.grants = ()
    return again


def test_an_overseer_may_watch_while_they_are_one_and_a_player_their_own_seat(halls: dict[str, Hall]) -> None:
    player, auditor = playing.player(halls["first"]), playing.user_with(Role.AUDITOR)
    round_id = playing.open_round(player, halls["first"]).round_id
    own, watched = (SOURCE.look(user=user, topic_id=round_id) for user in (player, auditor))
    assert SOURCE.admits(auditor, watched)
    assert not SOURCE.admits(without_roles(auditor), watched)
    assert SOURCE.admits(without_roles(player), own)


@pytest.mark.parametrize("allows_spectators", [False, True])
def test_a_spectator_stays_where_the_table_allows_it(halls: dict[str, Hall], allows_spectators: bool) -> None:
    game = Game.opened(halls["first"], allows_spectators=allows_spectators)
    auditor, player = playing.user_with(Role.AUDITOR), playing.player(halls["first"])
    watched = SOURCE.look(user=auditor, topic_id=game.row.public_id)
    assert SOURCE.admits(auditor, watched)
    assert SOURCE.admits(player, watched) == allows_spectators

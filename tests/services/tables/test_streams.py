"""A table as its watchers are told of it: its position, then every event once."""

import json
from typing import Any

import pytest
from pytest_django import DjangoCaptureOnCommitCallbacks

from casino.streams import publishing
from casino.streams.publishing import published
from casino.users.models import User
from games.halls.models import Hall
from games.tables import streams
from games.tables.models import Table, TableEvent
from games.tables.selectors import Standing, standing_of
from games.tables.services import table_close, table_leave, table_sit
from games.tables.streams import MOST_AT_ONCE, TableSource
from tests import playing
from tests.table_builders import make

SOURCE = TableSource()


def test_a_watcher_is_told_the_table_and_then_every_event(hall: Hall, player: User) -> None:
    table = make(hall).table
    snapshot = SOURCE.look(user=player, topic_id=table.public_id)
    position = snapshot.position()
    assert (position.event, position.seq, json.loads(position.data)["id"]) == ("position", 1, str(table.public_id))
    topic = SOURCE.topic(table.public_id, 0)
    topic.read()
    assert [message.seq for message in topic.messages(after=0, viewer=None)] == [1]
    table_sit(user=player, table_id=table.public_id)
    table_leave(user=player, table_id=table.public_id)
    topic.read()
    told = [(message.seq, json.loads(message.data)["kind"]) for message in topic.messages(after=1, viewer=None)]
    assert told == [(2, "seat_taken"), (3, "seat_left")]
    assert SOURCE.last_seqs([table.public_id]) == {table.public_id: 3}
    assert not topic.is_over


def test_what_happens_while_a_position_is_read_is_told_as_an_event_too(
    hall: Hall, player: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = make(hall).table

    def slow_standing(row: Table) -> Standing:
        monkeypatch.undo()
        table_sit(user=player, table_id=table.public_id)
        return standing_of(row)

    monkeypatch.setattr(streams, "standing_of", slow_standing)
    position = SOURCE.position(topic_id=table.public_id, viewer=None)
    topic = SOURCE.topic(table.public_id, position.seq)
    topic.read()
    assert [each["seat"] for each in json.loads(position.data)["players"]] == [0]
    assert [(message.seq, position.seq) for message in topic.messages(after=position.seq, viewer=None)] == [(2, 1)]


def test_closing_a_table_ends_its_stream(hall: Hall, player: User) -> None:
    table = make(hall).table
    topic = SOURCE.topic(table.public_id, table.seq)
    table_close(actor=playing.user_with(playing.Role.ADMIN), table_id=table.public_id, reason="test")
    topic.read()
    assert topic.is_over and SOURCE.look(user=player, topic_id=table.public_id).is_over
    again = SOURCE.topic(table.public_id, topic.last_seq)
    again.read()
    assert again.is_over and not again.messages(after=topic.last_seq, viewer=None)


def test_a_table_of_a_hall_in_preparation_is_for_those_alone_who_may_know_of_the_hall(hall: Hall) -> None:
    table = make(hall).table
    Hall.objects.filter(pk=hall.pk).update(is_open=False, opened_at=None)
    operator = playing.user_with(playing.Role.OPERATOR, hall=hall)
    watched = SOURCE.look(user=operator, topic_id=table.public_id)
    assert SOURCE.admits(operator, watched)
    operator.role_grants.all().delete()
    assert not SOURCE.admits(User.objects.get(pk=operator.pk), watched)


@pytest.mark.parametrize("after", [0, 1, 298])
def test_who_resumes_after_long_is_told_in_portions_and_nothing_before_is_read(hall: Hall, after: int) -> None:
    table = make(hall).table
    events = [TableEvent(table=table, seq=seq, at=table.created_at, kind="seat_left", data={}) for seq in range(2, 500)]
    TableEvent.objects.bulk_create(events)
    topic = SOURCE.topic(table.public_id, after)
    topic.read()
    assert len(topic.told) == 499 - after + (after > 0)
    resumed, seen = after, list[int]()
    while batch := topic.messages(after=after, viewer=None):
        assert len(batch) <= MOST_AT_ONCE
        seen += [message.seq for message in batch]
        after = seen[-1]
    assert seen == list(range(resumed + 1, 500))


def test_word_of_an_event_is_given_when_it_is_committed(
    hall: Hall,
    player: User,
    settings: Any,
    monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    table, said = make(hall).table, Publishing()
    settings.VALKEY_URL = "unix:///nobody.sock"
    monkeypatch.setattr(publishing, "_publisher", lambda process_id: said)
    with django_capture_on_commit_callbacks(execute=True):
        table_sit(user=player, table_id=table.public_id)
        assert said.words == []
    assert [published(word.encode()) for word in said.words] == [("table", table.public_id, 2)]


class Publishing:
    """Keeps what would be published."""

    def __init__(self) -> None:
        self.words: list[str] = []

    def publish(self, word: str) -> None:
        self.words.append(word)

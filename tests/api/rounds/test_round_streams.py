"""A round's stream as a server sends it that keeps none open: no deadline that moved without a step is kept from a client."""

import json
import re
from datetime import datetime
from typing import Any

import pytest
from knox.models import AuthToken
from rest_framework.test import APIClient

from casino.streams.topics import Snapshot
from casino.users.models import User
from games.halls.models import Hall
from games.outages.models import Part
from games.rounds.models import Round
from games.rounds.streams import RoundSource
from tests import playing
from tests.services.outages.conftest import gap, seconds


@pytest.fixture
def opened(hall: Hall, player: User) -> Round:
    return Round.objects.get(commitment_id=playing.open_round(player, hall).round_id)


@pytest.fixture
def client(player: User) -> APIClient:
    """A client with a token: a stream is ended by it."""
    made = APIClient()
    made.credentials(HTTP_AUTHORIZATION=f"Bearer {AuthToken.objects.create(player)[1]}")
    return made


def outage(since: Round) -> None:
    assert gap(Part.WEB, since.opened_at + seconds(1), since.opened_at + seconds(61)) is not None


def test_who_resumes_after_an_outage_is_told_the_moved_deadline(opened: Round, player: User, client: APIClient) -> None:
    url = f"/api/v1/rounds/{opened.public_id}/stream?last_event_id=0"
    assert re.findall(rb"^event: .*$", client.get(url).getvalue(), re.M) == []
    before = deadline(client.get(f"/api/v1/rounds/{opened.public_id}").json())
    outage(opened)
    ((number, data),) = re.findall(rb"^event: position\nid: (.+)\ndata: (.+)$", client.get(url).getvalue(), re.M)
    assert (int(number), deadline(json.loads(data))) == (0, before + seconds(60))


def deadline(document: Any) -> datetime:
    return datetime.fromisoformat(document["deadline"])


def test_an_outage_while_a_stream_opens_is_not_taken_for_told(
    opened: Round, player: User, client: APIClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    look = RoundSource.look

    def slow_look(*arguments: Any, **named: Any) -> Snapshot:
        found = look(*arguments, **named)
        outage(opened)
        return found

    monkeypatch.setattr(RoundSource, "look", slow_look)
    answer: Any = client.get(f"/api/v1/rounds/{opened.public_id}/stream")
    assert answer.opened.epoch < RoundSource().epoch()

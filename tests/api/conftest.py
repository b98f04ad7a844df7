"""A hall, a player with money, and a client of theirs; every answer is held against the API's document."""

from typing import Any

import pytest
from rest_framework.test import APIClient

from casino.users.models import User
from games.halls.models import Hall
from tests import playing


@pytest.fixture(autouse=True)
def answers_are_as_documented(settings: Any) -> None:
    settings.MIDDLEWARE = [*settings.MIDDLEWARE, "tests.contract.Contract"]


@pytest.fixture
def hall(db: None) -> Hall:
    return playing.halls()["first"]


@pytest.fixture
def player(hall: Hall) -> User:
    return playing.player(hall)


@pytest.fixture
def client(player: User) -> APIClient:
    return playing.client(player)

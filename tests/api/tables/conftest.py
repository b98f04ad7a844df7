"""A hall, a player with money, and clients of the API."""

import pytest
from rest_framework.test import APIClient

from casino.users.models import User
from games.halls.models import Hall
from tests import playing


@pytest.fixture
def hall(db: None) -> Hall:
    return playing.halls()["first"]


@pytest.fixture
def player(hall: Hall) -> User:
    return playing.player(hall)


@pytest.fixture
def client(player: User) -> APIClient:
    return playing.client(player)

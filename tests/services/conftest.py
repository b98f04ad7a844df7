"""Halls and a player with money, in a transaction that is rolled back."""

import pytest

from casino.users.models import User
from games.halls.models import Hall
from tests import playing


@pytest.fixture
def halls(db: None) -> dict[str, Hall]:
    return playing.halls()


@pytest.fixture
def hall(halls: dict[str, Hall]) -> Hall:
    return halls["first"]


@pytest.fixture
def player(hall: Hall) -> User:
    return playing.player(hall)

"""Two halls of one currency and a gaming day of 23 hours, Kyiv's 29 March 2026, with one of everything that moves money.

The day lasts from 28 March 22:00 to 29 March 21:00 UTC. Anna and Dora play against the house, Boris and Clara at a table.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from uuid import UUID

import pytest
from pytest_django import DjangoDbBlocker

from casino.permissions import Role
from casino.users.models import User
from games.halls.models import Hall
from games.rounds.services import round_void
from tests.api.test_access_matrix import undone
from tests.playing import user_with
from tests.report_builders import (
    act,
    fold,
    hall_of,
    open_round,
    pay_in,
    pay_out,
    player_with,
    table_of,
    utc,
)
from wallets.services import deposit_reverse

DAY = "2026-03-29"
BET_WON = UUID(int=12)
"""A deal in which Ante and Bet of 100 and 200 come back with a win of 200."""


@dataclass(frozen=True)
class World:
    kyiv: Hall
    vienna: Hall
    anna: User
    boris: User
    clara: User
    dora: User
    voided: UUID


@pytest.fixture(scope="module")
def built(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[World]:
    """The world, built once for tests that take back what they do there; never in one module with ``committed_db``."""
    with django_db_blocker.unblock(), undone():
        yield world_build()


@pytest.fixture
def world(built: World) -> Iterator[World]:
    with undone():
        halls = [Hall.objects.get(pk=hall.pk) for hall in (built.kyiv, built.vienna)]
        yield replace(built, kyiv=halls[0], vienna=halls[1])


def world_build() -> World:
    kyiv, vienna = hall_of("kyiv"), hall_of("vienna", time_zone="Europe/Vienna")
    anna = player_with(kyiv, 10_000, utc("03-28 12:00"))
    before = open_round(anna, kyiv, utc("03-28 21:59"))
    pay_in(anna, kyiv, 1_000, utc("03-28 22:00"))
    fold(anna, before, utc("03-28 22:00"))
    dora = player_with(kyiv, 1_000, utc("03-29 08:00"))
    won = open_round(dora, kyiv, utc("03-29 09:00"), deal=BET_WON)
    act(dora, won, {"type": "bet", "box": 1}, utc("03-29 09:01"))
    voided = open_round(anna, kyiv, utc("03-29 10:00"))
    round_void(actor=user_with(Role.SUPERVISOR), round_id=voided, reason="the screen broke", now=utc("03-29 10:05"))
    boris, clara = player_with(vienna, 5_000, utc("03-29 08:00")), player_with(kyiv, 5_000, utc("03-29 08:00"))
    table_of(kyiv, [boris, clara], utc("03-29 12:00"), ante_minor=400).play_out(random.Random(1))
    slip = pay_in(anna, kyiv, 700, utc("03-29 15:00"))
    deposit_reverse(
        actor=user_with(Role.SUPERVISOR), transfer_id=slip.transfer.public_id, reason="a slip", now=utc("03-29 15:10")
    )
    pay_out(anna, kyiv, 500, utc("03-29 20:30"))
    last = open_round(anna, kyiv, utc("03-29 21:00") - timedelta(microseconds=1))
    fold(anna, last, utc("03-29 21:00"))
    return World(kyiv, vienna, anna, boris, clara, dora, voided)

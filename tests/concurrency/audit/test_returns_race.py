"""Several checks of the returns at once: a day is summed by one of them, once."""

from datetime import timedelta
from functools import partial
from random import Random

import pytest

from audit.returns.checking import returns_check
from audit.returns.models import ReturnsDay
from casino.db import now
from tests import playing
from tests.concurrency.racing import race
from tests.playing import open_round, play_out

pytestmark = pytest.mark.usefixtures("committed_db")


def test_checks_at_once_sum_a_day_once() -> None:
    hall = playing.halls()["first"]
    player = playing.player(hall)
    round_id = open_round(player, hall, playing.FOUR_BOXES).round_id
    play_out(player, round_id, Random(1))
    once_summed = now() + timedelta(days=2)
    outcomes = race([partial(returns_check, now=once_summed)] * 6)
    assert [each for each in outcomes if isinstance(each, Exception)] == []
    rows = ReturnsDay.objects.all()
    assert {(row.series, row.plays) for row in rows} == {("bonus", 4), ("blind_1", 1), ("blind_2", 1), ("open", 1)}
    assert len(rows) == 4

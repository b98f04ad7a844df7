"""Two beats at once: a period has one run."""

import pytest

from audit.fairness.models import FairnessRun
from audit.fairness.services import fairness_run
from tests.concurrency.racing import race


@pytest.mark.parametrize("attempts", [1, 4])
def test_beats_at_once_make_one_run(committed_db: str, attempts: int) -> None:
    for period in range(attempts):
        ends = race([lambda day=period: fairness_run(pack="seats-3", count=31, seed="a", period=f"day {day}")] * 4)
        assert sorted(map(len, ends)) == [0, 0, 0, 1]
    assert FairnessRun.objects.exclude(verdict=None).count() == FairnessRun.objects.count() == attempts

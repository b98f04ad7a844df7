"""The arithmetic of outages, beside a clock that is stopped while any part is away and counts second by second."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.outages.gaps import Gap, Loss


def at(second: int) -> datetime:
    return datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=second)


def gap(began: int, ended: int) -> Gap:
    return Gap(at(began), at(ended))


def moved(gaps: Sequence[Gap], since: int, allowed: int) -> datetime:
    """Let gaps become known one after the other, as play does."""
    deadline = at(since + allowed)
    for index, each in enumerate(gaps):
        deadline = Loss(each, gaps[:index]).deadline(deadline, at(since))
    return deadline


def counted(gaps: Sequence[Gap], since: int, allowed: int) -> datetime:
    """Count down the seconds in which everything was there."""
    second = since
    while allowed:
        allowed -= not any(each.began_at <= at(second) < each.ended_at for each in gaps)
        second += 1
    return at(second)


@pytest.mark.parametrize(
    ("deadline", "since", "expected"),
    [(15, 5, 25), (11, 10, 21), (100, 0, 110), (10, 5, 10), (9, 5, 9), (30, 12, 38), (13, 12, 21), (30, 20, 30), (40, 25, 40)],
    ids=["open", "last-second", "long", "at-its-start", "passed", "within", "within-short", "at-its-end", "later"],
)
def test_a_wait_has_after_a_gap_what_it_had_left_before(deadline: int, since: int, expected: int) -> None:
    assert Loss(gap(10, 20)).deadline(at(deadline), at(since)) == at(expected)


@pytest.mark.parametrize(
    "gaps",
    [
        [gap(10, 20), gap(12, 25)],
        [gap(12, 20), gap(10, 25)],
        [gap(10, 25), gap(12, 25)],
        [gap(12, 25), gap(10, 25)],
        [gap(10, 17), gap(17, 25)],
        [gap(10, 25), gap(10, 25)],
    ],
    ids=str,
)
@pytest.mark.parametrize("deadline", [11, 15, 30])
def test_what_both_were_away_for_is_given_back_once(gaps: list[Gap], deadline: int) -> None:
    assert moved(gaps, 5, deadline - 5) == at(deadline + 15)
    assert sum((Loss(each, gaps[:index]).lost(at(0)) for index, each in enumerate(gaps)), timedelta()) == timedelta(seconds=15)


def of_one_part(bounds: list[int]) -> list[Gap]:
    return [gap(*pair) for pair in zip(*[iter(sorted(bounds))] * 2, strict=False)]


PART = st.lists(st.integers(0, 60), max_size=6, unique=True).map(of_one_part)


@given(web=PART, sweep=PART, since=st.integers(0, 60), allowed=st.integers(1, 30))
def test_whatever_overlaps_a_wait_is_charged_no_second_of_it(web: list[Gap], sweep: list[Gap], since: int, allowed: int) -> None:
    gaps = sorted(web + sweep, key=lambda each: each.ended_at)
    assert moved(gaps, since, allowed) == counted(gaps, since, allowed)


@given(web=PART, sweep=PART, moment=st.integers(0, 60))
def test_what_is_lost_adds_up_to_all_the_time_in_which_anything_was_away(web: list[Gap], sweep: list[Gap], moment: int) -> None:
    gaps = sorted(web + sweep, key=lambda each: each.ended_at)
    away = {s for s in range(moment, 61) if any(each.began_at <= at(s) < each.ended_at for each in gaps)}
    lost = sum((Loss(each, gaps[:index]).lost(at(moment)) for index, each in enumerate(gaps)), timedelta())
    assert lost == timedelta(seconds=len(away))

"""A seat that is away is not waited for long, and the verifier knows which seat that is."""

import copy
from datetime import datetime, timedelta
from random import Random

import pytest

from games.core.engine import AWAY_AFTER, AWAY_SECONDS
from games.engines import current_engine
from games.verify import verify
from tests.rounds import action_of, record_of, text_of
from tests.unit.test_verify import divergence_of, rechained

ENGINE = current_engine("ukrainian_poker")
SETUP = {"seats": 2, "ante_minor": 10, "bid_timeout_seconds": 20, "play_timeout_seconds": 20}
LATE, COMES_BACK_AT = 0, 6


def _record():
    """A game in which seat 0 is late until its turn COMES_BACK_AT, then acts once, and is late again."""
    chance, turns = Random(5), [0, 0]

    def choose(state, seat):
        turns[seat] += 1
        if seat == LATE and turns[seat] - 1 != COMES_BACK_AT:
            return None
        return action_of(chance.choice(ENGINE.legal_actions(state, seat)), chance)

    return record_of(ENGINE, SETUP, Random(5), choose=choose)


RECORD = _record()
MOMENTS = [datetime.fromisoformat(step["at"]) for step in RECORD["steps"]]
LATE_STEPS = [step["seq"] for step in RECORD["steps"] if step["seat"] == LATE]


def waited(turn):
    """How long the record waited for the late seat in one of its turns; it was to act since the step before."""
    seq = LATE_STEPS[turn]
    return MOMENTS[seq] - MOMENTS[seq - 1]


def hurried(turn, seconds):
    """The record with the late seat's turn after so many seconds, and everything later as it was."""
    record, seq = copy.deepcopy(RECORD), LATE_STEPS[turn]
    at = MOMENTS[seq - 1] + timedelta(seconds=seconds)
    record["steps"][seq]["at"] = at.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    return rechained(record)


def test_after_three_time_outs_in_a_row_a_seat_is_away_until_it_acts():
    assert verify(text_of(RECORD)).status == "settled"
    seconds = [waited(turn).seconds for turn in range(COMES_BACK_AT + 6)]
    away = [AWAY_SECONDS] * (COMES_BACK_AT - AWAY_AFTER)
    assert seconds == [*[20] * AWAY_AFTER, *away, 1, *[20] * AWAY_AFTER, AWAY_SECONDS, AWAY_SECONDS]


@pytest.mark.parametrize("turn", [0, AWAY_AFTER - 1, COMES_BACK_AT + 1, COMES_BACK_AT + AWAY_AFTER])
def test_a_seat_that_is_not_away_has_its_full_time(turn):
    assert divergence_of(hurried(turn, AWAY_SECONDS)).startswith(f"step {LATE_STEPS[turn]}: at: the time-out comes before")
    assert divergence_of(hurried(turn, 19.999999)).startswith(f"step {LATE_STEPS[turn]}: at:")
    assert verify(text_of(hurried(turn, 20)))


@pytest.mark.parametrize("turn", [AWAY_AFTER, COMES_BACK_AT - 1, COMES_BACK_AT + AWAY_AFTER + 1])
def test_one_that_is_away_has_its_short_one(turn):
    assert divergence_of(hurried(turn, AWAY_SECONDS - 0.000001)).startswith(f"step {LATE_STEPS[turn]}: at:")
    assert verify(text_of(hurried(turn, AWAY_SECONDS)))

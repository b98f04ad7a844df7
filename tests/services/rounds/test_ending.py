"""Time-outs and voids: who ends a round when its player does not."""

import random
from datetime import timedelta
from unittest.mock import ANY

import pytest

from audit.models import AuditRecord
from casino.errors import Conflict, NotFound
from casino.permissions import Role
from casino.users.models import User
from games.halls.models import Hall
from games.rounds.models import Round, RoundRecord, RoundStep
from games.rounds.services import round_expire, round_void
from games.verify import verify
from tests import playing
from tests.playing import FOUR_BOXES, Books, act, balance, commit, look, open_round, play_out

DAY = timedelta(seconds=86_400)


def expire(round_id: object, now: object) -> int:
    return round_expire(round_id=round_id, now=now)


def void(round_id: object, actor: User) -> object:
    return round_void(actor=actor, round_id=round_id, reason="the table's camera failed")


@pytest.fixture
def supervisor(db: None) -> User:
    return playing.user_with(Role.SUPERVISOR)


def test_rp_7_1_an_abandoned_round_is_played_to_its_end_in_one_go(hall: Hall, player: User) -> None:
    step = open_round(player, hall, FOUR_BOXES)
    opened = Round.objects.get(commitment_id=step.round_id).opened_at
    steps = expire(step.round_id, opened + DAY)
    row = Round.objects.get(commitment_id=step.round_id)
    made = RoundStep.objects.filter(round=row, seq__gt=0)
    assert row.status == Round.Status.SETTLED
    assert steps == made.count() >= 2
    assert {(step.origin, step.at) for step in made} == {("timeout", opened + DAY)}
    verify(RoundRecord.objects.get(round=row).document.encode())


def test_rp_7_1_the_clock_runs_from_the_last_accepted_action(hall: Hall, player: User) -> None:
    step = open_round(player, hall, FOUR_BOXES)
    opened = Round.objects.get(commitment_id=step.round_id).opened_at
    acted = opened + timedelta(hours=5)
    act(player, step.round_id, {"type": "bet", "box": 1}, now=acted)
    assert expire(step.round_id, acted + DAY - timedelta(microseconds=1)) == 0
    assert expire(step.round_id, acted + DAY) > 0


def test_a_late_double_or_lost_sweep_does_nothing(hall: Hall, player: User) -> None:
    step = open_round(player, hall)
    due = Round.objects.get(commitment_id=step.round_id).opened_at + DAY
    assert expire(step.round_id, due - timedelta(seconds=1)) == 0
    assert expire(step.round_id, due) > 0
    books = Books.read()
    assert expire(step.round_id, due + DAY) == 0
    assert expire(commit(player, hall), due) == 0
    assert Books.read() == books


def test_an_action_after_the_time_out_is_told_that_its_turn_is_over(hall: Hall, player: User) -> None:
    step = open_round(player, hall)
    expire(step.round_id, Round.objects.get(commitment_id=step.round_id).opened_at + DAY)
    with pytest.raises(Conflict) as refusal:
        act(player, step.round_id, {"type": "bet", "box": 1}, turn=1)
    assert refusal.value.code == "turn_already_played"


@pytest.mark.parametrize("chance", range(12))
def test_rp_7_3_a_void_returns_every_stake_once(hall: Hall, player: User, supervisor: User, chance: int) -> None:
    rng = random.Random(chance)
    before = balance(player)
    step = open_round(player, hall, FOUR_BOXES)
    for _ in range(rng.randint(0, 6)):
        going_on = [spec for spec in playing.legal(player, step.round_id) if spec.type not in ("open_dealer", "continue", "fold")]
        if going_on and look(player, step.round_id)["view"]["deciding_box"] != 2:
            act(player, step.round_id, playing.choose(going_on, rng))
    won_so_far = balance(player) - before
    void(step.round_id, supervisor)
    row = Round.objects.get(commitment_id=step.round_id)
    assert balance(player) == before + max(0, won_so_far)
    assert (row.status, row.escrow.balance_minor) == ("voided", 0)
    verify(RoundRecord.objects.get(round=row).document.encode())


def test_rp_7_3_a_void_before_any_win_leaves_the_player_as_before(hall: Hall, player: User, supervisor: User) -> None:
    before = balance(player)
    step = open_round(player, hall, {"boxes": [{"box": 2, "ante_minor": 50}, {"box": 3, "ante_minor": 70}]})
    act(player, step.round_id, {"type": "sixth_card", "box": 2})
    act(player, step.round_id, {"type": "fold", "box": 2})
    void(step.round_id, supervisor)
    assert balance(player) == before
    with pytest.raises(Conflict) as refusal:
        void(step.round_id, supervisor)
    assert refusal.value.code == "round_closed"
    assert balance(player) == before


def test_a_void_is_recorded_with_who_and_why_and_reveals_the_seed(hall: Hall, player: User, supervisor: User) -> None:
    step = open_round(player, hall)
    void(step.round_id, supervisor)
    record = AuditRecord.objects.get(action="round_voided")
    assert (record.actor, record.reason, record.subject_id) == (supervisor, "the table's camera failed", str(step.round_id))
    assert record.after == {"status": "voided", "seq": 1, "returned_minor": ANY}
    assert look(player, step.round_id)["server_seed"] is not None
    assert look(player, step.round_id)["status"] == "voided"


def test_a_settled_or_unknown_round_cannot_be_voided(hall: Hall, player: User, supervisor: User) -> None:
    step = open_round(player, hall)
    play_out(player, step.round_id, random.Random(1))
    books = Books.read()
    with pytest.raises(Conflict):
        void(step.round_id, supervisor)
    with pytest.raises(NotFound):
        void(commit(player, hall), supervisor)
    assert Books.read() == books

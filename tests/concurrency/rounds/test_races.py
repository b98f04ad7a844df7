"""Openings, actions and time-outs of several at once; each race with a control that shows the fault without its lock."""

import threading
from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import psycopg
import pytest

from casino import idempotency
from casino.errors import Conflict, DomainError
from casino.permissions import Role
from casino.users.models import User
from games.halls.models import Hall
from games.halls.services import hall_create, hall_open, limit_set_publish, pay_table_publish
from games.rounds.models import Round, RoundSeat, RoundStep
from games.rounds.services import round_act, round_expire, round_void
from tests import playing
from tests.concurrency.gate import race_behind, without_balance_check, without_posting_lock, without_the_rounds_lock
from tests.concurrency.racing import race
from tests.playing import ENGINE, Books, balance, commit, open_round
from wallets.models import Account

HALLS = 50
ONE_STAKE = {"boxes": [{"box": 1, "ante_minor": 100}]}


def equal_halls(count: int) -> list[Hall]:
    admin = playing.user_with(Role.ADMIN)
    halls = []
    for number in range(count):
        hall = hall_create(
            actor=admin, code=f"hall-{number}", name=f"Hall {number}", currency="EUR", time_zone="UTC", reason="test"
        )
        for publish, data in (
            (limit_set_publish, ENGINE.default_limits["first"]),
            (pay_table_publish, ENGINE.default_pay_table),
        ):
            arguments = {"hall_id": hall.public_id, "version": hall.version, "game": playing.GAME}
            hall = publish(actor=admin, **arguments, data=data, reason="test").hall
        halls.append(hall_open(actor=admin, hall_id=hall.public_id, version=hall.version, reason="test"))
    return halls


def refusals(outcomes: list[Any]) -> list[Exception]:
    return [outcome for outcome in outcomes if isinstance(outcome, Exception)]


def codes(outcomes: list[Any]) -> set[str]:
    return {getattr(refusal, "code", repr(refusal)) for refusal in refusals(outcomes)}


def test_50_openings_in_50_halls_with_funds_for_one(committed_db: str) -> None:
    halls = equal_halls(HALLS)
    player = playing.player(halls[0], 300)
    ids = [commit(player, hall) for hall in halls]
    outcomes = race([lambda h=h, i=i: open_round(player, h, ONE_STAKE, round_id=i) for h, i in zip(halls, ids, strict=True)])
    assert codes(outcomes) == {"insufficient_funds"}
    assert len(refusals(outcomes)) == HALLS - 1
    assert balance(player) == 0
    assert Round.objects.count() == 1
    assert sum(Books.read().balances.values()) == 0


def eight_rounds_with_money_for_one_more_card() -> tuple[User, list[Callable[[], object]]]:
    halls = equal_halls(8)
    player = playing.player(halls[0], 8 * 300 + 100)
    ids = [open_round(player, hall, ONE_STAKE).round_id for hall in halls]
    sixth_card = {"type": "sixth_card", "box": 1}
    return player, [lambda i=i: playing.act(player, i, sixth_card, turn=1) for i in ids]


def test_cards_bought_in_8_halls_with_funds_for_one(committed_db: str) -> None:
    player, calls = eight_rounds_with_money_for_one_more_card()
    outcomes = race(calls)
    assert codes(outcomes) == {"insufficient_funds"}
    assert len(refusals(outcomes)) == 7
    assert balance(player) == 0


def test_control_without_the_postings_lock_and_the_check_each_is_sold(
    owner_connection: "psycopg.Connection[tuple[object, ...]]",
) -> None:
    player, calls = eight_rounds_with_money_for_one_more_card()
    without_posting_lock(owner_connection)
    without_balance_check(owner_connection)
    assert not refusals(race_behind(owner_connection, [Account.objects.get(user=player).pk], calls))
    assert balance(player) == -700


def test_50_openings_in_one_hall_open_one_round(committed_db: str) -> None:
    (hall,) = equal_halls(1)
    player = playing.player(hall, 100_000)
    round_id = commit(player, hall)
    outcomes = race([lambda: open_round(player, hall, ONE_STAKE, round_id=round_id)] * 50)
    assert len(refusals(outcomes)) == 49
    assert codes(outcomes) <= {"commitment_mismatch", "busy"}
    assert Round.objects.count() == 1
    assert balance(player) == 100_000 - 300


def test_50_equal_actions_have_one_effect_and_one_answer(committed_db: str) -> None:
    (hall,) = equal_halls(1)
    player = playing.player(hall)
    step = open_round(player, hall, ONE_STAKE)
    sixth_card = {"type": "sixth_card", "box": 1}
    outcomes = race([lambda: playing.act(player, step.round_id, sixth_card, turn=1)] * 50)
    assert {o.step.seq for o in outcomes if not isinstance(o, Exception)} == {1}
    assert codes(outcomes) <= {"busy"}
    assert RoundStep.objects.filter(round__commitment_id=step.round_id).count() == 2
    assert balance(player) == 100_000 - 400


def duels(count: int) -> Counter[str]:
    """Race an action against the time-out of its round, ``count`` times; tell who won, and check each round."""
    (hall,) = equal_halls(1)
    players = [playing.player(hall, 300) for _ in range(count)]
    ids = [open_round(player, hall, ONE_STAKE).round_id for player in players]
    deadlines = dict(RoundSeat.objects.values_list("round__commitment_id", "deadline"))
    together = threading.Barrier(2)
    fold = {"type": "fold", "box": 1}

    def attempt(call: Callable[[], Any]) -> Any:
        together.wait(timeout=60)
        try:
            return call()
        except DomainError as error:
            return error

    def act_in_all() -> list[Any]:
        moments = [deadlines[round_id] - timedelta(microseconds=1) for round_id in ids]
        return [
            attempt(lambda p=p, i=i, m=m: round_act(user=p, round_id=i, turn=1, action=fold, now=m))
            for p, i, m in zip(players, ids, moments, strict=True)
        ]

    def expire_all() -> list[Any]:
        return [attempt(lambda i=i: round_expire(round_id=i, now=deadlines[i])) for i in ids]

    acted, expired = race([act_in_all, expire_all])
    return Counter(map(_winner, ids, acted, expired))


def _winner(round_id: Any, acted: Any, expired: Any) -> str:
    row = Round.objects.select_related("escrow").get(commitment_id=round_id)
    origins = list(RoundStep.objects.filter(round=row, seq__gt=0).values_list("origin", flat=True))
    assert (row.status, row.escrow.balance_minor) == ("settled", 0)
    if isinstance(acted, Exception):
        assert isinstance(acted, Conflict), repr(acted)
        assert acted.code == "turn_already_played"
        assert expired >= 1
        assert set(origins) == {"timeout"}
        return "time-out"
    assert expired == 0
    assert origins == ["player"]
    return "action"


def test_action_against_time_out_500_times_has_one_winner_each(committed_db: str) -> None:
    winners = duels(500)
    assert sum(winners.values()) == 500
    assert len(winners) == 2
    assert sum(Books.read().balances.values()) == 0


def test_control_without_the_rounds_lock_both_sides_play(committed_db: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the lock both read the same open round, and only the escrow's balance then keeps the second one out."""
    without_the_rounds_lock(monkeypatch, 2)
    (hall,) = equal_halls(1)
    player = playing.player(hall, 1_000)
    step = open_round(player, hall, ONE_STAKE)
    deadline = RoundSeat.objects.get(round__commitment_id=step.round_id).deadline
    fold, before = {"type": "fold", "box": 1}, deadline - timedelta(microseconds=1)
    outcomes = race(
        [
            lambda: round_act(user=player, round_id=step.round_id, turn=1, action=fold, now=before),
            lambda: round_expire(round_id=step.round_id, now=deadline),
        ]
    )
    (refusal,) = refusals(outcomes)
    assert not isinstance(refusal, Conflict), "the round itself refused the second one"


def test_settling_against_a_void_has_one_winner(committed_db: str) -> None:
    (hall,) = equal_halls(1)
    supervisor = playing.user_with(Role.SUPERVISOR)
    for _ in range(40):
        player = playing.player(hall, 1_000)
        step = open_round(player, hall, ONE_STAKE)
        outcomes = race(
            [
                lambda p=player, s=step: playing.act(p, s.round_id, {"type": "fold", "box": 1}, turn=1),
                lambda s=step: round_void(actor=supervisor, round_id=s.round_id, reason="race"),
            ]
        )
        assert len(refusals(outcomes)) == 1
        assert codes(outcomes) == {"round_closed"}
        is_voided = Round.objects.get(commitment_id=step.round_id).status == "voided"
        assert balance(player) == (1_000 if is_voided else 900)


def test_sweeps_at_once_play_each_round_once(committed_db: str) -> None:
    (hall,) = equal_halls(1)
    players = [playing.player(hall, 1_000) for _ in range(10)]
    ids = [open_round(player, hall, ONE_STAKE).round_id for player in players]
    due = max(RoundSeat.objects.values_list("deadline", flat=True))

    def sweep() -> int:
        return sum(round_expire(round_id=round_id, now=due) for round_id in ids)

    outcomes = race([sweep] * 3)
    assert not refusals(outcomes)
    assert set(Round.objects.values_list("status", flat=True)) == {"settled"}
    assert sum(outcomes) == RoundStep.objects.filter(origin="timeout").count()
    assert sum(Books.read().balances.values()) == 0


def test_50_equal_openings_with_one_key_have_one_effect_and_one_answer(committed_db: str) -> None:
    (hall,) = equal_halls(1)
    player = playing.player(hall)
    body = playing.opening_body(player, hall)

    def request() -> Any:
        return playing.client(player).post("/api/v1/rounds", body, format="json", headers={"Idempotency-Key": "one"})

    answers = race([request] * 50)
    created = [answer for answer in answers if answer.status_code == 201]
    assert created
    assert len({answer.content for answer in created}) == 1
    assert {answer.json()["code"] for answer in answers if answer.status_code != 201} <= {"idempotency_in_progress"}
    assert request().content == created[0].content
    assert Round.objects.count() == 1
    assert RoundSeat.objects.get().staked_minor >= 110


def test_control_equal_openings_without_a_key_lock_fail_in_other_ways(committed_db: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the key's lock the copies run side by side, and what keeps them apart is no longer one kept answer."""
    meeting = threading.Barrier(20)

    def looked(effect: Any) -> Any:
        meeting.wait(timeout=60)
        return carry_out(effect)

    carry_out = idempotency._carry_out
    monkeypatch.setattr(idempotency, "_lock", lambda scope_hash: None)
    monkeypatch.setattr(idempotency, "_carry_out", looked)
    (hall,) = equal_halls(1)
    player = playing.player(hall)
    body = playing.opening_body(player, hall)

    def request() -> Any:
        return playing.client(player).post("/api/v1/rounds", body, format="json", headers={"Idempotency-Key": "one"})

    answers = race([request] * 20)
    others = [answer for answer in answers if answer.status_code != 201]
    assert {answer.json()["code"] for answer in others} - {"idempotency_in_progress"}

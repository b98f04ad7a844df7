"""Outages that end while others beat and play; each race with a control that shows the fault without its lock."""

import random
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from typing import Any

import psycopg
import pytest
from psycopg.errors import DeadlockDetected

from casino.db import now
from casino.errors import Busy
from casino.users.models import User
from games.engines import current_engine
from games.halls.models import Hall
from games.outages import services
from games.outages.beating import WebHeartbeat
from games.outages.models import Heartbeat, Outage, Part
from games.outages.selectors import losses_since
from games.outages.services import heartbeat_write
from games.rounds import waits
from games.rounds.models import Round, RoundSeat, RoundStep
from games.rounds.replay import position_load, position_until, round_replay
from games.rounds.services import round_act
from tests import playing
from tests.concurrency.gate import patient
from tests.concurrency.racing import race
from tests.playing import open_round
from tests.rounds import action_of
from tests.table_builders import Game, ready
from wallets.models import Account

DAY = timedelta(days=1)
SIXTH_CARD = {"type": "sixth_card", "box": 1}
_WAITING = """
    SELECT count(DISTINCT waiter.pid) FROM pg_locks waiter JOIN pg_locks present USING (pid)
    WHERE NOT waiter.granted AND present.database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""


@pytest.fixture
def hall(committed_db: str) -> Hall:
    return playing.halls()["first"]


@pytest.fixture
def player(hall: Hall) -> User:
    return playing.player(hall)


@pytest.fixture
def opened(hall: Hall, player: User) -> Round:
    return Round.objects.get(commitment_id=open_round(player, hall).round_id)


def seen(part: Part, moment: datetime) -> None:
    Heartbeat.objects.filter(part=part).update(beat_at=moment)


def beats_at_once(opened: Round) -> list[Any]:
    seen(Part.WEB, opened.opened_at)
    return race([lambda: heartbeat_write(part=Part.WEB, now=opened.opened_at + timedelta(seconds=60))] * 8)


def test_8_beats_at_once_end_one_outage(opened: Round) -> None:
    outcomes = beats_at_once(opened)
    assert [type(outcome) for outcome in outcomes if outcome is not None] == [Outage]
    assert RoundSeat.objects.get().deadline == opened.opened_at + DAY + timedelta(seconds=60)


def test_control_without_the_heartbeats_lock_each_beat_ends_it(opened: Round, monkeypatch: pytest.MonkeyPatch) -> None:
    together = threading.Barrier(8)

    def unlocked(part: Part, *, before: datetime) -> Heartbeat:
        found = Heartbeat.objects.get(part=part)
        together.wait(timeout=60)
        return found

    monkeypatch.setattr(services, "heartbeat_lock", unlocked)
    assert [type(outcome) for outcome in beats_at_once(opened)] == [Outage] * 8


def both_back_at_once(opened: Round) -> datetime:
    start = opened.opened_at
    for part, began in ((Part.WEB, 10), (Part.SWEEP, 20)):
        seen(part, start + timedelta(seconds=began))
    outcomes = race([lambda p=p: heartbeat_write(part=p, now=start + timedelta(seconds=60)) for p in Part])
    assert [type(outcome) for outcome in outcomes] == [Outage] * 2
    found = RoundSeat.objects.get().deadline
    assert found is not None
    return found


def test_both_parts_back_at_once_move_deadlines_once(opened: Round) -> None:
    assert both_back_at_once(opened) == opened.opened_at + DAY + timedelta(seconds=50)


def test_control_without_the_outages_lock_they_move_twice(opened: Round, monkeypatch: pytest.MonkeyPatch) -> None:
    together = threading.Barrier(2)
    known = services.gaps_known

    def unlocked(*, ended_after: datetime) -> Any:
        found = known(ended_after=ended_after)
        together.wait(timeout=60)
        return found

    monkeypatch.setattr(services, "outages_lock", lambda: None)
    monkeypatch.setattr(services, "gaps_known", unlocked)
    assert both_back_at_once(opened) == opened.opened_at + DAY + timedelta(seconds=90)


def beat_during_an_action(owner: psycopg.Connection, opened: Round, player: User) -> list[Any]:
    """Let an action read its round and come as far as its payment, then an outage end, then the action go on."""
    start = opened.opened_at
    seen(Part.SWEEP, start + timedelta(seconds=10))
    action = lambda: round_act(  # noqa: E731 it is handed to a thread
        user=player, round_id=opened.public_id, turn=1, action=SIXTH_CARD, now=start + timedelta(seconds=30)
    )
    beat = lambda: heartbeat_write(part=Part.SWEEP, now=start + timedelta(seconds=60))  # noqa: E731
    with ThreadPoolExecutor(2) as pool:
        with owner.transaction():
            owner.execute("SELECT FROM wallets_account WHERE id = %s FOR NO KEY UPDATE", [Account.objects.get(user=player).pk])
            acting = pool.submit(race, [patient(action)])
            waited_for(owner, 1, acting.done)
            beating = pool.submit(race, [patient(beat)])
            waited_for(owner, 2, beating.done)
        return [*acting.result(), *beating.result()]


def waited_for(owner: psycopg.Connection, number: int, done: Callable[[], bool]) -> None:
    pause = threading.Event()
    while not done() and owner.execute(_WAITING).fetchone() != (number,):
        pause.wait(0.01)


def test_a_running_action_does_not_undo_a_move(owner_connection: psycopg.Connection, opened: Round, player: User) -> None:
    _, outage = beat_during_an_action(owner_connection, opened, player)
    assert (type(outage), outage.deadlines_moved) == (Outage, 1)
    assert RoundSeat.objects.get().deadline == opened.opened_at + DAY + timedelta(seconds=60)


def test_control_without_the_rounds_lock_action_and_move_lock_each_other_out(
    owner_connection: psycopg.Connection, opened: Round, player: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waits, "rounds_waiting_lock", lambda *, after: list(Round.objects.all()))
    outcomes = beat_during_an_action(owner_connection, opened, player)
    assert [type(outcome.__cause__.__cause__) for outcome in outcomes if isinstance(outcome, Busy)] == [DeadlockDetected]


def test_play_and_outages_in_a_crowd_wait_for_no_one_for_ever_and_lose_no_move(hall: Hall) -> None:
    players = [playing.player(hall) for _ in range(8)]
    ids = [open_round(player, hall).round_id for player in players]

    def play(player: User, round_id: Any, chance: random.Random) -> None:
        for _ in range(4):
            going_on = [spec for spec in playing.legal(player, round_id) if spec.type in ("sixth_card", "swap_cards")]
            if going_on:
                playing.act(player, round_id, playing.choose(going_on, chance))

    def beat(part: Part) -> None:
        for _ in range(6):
            seen(part, now() - timedelta(seconds=4))
            heartbeat_write(part=part)

    calls: list[Callable[[], Any]] = [lambda p=p: beat(p) for p in Part]
    calls += [lambda p=p, i=i, n=n: play(p, i, random.Random(n)) for n, (p, i) in enumerate(zip(players, ids, strict=True))]
    outcomes = race([patient(call) for call in calls])
    assert [outcome for outcome in outcomes if isinstance(outcome, Exception) and not isinstance(outcome, Busy)] == []
    assert Outage.objects.count() >= 2
    assert RoundStep.objects.count() > len(ids)
    assert all(rows_as_replayed(row) for row in Round.objects.filter(status="open"))


def rows_as_replayed(row: Round) -> bool:
    """Whether a round's rows have the deadlines that its steps and the outages, one after the other, lead to."""
    seats = list(row.seats.select_related("user").order_by("index"))
    last = round_replay(row, seats, engine=current_engine(row.game))[-1]
    position = position_until(last, losses_since(row.opened_at), now())
    replayed = [(seat.deadline, seat.waiting_since) for seat in position.seats]
    return position.acted_at == row.acted_at and replayed == [(seat.deadline, seat.waiting_since) for seat in seats]


def test_seats_that_think_at_once_lose_no_move_to_each_other(committed_db: str) -> None:
    game = Game.seated(playing.halls()["first"], 4, game="chinese_poker")
    for player in game.players:
        ready(player, game.table_id)
    row = Round.objects.get()
    engine, chance = current_engine(row.game), random.Random(1)
    state = position_load(row, list(row.seats.order_by("index")), engine=engine).state
    before = dict(row.seats.values_list("index", "deadline"))

    def arrange(seat: RoundSeat) -> None:
        action = action_of(engine.legal_actions(state, seat.index)[0], chance)
        round_act(user=seat.user, round_id=row.public_id, turn=seat.turn, action=action)

    def beat() -> None:
        for part in Part:
            seen(part, now() - timedelta(seconds=4))
            heartbeat_write(part=part)

    acting = row.seats.select_related("user").order_by("index")[:3]
    outcomes = race([patient(beat), *(patient(lambda s=s: arrange(s)) for s in acting)])
    assert [outcome for outcome in outcomes if isinstance(outcome, Exception)] == []
    row.refresh_from_db()
    assert rows_as_replayed(row)
    moved = sum(Outage.objects.values_list("lost", flat=True), timedelta())
    assert row.seats.get(index=3).deadline - before[3] <= moved
    assert row.seats.filter(deadline__isnull=False).count() == 1


def test_the_web_beats_until_it_is_stopped(committed_db: str) -> None:
    heartbeat = WebHeartbeat()
    heartbeat.start()
    pause = threading.Event()
    while Heartbeat.objects.get(part=Part.WEB).beat_at is None:
        pause.wait(0.01)
    heartbeat.stopped.set()
    heartbeat.join(timeout=60)
    assert not heartbeat.is_alive()


def test_a_beat_that_the_database_does_not_take_is_survived_and_told_once(
    owner_connection: psycopg.Connection, caplog: pytest.LogCaptureFixture
) -> None:
    heartbeat = WebHeartbeat()
    owner_connection.execute("ALTER TABLE outages_heartbeat RENAME TO gone")
    for _ in range(3):
        heartbeat.beat()
    assert ["heartbeat_failed" in record.getMessage() for record in caplog.records] == [True]
    owner_connection.execute("ALTER TABLE gone RENAME TO outages_heartbeat")
    heartbeat.beat()
    assert Heartbeat.objects.get(part=Part.WEB).beat_at is not None

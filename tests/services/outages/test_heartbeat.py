"""An outage of web or sweep is not charged to players: their deadlines move by it, once, and nothing runs out before."""

from datetime import datetime, timedelta
from itertools import permutations

import pytest

from audit.models import AuditRecord
from casino.users.models import User
from games.engines import current_engine
from games.halls.models import Hall
from games.outages.models import Heartbeat, Outage, Part
from games.outages.selectors import heartbeat_age, losses_since, sweep_limit
from games.outages.services import heartbeat_write
from games.rounds.models import Round, RoundRecord, RoundSeat, RoundStep
from games.rounds.replay import position_until, round_replay
from games.rounds.selectors import round_now
from games.rounds.services import round_expire
from games.rounds.tasks import deadlines_expire
from games.verify import verify
from tests.playing import act, open_round
from tests.services.outages.conftest import gap, seconds

DAY = timedelta(days=1)
WEB, SWEEP = Part.WEB, Part.SWEEP


@pytest.fixture
def opened(hall: Hall, player: User) -> Round:
    return Round.objects.get(commitment_id=open_round(player, hall).round_id)


def deadline() -> datetime:
    found = RoundSeat.objects.get().deadline
    assert found is not None
    return found


@pytest.mark.parametrize("part", Part)
def test_a_parts_first_beat_ends_no_outage(opened: Round, part: Part) -> None:
    assert heartbeat_age(part) is None
    assert heartbeat_write(part=part, now=opened.opened_at + DAY / 2) is None
    assert Heartbeat.objects.get(part=part).beat_at == opened.opened_at + DAY / 2
    assert deadline() == opened.opened_at + DAY


def test_beats_up_to_three_seconds_apart_move_nothing(opened: Round) -> None:
    for number in range(1, 5):
        assert heartbeat_write(part=WEB, now=opened.opened_at + seconds(3 * number)) is None
    assert deadline() == opened.opened_at + DAY
    assert not Outage.objects.exists()


@pytest.mark.parametrize("part", Part)
def test_a_longer_gap_moves_an_open_deadline_at_once_and_is_recorded(opened: Round, player: User, part: Part) -> None:
    began = opened.opened_at + seconds(1)
    outage = gap(part, began, began + seconds(60))
    assert outage is not None
    assert (outage.began_at, outage.ended_at, outage.lost) == (began, began + seconds(60), seconds(60))
    assert deadline() == opened.opened_at + DAY + seconds(60)
    shown = round_now(user=player, round_id=opened.public_id)
    assert datetime.fromisoformat(shown["deadline"]) == datetime.fromisoformat(shown["seats"][0]["deadline"]) == deadline()
    record = AuditRecord.objects.get(action="outage_ended")
    assert (record.actor, record.subject_id) == (None, str(outage.pk))
    assert record.before is not None and record.before["part"] == part
    assert record.after is not None and record.after["deadlines_moved"] == outage.deadlines_moved == 1


@pytest.mark.parametrize("late", [0.0, 0.4, -5.0])
def test_a_second_beat_or_a_late_one_changes_nothing(opened: Round, late: float) -> None:
    began = opened.opened_at
    ended = began + seconds(60)
    gap(WEB, began, ended)
    assert heartbeat_write(part=WEB, now=ended + seconds(late)) is None
    assert Heartbeat.objects.get(part=WEB).beat_at == ended
    assert Outage.objects.count() == 1
    assert deadline() == opened.opened_at + DAY + seconds(60)


@pytest.mark.parametrize("first", list(permutations(Part)))
@pytest.mark.parametrize(("began", "ended"), [((10, 20), (30, 40)), ((20, 10), (30, 40)), ((10, 10), (40, 40))])
def test_while_both_are_away_deadlines_move_once(
    opened: Round, first: tuple[Part, Part], began: tuple[int, int], ended: tuple[int, int]
) -> None:
    for part, from_, to in zip(first, began, ended, strict=True):
        gap(part, opened.opened_at + seconds(from_), opened.opened_at + seconds(to))
    assert deadline() == opened.opened_at + DAY + seconds(30)
    assert sum(Outage.objects.values_list("lost", flat=True), timedelta()) == seconds(30)


def test_after_a_night_without_anything_every_wait_goes_on_where_it_was(opened: Round) -> None:
    Heartbeat.objects.update(beat_at=opened.opened_at + seconds(10))
    morning = opened.opened_at + 2 * DAY
    heartbeat_write(part=SWEEP, now=morning)
    assert round_expire(round_id=opened.public_id, now=morning) == 0
    heartbeat_write(part=WEB, now=morning + seconds(2))
    assert deadline() == morning + seconds(2) + DAY - seconds(10)


def test_a_deadline_set_in_the_gap_moves_by_what_it_ran_through(opened: Round, player: User) -> None:
    acted = opened.opened_at + seconds(20)
    act(player, opened.public_id, {"type": "sixth_card", "box": 1}, now=acted)
    gap(SWEEP, opened.opened_at + seconds(5), opened.opened_at + seconds(50))
    assert deadline() == acted + DAY + seconds(30)


def test_a_deadline_set_after_the_gap_stays(opened: Round, player: User) -> None:
    acted = opened.opened_at + seconds(60)
    act(player, opened.public_id, {"type": "sixth_card", "box": 1}, now=acted)
    gap(SWEEP, opened.opened_at + seconds(5), acted)
    assert deadline() == acted + DAY


def test_a_deadline_that_had_passed_before_the_gap_stays_and_is_expired(opened: Round) -> None:
    passed = opened.opened_at + DAY
    gap(WEB, passed, passed + seconds(60))
    assert deadline() == passed
    assert round_expire(round_id=opened.public_id, until=passed, now=passed + seconds(60)) > 0


def test_an_action_is_taken_until_the_moved_deadline(opened: Round, player: User) -> None:
    gap(WEB, opened.opened_at + DAY - seconds(10), opened.opened_at + DAY + seconds(50))
    assert round_expire(round_id=opened.public_id, now=opened.opened_at + DAY + seconds(59)) == 0
    act(player, opened.public_id, {"type": "fold", "box": 1}, now=opened.opened_at + DAY + seconds(59))
    verify(RoundRecord.objects.get(round=opened).document.encode())


def test_time_runs_out_at_the_moved_deadline_and_the_record_verifies(opened: Round) -> None:
    gap(WEB, opened.opened_at + seconds(5), opened.opened_at + seconds(65))
    due = opened.opened_at + DAY + seconds(60)
    assert round_expire(round_id=opened.public_id, now=due - timedelta(microseconds=1)) == 0
    assert round_expire(round_id=opened.public_id, now=due) > 0
    opened.refresh_from_db()
    assert opened.status == Round.Status.SETTLED
    verify(RoundRecord.objects.get(round=opened).document.encode())


def replayed(row: Round, until: datetime) -> list[datetime | None]:
    seats = list(row.seats.select_related("user").order_by("index"))
    last = round_replay(row, seats, engine=current_engine(row.game))[-1]
    return [seat.deadline for seat in position_until(last, losses_since(row.opened_at), until).seats]


def test_a_replay_moves_deadlines_as_they_were_moved(opened: Round, player: User) -> None:
    start = opened.opened_at
    gap(WEB, start + seconds(5), start + seconds(20))
    act(player, opened.public_id, {"type": "sixth_card", "box": 1}, now=start + seconds(30))
    gap(SWEEP, start + seconds(15), start + seconds(40))
    gap(WEB, start + seconds(35), start + seconds(50))
    opened.refresh_from_db()
    assert replayed(opened, start + seconds(60)) == [deadline()] == [start + seconds(50) + DAY]
    assert opened.acted_at == start + seconds(50)


def test_the_sweep_lets_run_out_only_what_had_passed_when_the_web_was_last_seen(opened: Round) -> None:
    RoundSeat.objects.update(deadline=opened.opened_at, waiting_since=opened.opened_at)
    Heartbeat.objects.filter(part=WEB).update(beat_at=opened.opened_at - seconds(1))
    assert deadlines_expire() == 0
    assert sweep_limit() == opened.opened_at - seconds(1)
    Heartbeat.objects.filter(part=WEB).update(beat_at=opened.opened_at)
    assert deadlines_expire() > 0
    assert RoundStep.objects.filter(round=opened, origin="timeout").exists()


def test_the_sweeps_own_absence_is_given_back_before_it_expires_anything(opened: Round) -> None:
    """The beat is of the database's clock, however old the message that asked for it."""
    began = opened.opened_at - seconds(60)
    RoundSeat.objects.update(deadline=began + seconds(30), waiting_since=began)
    Heartbeat.objects.filter(part=SWEEP).update(beat_at=began)
    assert deadlines_expire() == 0
    outage = Outage.objects.get()
    assert deadline() == outage.ended_at + seconds(30)

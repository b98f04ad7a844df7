"""Several at one table at one instant; each race with a control that shows the fault without its lock."""

import threading
from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest

from casino.errors import Busy, DomainError
from casino.permissions import Role
from casino.users.models import User
from games.halls.locks import hall_lock_shared
from games.halls.models import Hall
from games.halls.services import hall_close
from games.rounds.models import Round
from games.tables import services, steps
from games.tables.models import Table, TableEvent, TableSeat
from games.tables.services import (
    MAX_OPEN_TABLES,
    table_create,
    table_expire,
    table_leave,
    table_quick_seat,
    table_ready,
    table_sit,
)
from tests import playing
from tests.concurrency.gate import kinds, without_the_rounds_lock
from tests.concurrency.racing import race
from tests.playing import Books
from tests.table_builders import GAME, Game, convention, look, make
from wallets.models import Account

Kind = TableEvent.Kind


@pytest.fixture
def hall(committed_db: str) -> Hall:
    return playing.halls()["first"]


def without_the_tables_lock(monkeypatch: pytest.MonkeyPatch, callers: int) -> None:
    """Let all callers read the table as it stands before any of them changes it."""
    meeting = threading.Barrier(callers)
    standing_of = services.standing_of
    seen = threading.local()

    def unlocked(table_id: UUID, *, skip_locked: bool = False) -> Table:
        return Table.objects.select_related("hall").get(public_id=table_id)

    def met(table: Table) -> Any:
        standing = standing_of(table)
        if not getattr(seen, "once", False):
            seen.once = True
            meeting.wait(timeout=60)
        return standing

    monkeypatch.setattr(services, "table_lock", unlocked)
    for module in (services, steps):
        monkeypatch.setattr(module, "standing_of", met)


def unanswered(outcomes: list[Any]) -> list[Exception]:
    """What the database refused, by a constraint or as a deadlock, and no rule of the service."""
    errors = [each for each in outcomes if isinstance(each, Exception)]
    return [each for each in errors if isinstance(each, Busy) or not isinstance(each, DomainError)]


def two_for_one_seat(hall: Hall) -> tuple[UUID, list[Callable[[], Any]]]:
    table_id = make(hall, 2).table.public_id
    users = [playing.player(hall, 0) for _ in range(2)]
    return table_id, [lambda user=user: table_sit(user=user, table_id=table_id, seat=1) for user in users]


def test_of_two_players_for_one_seat_one_gets_it(hall: Hall) -> None:
    for _ in range(10):
        table_id, calls = two_for_one_seat(hall)
        assert kinds(race(calls)) == {"done": 1, "seat_taken": 1}
        assert TableSeat.objects.filter(table__public_id=table_id).count() == 1


def test_control_without_the_tables_lock_only_the_database_keeps_them_apart(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    _, calls = two_for_one_seat(hall)
    without_the_tables_lock(monkeypatch, 2)
    assert kinds(race(calls)) == {"done": 1, "IntegrityError": 1}


def test_one_player_twice_sits_once(hall: Hall) -> None:
    for _ in range(10):
        table_id, user = make(hall, 4).table.public_id, playing.player(hall, 0)
        outcomes = race([lambda t=table_id, u=user: table_sit(user=u, table_id=t)] * 4)
        assert kinds(outcomes) == {"done": 4}
        assert TableSeat.objects.filter(user=user).count() == 1


def test_control_without_the_tables_lock_the_second_try_breaks(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    table_id, user = make(hall, 4).table.public_id, playing.player(hall, 0)
    without_the_tables_lock(monkeypatch, 2)
    assert kinds(race([lambda: table_sit(user=user, table_id=table_id)] * 2)) == {"done": 1, "IntegrityError": 1}


def all_ready(game: Game) -> list[Callable[[], Any]]:
    commitment = game.standing.commitment
    assert commitment is not None
    asked = {"table_id": game.table_id, "round_id": commitment.round_id}
    return [lambda user=user: table_ready(user=user, **asked) for user in game.players]


def test_all_readies_at_one_instant_open_one_round(hall: Hall) -> None:
    for seats in (2, 4, 6):
        game = Game.seated(hall, seats)
        assert kinds(race(all_ready(game))) == {"done": seats}
        (row,) = Round.objects.filter(table__public_id=game.table_id)
        assert [seat.user_id for seat in row.seats.order_by("index")] == [player.pk for player in game.players]
        assert row.escrow.balance_minor == 10 * seats
    assert sum(Books.read().balances.values()) == 0


def test_control_without_the_tables_lock_readies_are_lost(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    game = Game.seated(hall, 4)
    calls = all_ready(game)
    without_the_tables_lock(monkeypatch, 4)
    assert unanswered(race(calls))
    assert not Round.objects.exists()


def test_ready_against_leave_has_one_order(hall: Hall) -> None:
    for _ in range(20):
        game = Game.seated(hall, 2)
        first, second = all_ready(game)
        first()
        outcomes = race([second, lambda game=game: table_leave(user=game.players[0], table_id=game.table_id)])
        assert kinds(outcomes) == {"done": 2}
        standing = game.standing
        opened = Round.objects.filter(table=standing.table)
        assert [stay.user_id for stay in standing.stays] == [game.players[1].pk]
        assert standing.stays[0].is_ready is not bool(opened)
        assert playing.balance(game.players[0]) == 100_000 - 10 * len(opened)


def test_control_without_the_tables_lock_one_of_them_breaks(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    game = Game.seated(hall, 2)
    first, second = all_ready(game)
    first()
    without_the_tables_lock(monkeypatch, 2)
    assert unanswered(race([second, lambda: table_leave(user=game.players[0], table_id=game.table_id)]))


def many_tables_at_once(hall: Hall) -> tuple[User, list[Callable[[], Any]]]:
    user = playing.player(hall, 0)
    asked = {"hall_id": hall.public_id, "game": GAME, "convention": convention(), "seats": 2, "allows_spectators": False}
    return user, [lambda: table_create(actor=user, **asked)] * (MAX_OPEN_TABLES + 3)


def test_a_player_does_not_make_more_tables_at_once_than_one_after_another(hall: Hall) -> None:
    user, calls = many_tables_at_once(hall)
    assert kinds(race(calls)) == {"done": MAX_OPEN_TABLES, "too_many_tables": 3}
    assert Table.objects.filter(created_by=user).count() == MAX_OPEN_TABLES


def test_control_without_the_players_lock_there_are_too_many(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    _, calls = many_tables_at_once(hall)
    meeting = threading.Barrier(len(calls))
    monkeypatch.setattr(services, "user_lock", lambda user_id: None)
    monkeypatch.setattr(services, "agreement_new", _after(meeting, services.agreement_new))
    assert kinds(race(calls)) == {"done": MAX_OPEN_TABLES + 3}


def _after(meeting: threading.Barrier, call: Callable[..., Any]) -> Callable[..., Any]:
    def late(*args: Any, **kwargs: Any) -> Any:
        meeting.wait(timeout=60)
        return call(*args, **kwargs)

    return late


def test_no_table_is_made_in_a_hall_that_closed_in_the_meantime(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    admin = playing.user_with(Role.ADMIN)

    def after_the_closing(*, hall_id: UUID) -> Hall:
        race([lambda: hall_close(actor=admin, hall_id=hall_id, version=hall.version, reason="test")])
        return hall_lock_shared(hall_id=hall_id)

    hall.refresh_from_db()
    monkeypatch.setattr(services, "hall_lock_shared", after_the_closing)
    assert kinds(race([lambda: make(hall)])) == {"hall_closed": 1}


def three_tables_with_money_for_one(hall: Hall) -> tuple[User, list[Game], list[Callable[[], Any]]]:
    """A player who is ready at three tables, each of which waits for one more, with money for one of them."""
    games = [Game.seated(hall, 2) for _ in range(3)]
    spread = playing.player(hall, 10)
    calls = []
    for game in games:
        table_leave(user=game.players[0], table_id=game.table_id, now=game.clock())
        game.players[0] = spread
        table_sit(user=spread, table_id=game.table_id)
        first, second = all_ready(game)
        first()
        calls.append(second)
    return spread, games, calls


def test_money_for_one_stake_pays_one_and_the_other_seats_are_ready_no_more(hall: Hall) -> None:
    spread, games, calls = three_tables_with_money_for_one(hall)
    assert kinds(race(calls)) == {"done": 3}
    assert playing.balance(spread) == 0
    assert Round.objects.count() == 1
    assert TableEvent.objects.filter(kind=Kind.UNFUNDED).count() == 2
    for game in games:
        stays = look(game.table_id, spread).stays
        assert [stay.is_ready for stay in stays] == [False, not game.standing.is_playing]


def test_control_without_the_accounts_lock_others_are_refused_for_it(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    spread, _, calls = three_tables_with_money_for_one(hall)
    meeting = threading.Barrier(len(calls))

    def unlocked(account_ids: list[int]) -> list[Account]:
        accounts = list(Account.objects.filter(pk__in=account_ids))
        meeting.wait(timeout=60)
        return accounts

    monkeypatch.setattr(steps, "accounts_lock", unlocked)
    assert kinds(race(calls)) == {"done": 1, "insufficient_funds": 2}
    assert playing.balance(spread) == 0


def test_quick_seats_at_once_fill_every_seat(hall: Hall) -> None:
    tables = [make(hall, seats).table for seats in (6, 3, 3)]
    users = [playing.player(hall, 0) for _ in range(13)]
    outcomes = race([lambda user=user: table_quick_seat(user=user, hall_id=hall.public_id, game=GAME) for user in users])
    assert kinds(outcomes) == {"done": 12, "no_free_seat": 1}
    assert [TableSeat.objects.filter(table=table).count() for table in tables] == [6, 3, 3]


def test_sweeps_at_once_close_an_empty_table_once_and_nobody_sits_at_a_closed_one(hall: Hall) -> None:
    for _ in range(10):
        table = make(hall).table
        due = table.closes_at
        assert due is not None
        sweeps = [lambda t=table, d=due: table_expire(table_id=t.public_id, now=d)] * 3
        user = playing.player(hall, 0)
        outcomes = race([*sweeps, lambda t=table, u=user, d=due: table_sit(user=u, table_id=t.public_id, now=d)])
        table.refresh_from_db()
        sits = TableSeat.objects.filter(table=table, left_at=None).count()
        assert (table.status, sits) in (("open", 1), ("closed", 0))
        assert kinds(outcomes[:3]) == {"done": 3}
        assert kinds(outcomes[3:]) == {"done" if sits else "table_closed": 1}
        assert TableEvent.objects.filter(table=table, kind=Kind.CLOSED).count() == 1 - sits


def two_bids_in_one_turn(hall: Hall) -> tuple[Game, list[Callable[[], Any]]]:
    """The seat to act sends two different bids for the same turn, over HTTP."""
    game = Game.opened(hall, 2)
    (seat,) = game.to_act()
    client = [playing.client(game.players[seat]) for _ in range(2)]
    path, turn = f"/api/v1/rounds/{game.row.public_id}/actions", game.position.seats[seat].turn
    bids = game.engine.legal_actions(game.position.state, seat)[0].parameters["tricks"].options[:2]  # type: ignore[union-attr]
    bodies = [{"turn": turn, "action": {"type": "bid", "tricks": bid}} for bid in bids]
    assert len(bodies) == 2
    return game, [lambda c=c, b=b: c.post(path, b, format="json") for c, b in zip(client, bodies, strict=True)]


def test_of_two_actions_in_one_turn_one_is_played_and_the_other_refused_with_a_body(hall: Hall) -> None:
    for _ in range(10):
        game, calls = two_bids_in_one_turn(hall)
        answers = sorted(race(calls), key=lambda answer: answer.status_code)
        assert [answer.status_code for answer in answers] == [200, 409]
        assert answers[1].json()["code"] == "turn_already_played"
        assert game.row.steps.filter(seat__isnull=False).count() == 1


def test_control_without_the_rounds_lock_the_second_action_breaks(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    _, calls = two_bids_in_one_turn(hall)
    without_the_rounds_lock(monkeypatch, 2)
    answers = [answer if isinstance(answer, Exception) else answer.status_code for answer in race(calls)]
    assert 200 in answers
    assert 409 not in answers

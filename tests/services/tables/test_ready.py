"""Being ready: what it asks for, when the round opens, and what happens to those whom all others wait for."""

from datetime import timedelta
from random import Random
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from audit.models import AuditRecord
from audit.reconcile import books_reconcile
from casino.db import now
from casino.errors import Conflict, DomainError, Forbidden, InvalidInput, NotFound, Refused
from casino.permissions import Role
from casino.users.models import User
from casino.users.roles import role_revoke
from casino.users.services import user_disable
from games.core.shuffle import commitment as seed_hash_of
from games.halls.models import Hall
from games.halls.services import hall_close
from games.rounds.models import Round
from games.rounds.records import iso
from games.rounds.services import round_void
from games.tables.documents import table_document
from games.tables.models import TableEvent, TableSeat
from games.tables.selectors import tables_due
from games.tables.services import table_close, table_expire, table_leave, table_ready, table_sit
from games.tables.tasks import tables_expire
from tests import playing
from tests.playing import Books
from tests.table_builders import Game, events, make, publish_limits, ready
from wallets import ledger
from wallets.ledger import Posting

Kind = TableEvent.Kind


def code_of(refused: pytest.ExceptionInfo[DomainError]) -> str:
    return refused.value.code


@pytest.fixture
def game(hall: Hall) -> Game:
    return Game.seated(hall, 3)


def expire(game: Game, at: Any) -> None:
    table_expire(table_id=game.table_id, now=at)


def spend(user: User, hall: Hall, amount_minor: int) -> None:
    """Take money out of a player's account."""
    purse, cage = ledger.player_account(user.pk, hall.currency), ledger.cage_account(hall.pk, hall.currency)
    (paid,) = ledger.post([Posting(purse.pk, cage.pk, amount_minor, "withdrawal")], step_id=None, now=now())
    playing.counter_recorded(paid, "withdrawal_created")


def test_the_round_opens_when_all_seats_are_taken_and_ready(hall: Hall) -> None:
    table_id = make(hall, 2).table.public_id
    first, second = playing.player(hall), playing.player(hall)
    table_sit(user=first, table_id=table_id)
    ready(first, table_id)
    assert not Round.objects.exists()
    assert not table_sit(user=second, table_id=table_id).is_playing
    standing = ready(second, table_id)
    assert standing.is_playing
    assert [stay.is_ready for stay in standing.stays] == [False, False]
    assert events(standing) == [Kind.OPENED, Kind.SAT, Kind.READY, Kind.SAT, Kind.AWAITED, Kind.READY, Kind.ROUND_OPENED]


def test_a_round_among_players_is_opened_by_the_system(hall: Hall) -> None:
    game = Game.opened(hall)
    (opening,) = game.row.steps.all()
    assert (opening.origin, opening.seat, opening.turn) == ("system", None, None)
    assert [(seat.turn, seat.held_minor) for seat in game.seats] == [(0, 10), (0, 10)]
    assert game.row.escrow.balance_minor == 20
    assert game.row.table is not None
    assert books_reconcile() == []


def test_only_who_sits_there_can_be_ready(game: Game, player: User) -> None:
    with pytest.raises(Conflict) as refused:
        ready(player, game.table_id)
    assert code_of(refused) == "not_seated"
    with pytest.raises(NotFound):
        table_ready(user=player, table_id=uuid4(), round_id=uuid4())


def test_ready_names_the_round_that_the_table_has_committed_to(game: Game) -> None:
    with pytest.raises(Conflict) as refused:
        ready(game.players[0], game.table_id, round_id=uuid4())
    assert code_of(refused) == "commitment_mismatch"
    game.all_ready()
    with pytest.raises(Conflict) as playing_on:
        ready(game.players[0], game.table_id)
    assert code_of(playing_on) == "round_open"
    used = game.row.public_id
    game.play_out(Random(1), is_late=lambda seat: True)
    with pytest.raises(Conflict) as spent:
        ready(game.players[0], game.table_id, round_id=used)
    assert code_of(spent) == "commitment_mismatch"


def test_ready_can_be_taken_back_and_said_twice(game: Game) -> None:
    user = game.players[0]
    for is_ready in (True, True, False, False):
        standing = ready(user, game.table_id, is_ready=is_ready)
        assert standing.stays[0].is_ready is is_ready
    assert events(standing)[-2:] == [Kind.READY, Kind.NOT_READY]


def test_the_last_client_seed_counts(game: Game) -> None:
    ready(game.players[0], game.table_id, client_seed="first thought")
    ready(game.players[0], game.table_id, client_seed="second thought")
    for player in game.players[1:]:
        ready(player, game.table_id)
    game.read()
    assert [seat.client_seed for seat in game.seats] == ["second thought", "", ""]
    assert set(TableSeat.objects.values_list("client_seed", flat=True)) == {""}


def test_house_bots_give_no_client_seed(game: Game) -> None:
    bot = game.players[0]
    bot.is_house_bot = True
    with pytest.raises(InvalidInput) as refused:
        ready(bot, game.table_id, client_seed="chosen by the house")
    assert refused.value.details["field"] == "client_seed"
    assert ready(bot, game.table_id).stays[0].is_ready


def test_a_seat_that_was_left_keeps_no_client_seed(game: Game) -> None:
    ready(game.players[0], game.table_id, client_seed="of one who went")
    table_leave(user=game.players[0], table_id=game.table_id, now=game.clock())
    assert set(TableSeat.objects.values_list("client_seed", flat=True)) == {""}


def test_what_opening_a_round_costs_grows_by_no_account_of_a_seat(hall: Hall) -> None:
    def statements(seats: int) -> list[str]:
        game = Game.seated(hall, seats)
        for player in game.players[1:]:
            ready(player, game.table_id)
        with CaptureQueriesContext(connection) as captured:
            assert ready(game.players[0], game.table_id).is_playing
        told = [each["sql"] for each in captured if "tables_tableseat" in each["sql"] or 'FROM "wallets_account"' in each["sql"]]
        return [*told, *(each["sql"] for each in captured if 'INSERT INTO "rounds_roundseat"' in each["sql"])]

    assert len(statements(2)) == len(statements(5))


def test_ready_needs_the_money_and_moves_none(hall: Hall) -> None:
    game = Game.seated(hall, amount_minor=9)
    books = Books.read()
    with pytest.raises(Refused) as refused:
        ready(game.players[0], game.table_id)
    assert code_of(refused) == "insufficient_funds"
    assert refused.value.details == {"available_minor": 9, "required_minor": 10}
    playing.fund(game.players[1], hall, 1)
    ready(game.players[1], game.table_id)
    assert Books.read().transfers == books.transfers + 1


def test_who_has_too_much_to_win_more_is_not_ready(hall: Hall, game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("games.rounds.opening.PAID_IN_MAX_MINOR", 99_999)
    with pytest.raises(Refused) as refused:
        ready(game.players[0], game.table_id)
    assert code_of(refused) == "balance_too_large"


def test_a_seat_whose_money_has_gone_is_ready_no_more_and_the_others_stay(hall: Hall, game: Game) -> None:
    first, second, third = game.players
    ready(first, game.table_id, client_seed="kept")
    ready(second, game.table_id)
    spend(second, hall, 99_995)
    standing = ready(third, game.table_id, now=game.clock())
    assert [stay.is_ready for stay in standing.stays] == [True, False, True]
    assert [stay.awaited_by is not None for stay in standing.stays] == [False, True, False]
    assert events(standing)[-2:] == [Kind.READY, Kind.UNFUNDED]
    assert not Round.objects.exists()
    assert standing.commitment is not None
    playing.fund(second, hall, 10)
    assert ready(second, game.table_id, now=game.clock()).is_playing
    game.read()
    assert (game.row.public_id, game.seats[0].client_seed) == (standing.commitment.round_id, "kept")


def test_all_whose_money_has_gone_are_ready_no_more(hall: Hall, game: Game) -> None:
    for player in game.players[:2]:
        ready(player, game.table_id)
        spend(player, hall, 100_000)
    standing = ready(game.players[2], game.table_id)
    assert [stay.is_ready for stay in standing.stays] == [False, False, True]


@pytest.mark.parametrize("is_disabled", [True, False])
def test_who_may_play_no_more_is_drawn_into_no_round_and_loses_the_seat(hall: Hall, game: Game, is_disabled: bool) -> None:
    admin, (first, second, third) = playing.user_with(Role.ADMIN), game.players
    ready(first, game.table_id, client_seed="kept")
    ready(second, game.table_id)
    if is_disabled:
        user_disable(actor=admin, user_id=second.public_id, reason="cheats")
    else:
        role_revoke(actor=admin, user_id=second.public_id, role=Role.PLAYER, hall_id=None, reason="cheats")
    books = Books.read()
    standing = ready(third, game.table_id, now=game.clock())
    assert not Round.objects.exists()
    assert Books.read() == books
    assert [(stay.index, stay.is_ready) for stay in standing.stays] == [(0, True), (2, True)]
    assert events(standing)[-2:] == [Kind.READY, Kind.LOST]
    newcomer = playing.player(hall)
    table_sit(user=newcomer, table_id=game.table_id, now=game.clock())
    assert ready(newcomer, game.table_id, now=game.clock()).is_playing


def test_in_a_hall_that_has_closed_nobody_is_ready(hall: Hall, game: Game) -> None:
    ready(game.players[0], game.table_id)
    hall.refresh_from_db()
    hall_close(actor=playing.user_with(Role.ADMIN), hall_id=hall.public_id, version=hall.version, reason="test")
    with pytest.raises(Conflict) as refused:
        ready(game.players[1], game.table_id)
    assert code_of(refused) == "hall_closed"
    assert ready(game.players[0], game.table_id, is_ready=False).stays[0].is_ready is False
    table_leave(user=game.players[0], table_id=game.table_id)


def test_a_stake_that_the_halls_limits_no_longer_allow_is_refused_to_everybody(hall: Hall, game: Game) -> None:
    publish_limits(hall, stakes={"ante": {"min_minor": 100, "max_minor": 1000, "step_minor": 10}})
    with pytest.raises(Refused) as refused:
        ready(game.players[0], game.table_id)
    assert code_of(refused) == "stake_below_minimum"


def test_when_all_seats_are_taken_those_who_are_not_ready_have_a_time(hall: Hall, settings: Any) -> None:
    settings.TABLE_READY_SECONDS = 40
    table_id = make(hall, 2).table.public_id
    first, second = playing.player(hall), playing.player(hall)
    assert table_sit(user=first, table_id=table_id).stays[0].ready_by is None
    at = now() + timedelta(seconds=5)
    standing = table_sit(user=second, table_id=table_id, now=at)
    assert {stay.ready_by for stay in standing.stays} == {at + timedelta(seconds=40)}
    standing = ready(first, table_id, now=at)
    assert [stay.awaited_by for stay in standing.stays] == [None, at + timedelta(seconds=40)]
    standing = table_leave(user=second, table_id=table_id, now=at + timedelta(seconds=2))
    assert standing.stays[0].ready_by is None


def test_taking_readiness_back_buys_no_time(game: Game) -> None:
    first, second, third = game.players
    ready(second, game.table_id, now=game.clock())
    due = game.standing.stays[0].awaited_by
    assert due is not None
    for moment in (due - timedelta(seconds=20), due - timedelta(seconds=1)):
        ready(first, game.table_id, now=moment)
        assert ready(first, game.table_id, is_ready=False, now=moment).stays[0].awaited_by == due
    ready(third, game.table_id, now=due)
    assert list(tables_due(due)) == [game.table_id]
    expire(game, due)
    assert [(stay.user_id, stay.ready_by) for stay in game.standing.stays] == [(second.pk, None), (third.pk, None)]


def test_who_was_ready_before_all_others_sat_down_has_the_full_time_once(game: Game, settings: Any, player: User) -> None:
    first = game.players[0]
    ready(first, game.table_id, now=game.clock())
    table_leave(user=game.players[1], table_id=game.table_id, now=game.clock())
    table_sit(user=player, table_id=game.table_id, now=game.clock())
    assert game.standing.stays[0].ready_by is None
    at = game.clock()
    due = ready(first, game.table_id, is_ready=False, now=at).stays[0].awaited_by
    assert due == at + timedelta(seconds=settings.TABLE_READY_SECONDS)
    ready(first, game.table_id, now=game.clock())
    assert ready(first, game.table_id, is_ready=False, now=game.clock()).stays[0].awaited_by == due


def test_who_is_waited_for_is_told_once_with_the_time(game: Game, settings: Any) -> None:
    game.all_ready()
    round_void(actor=playing.user_with(Role.SUPERVISOR), round_id=game.row.public_id, reason="test", now=game.clock())
    at = game.clock()
    expire(game, at)
    expire(game, game.clock())
    by = iso(at + timedelta(seconds=settings.TABLE_READY_SECONDS))
    assert events(game.standing)[-2:] == [Kind.ROUND_OPENED, Kind.AWAITED]
    told = TableEvent.objects.filter(table=game.standing.table, kind=Kind.AWAITED).last()
    assert told is not None
    assert (told.at, told.data) == (at, {"seats": [0, 1, 2], "ready_by": by})
    assert [each["ready_by"] for each in table_document(game.standing, server_time=at)["players"]] == [by] * 3


def test_who_is_not_ready_in_time_loses_the_seat_and_the_ready_ones_keep_theirs(game: Game) -> None:
    ready(game.players[1], game.table_id, now=game.clock())
    due = game.standing.stays[0].ready_by
    assert due is not None
    expire(game, due - timedelta(microseconds=1))
    assert len(game.standing.stays) == 3
    expire(game, due)
    assert [(stay.index, stay.is_ready) for stay in game.standing.stays] == [(1, True)]
    assert events(game.standing)[-2:] == [Kind.LOST, Kind.LOST]
    seq = game.standing.table.seq
    expire(game, due)
    assert game.standing.table.seq == seq


def test_ready_at_the_last_moment_counts_also_when_the_sweep_comes_late(game: Game) -> None:
    for player in game.players[:2]:
        ready(player, game.table_id, now=game.clock())
    due = game.standing.stays[2].ready_by
    assert due is not None
    assert ready(game.players[2], game.table_id, now=due + timedelta(seconds=3)).is_playing
    expire(game, due + timedelta(seconds=3))
    assert len(game.standing.stays) == 3


def test_after_a_round_the_sweep_begins_to_wait_for_the_rematch(hall: Hall, settings: Any) -> None:
    game = Game.opened(hall)
    expire(game, game.clock())
    assert [stay.ready_by for stay in game.standing.stays] == [None, None]
    round_void(actor=playing.user_with(Role.SUPERVISOR), round_id=game.row.public_id, reason="test", now=game.clock())
    at = game.clock()
    assert list(tables_due(at)) == [game.table_id]
    expire(game, at)
    assert {stay.ready_by for stay in game.standing.stays} == {at + timedelta(seconds=settings.TABLE_READY_SECONDS)}
    assert list(tables_due(at)) == []
    expire(game, at + timedelta(seconds=settings.TABLE_READY_SECONDS))
    assert (game.standing.stays, game.standing.is_playing) == ([], False)


def test_a_round_at_a_table_can_be_voided_and_all_get_back_what_they_staked(hall: Hall) -> None:
    game = Game.opened(hall, 3)
    supervisor = playing.user_with(Role.SUPERVISOR)
    with pytest.raises(Forbidden):
        round_void(actor=game.players[2], round_id=game.row.public_id, reason="I lose")
    round_void(actor=supervisor, round_id=game.row.public_id, reason="power cut", now=game.clock())
    assert [playing.balance(player) for player in game.players] == [100_000] * 3
    assert books_reconcile() == []
    game.all_ready()
    assert game.row.status == "open"


def test_an_empty_table_closes_after_its_time_and_shows_its_unused_seed(hall: Hall, settings: Any) -> None:
    settings.TABLE_CLOSE_AFTER_SECONDS = 100
    standing = make(hall)
    table, commitment = standing.table, standing.commitment
    assert commitment is not None
    assert table.empty_since is not None
    due = table.closes_at
    assert due == table.empty_since + timedelta(seconds=100)
    table_expire(table_id=table.public_id, now=due - timedelta(microseconds=1))
    assert list(tables_due(due - timedelta(microseconds=1))) == []
    assert list(tables_due(due)) == [table.public_id]
    table_expire(table_id=table.public_id, now=due)
    table_expire(table_id=table.public_id, now=due)
    table.refresh_from_db()
    assert (table.status, table.closed_at, table.closes_at) == ("closed", due, None)
    (closing,) = TableEvent.objects.filter(table=table, kind=Kind.CLOSED)
    assert seed_hash_of(bytes.fromhex(closing.data["server_seed"])) == commitment.seed_hash
    commitment.refresh_from_db()
    assert commitment.status == "discarded"
    audited = AuditRecord.objects.get(action="table_closed")
    assert (audited.actor_id, audited.reason) == (None, "Nobody sat there.")


def test_a_table_where_somebody_sits_or_came_back_does_not_close(hall: Hall, settings: Any, player: User) -> None:
    table = make(hall).table
    late = now() + timedelta(seconds=settings.TABLE_CLOSE_AFTER_SECONDS)
    table_sit(user=player, table_id=table.public_id, now=late)
    later = late + timedelta(days=1)
    assert list(tables_due(later)) == []
    table_expire(table_id=table.public_id, now=later)
    table_leave(user=player, table_id=table.public_id, now=later)
    table_expire(table_id=table.public_id, now=later)
    table.refresh_from_db()
    assert table.status == "open"
    assert table.closes_at == later + timedelta(seconds=settings.TABLE_CLOSE_AFTER_SECONDS)


def test_a_table_whose_players_all_left_waits_for_its_round_before_it_closes(hall: Hall, settings: Any) -> None:
    game = Game.opened(hall)
    for player in game.players:
        table_leave(user=player, table_id=game.table_id, now=game.clock())
    late = game.clock() + timedelta(seconds=settings.TABLE_CLOSE_AFTER_SECONDS)
    expire(game, late)
    assert game.standing.table.status == "open"
    while game.to_act():
        game.time_out(game.to_act()[0])
    assert (game.row.status, game.row.escrow.balance_minor) == ("settled", 0)
    expire(game, game.clock.at + timedelta(seconds=settings.TABLE_CLOSE_AFTER_SECONDS))
    assert game.standing.table.status == "closed"


def test_the_sweep_finds_all_kinds_of_tables_in_pages(hall: Hall, settings: Any) -> None:
    settings.TABLE_CLOSE_AFTER_SECONDS = settings.TABLE_READY_SECONDS = 0
    waiting, playing_on, over = Game.seated(hall), Game.opened(hall), Game.opened(hall)
    round_void(actor=playing.user_with(Role.SUPERVISOR), round_id=over.row.public_id, reason="test", now=over.clock())
    empty = make(hall).table.public_id
    table_sit(user=playing.player(hall), table_id=make(hall).table.public_id)
    due = [waiting.table_id, over.table_id, empty]
    at = max(game.clock() for game in (waiting, playing_on, over))
    for page_size in (1, 2, 3, 4):
        assert list(tables_due(at, page_size)) == due


def test_the_sweep_does_all_that_is_due_and_one_failure_holds_up_nothing(
    hall: Hall, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.TABLE_CLOSE_AFTER_SECONDS = 0
    tables = [make(hall).table for _ in range(3)]
    broken = tables[1].public_id

    def failing(*, table_id: Any, until: Any) -> None:
        if table_id == broken:
            raise RuntimeError("broken")
        table_expire(table_id=table_id, until=until)

    monkeypatch.setattr("games.tables.tasks.table_expire", failing)
    assert tables_expire() == 2
    for table in tables:
        table.refresh_from_db()
    assert [table.status for table in tables] == ["closed", "open", "closed"]


@pytest.mark.parametrize("role", [Role.OPERATOR, Role.ADMIN])
def test_staff_closes_a_table_between_rounds_and_who_sits_there_gets_up(hall: Hall, game: Game, role: Role) -> None:
    staff = playing.user_with(role, hall=hall)
    ready(game.players[0], game.table_id)
    moment = game.clock()
    standing = table_close(actor=staff, table_id=game.table_id, reason="the floor is cleaned", now=moment)
    assert (standing.table.status, standing.stays, standing.commitment) == ("closed", [], None)
    assert events(standing)[-4:] == [Kind.LEFT, Kind.LEFT, Kind.LEFT, Kind.CLOSED]
    with pytest.raises(Conflict) as refused:
        table_close(actor=staff, table_id=game.table_id, reason="again")
    assert code_of(refused) == "table_closed"
    audited = AuditRecord.objects.get(action="table_closed")
    assert (audited.actor_id, audited.reason) == (staff.pk, "the floor is cleaned")


def test_nobody_else_closes_one_nor_anybody_during_a_round(hall: Hall, halls: dict[str, Hall]) -> None:
    game = Game.opened(hall)
    for actor in (
        game.players[0],
        playing.user_with(Role.OPERATOR, hall=halls["second"]),
        playing.user_with(Role.SUPERVISOR),
        playing.user_with(Role.CASHIER, hall=hall),
    ):
        with pytest.raises(Forbidden):
            table_close(actor=actor, table_id=game.table_id, reason="test")
    with pytest.raises(Conflict) as refused:
        table_close(actor=playing.user_with(Role.ADMIN), table_id=game.table_id, reason="test")
    assert code_of(refused) == "round_open"


def test_client_seeds_stand_in_the_order_of_the_seats(game: Game) -> None:
    for number in (2, 0, 1):
        ready(game.players[number], game.table_id, client_seed=f"of seat {number}", now=game.clock())
    game.read()
    assert [seat.client_seed for seat in game.seats] == ["of seat 0", "of seat 1", "of seat 2"]
    assert [seat["client_seed"] for seat in game.row.head["seats"]] == ["of seat 0", "of seat 1", "of seat 2"]

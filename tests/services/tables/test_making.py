"""Making tables, finding them, sitting down and getting up."""

from random import Random
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from audit.models import AuditRecord
from casino.db import now
from casino.errors import Conflict, DomainError, Forbidden, InvalidInput, NotFound, Refused
from casino.permissions import OVERSEERS, Role
from casino.users.models import User
from games.halls.models import Hall
from games.halls.services import hall_close
from games.rounds.services import round_void
from games.tables.models import Table, TableEvent, TableSeat
from games.tables.selectors import event_list, table_get, table_list
from games.tables.services import MAX_OPEN_TABLES, table_close, table_leave, table_quick_seat, table_sit
from tests import playing
from tests.hall_builders import hall_in_preparation
from tests.table_builders import GAME, Game, convention, events, make, publish_limits

Kind = TableEvent.Kind


def code_of(refused: pytest.ExceptionInfo[DomainError]) -> str:
    return refused.value.code


def shut(hall: Hall) -> None:
    hall_close(actor=playing.user_with(Role.ADMIN), hall_id=hall.public_id, version=hall.version, reason="test")


def test_a_table_keeps_what_was_agreed_and_commits_to_its_first_round(hall: Hall, player: User) -> None:
    standing = make(hall, 3, actor=player, convention={"ante_minor": 50}, allows_spectators=True)
    table, commitment = standing.table, standing.commitment
    assert table.convention["ante_minor"] == 50
    assert table.convention.keys() == convention().keys()
    assert (table.stake_kind, table.stake_minor, table.most_to_lose_minor) == ("ante", 50, 50)
    assert (table.rake, table.seats, table.allows_spectators) == ({"basis_points": 0, "cap_minor": None}, 3, True)
    assert commitment is not None
    assert (commitment.table_id, commitment.user_id, commitment.status) == (table.pk, None, "unused")
    assert events(standing) == [Kind.OPENED]
    audited = AuditRecord.objects.get(action="table_created")
    assert (audited.actor_id, audited.after["convention"]["ante_minor"]) == (player.pk, 50)


@pytest.mark.parametrize("role", [Role.PLAYER, Role.OPERATOR, Role.ADMIN])
def test_players_the_halls_operators_and_admins_make_tables(hall: Hall, role: Role) -> None:
    actor = playing.user_with(role, hall=hall)
    assert make(hall, actor=actor).table.created_by_id == actor.pk


@pytest.mark.parametrize("role", [Role.CASHIER, Role.SUPERVISOR, Role.AUDITOR])
def test_nobody_else_does(hall: Hall, role: Role) -> None:
    with pytest.raises(Forbidden):
        make(hall, actor=playing.user_with(role, hall=hall))


def test_an_operator_makes_tables_in_their_own_hall_only(halls: dict[str, Hall]) -> None:
    operator = playing.user_with(Role.OPERATOR, hall=halls["second"])
    with pytest.raises(Forbidden):
        make(halls["first"], actor=operator)


@pytest.mark.parametrize("seats", [0, 1, 7])
def test_a_number_of_seats_that_the_game_does_not_have_is_invalid(hall: Hall, seats: int) -> None:
    with pytest.raises(InvalidInput) as refused:
        make(hall, seats)
    assert refused.value.details["field"] == "seats"


def test_a_convention_that_the_rules_do_not_have_is_invalid_by_its_field(hall: Hall) -> None:
    with pytest.raises(InvalidInput) as refused:
        make(hall, convention={"ante_minor": 10, "bid_timeout_seconds": 0})
    assert refused.value.details["field"] == "convention.bid_timeout_seconds"
    assert not Table.objects.exists()


@pytest.mark.parametrize(
    ("ante_minor", "code"),
    [(5, "stake_below_minimum"), (1010, "stake_above_maximum"), (15, "stake_not_in_steps")],
)
def test_the_halls_limits_bound_the_stake(hall: Hall, ante_minor: int, code: str) -> None:
    with pytest.raises(Refused) as refused:
        make(hall, convention={"ante_minor": ante_minor})
    assert code_of(refused) == code


def test_in_a_closed_hall_no_table_is_made_and_nobody_sits_down(hall: Hall, player: User) -> None:
    table_id = make(hall).table.public_id
    shut(hall)
    for attempt in (
        lambda: make(hall),
        lambda: table_sit(user=player, table_id=table_id),
        lambda: table_quick_seat(user=player, hall_id=hall.public_id, game=GAME),
    ):
        with pytest.raises(Conflict) as refused:
            attempt()
        assert code_of(refused) == "hall_closed"


def test_a_hall_without_limits_for_the_game_does_not_offer_it(halls: dict[str, Hall], player: User) -> None:
    hall = hall_in_preparation("bare")
    Hall.objects.filter(pk=hall.pk).update(is_open=True, opened_at=now())
    with pytest.raises(Conflict) as refused:
        make(hall, actor=player)
    assert code_of(refused) == "game_not_offered"


def test_a_player_has_so_many_open_tables_and_no_more(hall: Hall, player: User) -> None:
    tables = [make(hall, actor=player).table for _ in range(MAX_OPEN_TABLES)]
    with pytest.raises(Conflict) as refused:
        make(hall, actor=player)
    assert (code_of(refused), refused.value.details) == ("too_many_tables", {"max_tables": MAX_OPEN_TABLES})
    make(hall)
    table_close(actor=playing.user_with(Role.ADMIN), table_id=tables[0].public_id, reason="test")
    make(hall, actor=player)
    operator = playing.user_with(Role.OPERATOR, hall=hall)
    for _ in range(MAX_OPEN_TABLES + 1):
        make(hall, actor=operator)


def test_a_hall_in_preparation_and_its_tables_do_not_exist_for_players(hall: Hall, player: User) -> None:
    hidden = hall_in_preparation("hidden")
    with pytest.raises(NotFound):
        make(hidden, actor=player)
    with pytest.raises(NotFound):
        table_quick_seat(user=player, hall_id=hidden.public_id, game=GAME)
    table_id = make(hall).table.public_id
    Hall.objects.filter(pk=hall.pk).update(is_open=False, opened_at=None)
    for attempt in (lambda: table_get(viewer=player, table_id=table_id), lambda: table_sit(user=player, table_id=table_id)):
        with pytest.raises(NotFound):
            attempt()
    assert list(table_list(viewer=player)) == []
    with pytest.raises(NotFound):
        event_list(viewer=player, table_id=table_id)


def test_players_take_the_seat_they_name_or_the_first_free_one(hall: Hall) -> None:
    table_id = make(hall, 3).table.public_id
    first, second, third = (playing.player(hall) for _ in range(3))
    table_sit(user=first, table_id=table_id, seat=1)
    table_sit(user=second, table_id=table_id)
    standing = table_sit(user=third, table_id=table_id)
    assert [(stay.index, stay.user_id) for stay in standing.stays] == [(0, second.pk), (1, first.pk), (2, third.pk)]
    assert standing.table.empty_since is None
    assert events(standing) == [Kind.OPENED, *[Kind.SAT] * 3, Kind.AWAITED]


def test_who_sits_there_already_gets_the_table_as_it_stands(hall: Hall, player: User) -> None:
    table_id = make(hall).table.public_id
    table_sit(user=player, table_id=table_id, seat=1)
    again = table_sit(user=player, table_id=table_id)
    assert table_sit(user=player, table_id=table_id, seat=1).table.seq == again.table.seq == 2
    with pytest.raises(Conflict) as refused:
        table_sit(user=player, table_id=table_id, seat=0)
    assert (code_of(refused), refused.value.details) == ("already_seated", {"seat": 1})


def test_a_taken_seat_a_full_table_a_seat_that_is_none_and_a_closed_table_are_refused(hall: Hall, player: User) -> None:
    table_id = make(hall).table.public_id
    table_sit(user=playing.player(hall), table_id=table_id, seat=0)
    with pytest.raises(Conflict) as taken:
        table_sit(user=player, table_id=table_id, seat=0)
    with pytest.raises(InvalidInput) as none:
        table_sit(user=player, table_id=table_id, seat=2)
    table_sit(user=playing.player(hall), table_id=table_id)
    with pytest.raises(Conflict) as full:
        table_sit(user=player, table_id=table_id)
    table_close(actor=playing.user_with(Role.ADMIN), table_id=table_id, reason="test")
    with pytest.raises(Conflict) as closed:
        table_sit(user=player, table_id=table_id)
    assert [code_of(each) for each in (taken, full, closed)] == ["seat_taken", "table_full", "table_closed"]
    assert none.value.details["field"] == "seat"
    with pytest.raises(NotFound):
        table_sit(user=player, table_id=uuid4())


def test_a_player_may_sit_at_several_tables(hall: Hall, player: User) -> None:
    for _ in range(2):
        table_sit(user=player, table_id=make(hall).table.public_id)
    assert TableSeat.objects.filter(user=player, left_at=None).count() == 2


def test_a_seat_that_was_left_is_free_again(hall: Hall, player: User) -> None:
    table_id = make(hall).table.public_id
    table_sit(user=player, table_id=table_id)
    moment = now()
    standing = table_leave(user=player, table_id=table_id, now=moment)
    assert (standing.stays, standing.table.empty_since) == ([], moment)
    assert events(standing) == [Kind.OPENED, Kind.SAT, Kind.LEFT]
    with pytest.raises(Conflict) as refused:
        table_leave(user=player, table_id=table_id)
    assert code_of(refused) == "not_seated"
    assert table_sit(user=player, table_id=table_id).stay_of(player) is not None


def test_who_leaves_during_a_round_leaves_the_stake_in_it_and_can_still_act(hall: Hall) -> None:
    game = Game.opened(hall)
    leaver = game.players[0]
    before = playing.balance(leaver)
    table_leave(user=leaver, table_id=game.table_id, now=game.clock())
    newcomer = playing.player(hall)
    assert table_sit(user=newcomer, table_id=game.table_id, now=game.clock()).stay_of(newcomer) is not None
    assert playing.balance(leaver) == before == 100_000 - game.seats[0].staked_minor
    (seat,) = game.to_act()
    if seat != 0:
        game.time_out(seat)
    game.act(0, game.some_action(0, Random(1)))
    game.time_out(game.to_act()[0])
    game.read()
    assert (game.row.status, game.seats[0].is_open) == ("open", True)


def test_a_quick_seat_is_at_a_fitting_table_by_chance(hall: Hall, halls: dict[str, Hall]) -> None:
    cheap = {make(hall, 6).table.public_id for _ in range(2)}
    make(hall, 6, convention={"ante_minor": 500})
    make(halls["second"], 6, convention={"ante_minor": 100})
    taken = set()
    for _ in range(12):
        user = playing.player(hall, 0)
        standing = table_quick_seat(user=user, hall_id=hall.public_id, game=GAME, stake_to_minor=100)
        assert standing.stay_of(user) is not None
        taken.add(standing.table.public_id)
    assert taken == cheap
    with pytest.raises(Conflict) as refused:
        table_quick_seat(user=playing.player(hall, 0), hall_id=hall.public_id, game=GAME, stake_to_minor=100)
    assert code_of(refused) == "no_free_seat"


def test_a_quick_seat_is_not_at_a_table_where_one_sits_already(hall: Hall, player: User) -> None:
    table_sit(user=player, table_id=make(hall).table.public_id)
    with pytest.raises(Conflict) as refused:
        table_quick_seat(user=player, hall_id=hall.public_id, game=GAME)
    assert code_of(refused) == "no_free_seat"


def test_tables_are_listed_newest_first_and_by_every_filter(hall: Hall, halls: dict[str, Hall], player: User) -> None:
    small, large = make(hall, 2).table, make(hall, 3, convention={"ante_minor": 500}).table
    elsewhere = make(halls["second"], convention={"ante_minor": 100}).table
    for _ in range(2):
        table_sit(user=playing.player(hall), table_id=small.public_id)
    closed = make(hall).table
    table_close(actor=playing.user_with(Role.ADMIN), table_id=closed.public_id, reason="test")

    def found(**filters: object) -> list[Table]:
        return list(table_list(viewer=player, **filters))  # type: ignore[arg-type]

    assert found() == [elsewhere, large, small]
    assert found(hall_id=hall.public_id) == [large, small]
    assert found(game="russian_poker") == []
    assert found(stake_from_minor=100) == [elsewhere, large]
    assert found(stake_to_minor=100) == [elsewhere, small]
    assert found(has_free_seats=True) == [elsewhere, large]
    assert found(has_free_seats=False) == [small]
    assert found(status="closed") == [closed]


def test_those_who_oversee_every_hall_see_tables_of_a_hall_in_preparation(hall: Hall) -> None:
    table = make(hall).table
    Hall.objects.filter(pk=hall.pk).update(is_open=False, opened_at=None)
    for role in OVERSEERS:
        assert list(table_list(viewer=playing.user_with(role))) == [table]
    operator = playing.user_with(Role.OPERATOR, hall=hall)
    assert table_get(viewer=operator, table_id=table.public_id) == table


def test_the_rake_is_the_limit_sets_of_the_making_and_stays(hall: Hall) -> None:
    before = make(hall).table
    publish_limits(hall, rake={"basis_points": 250, "cap_minor": 300})
    game = Game.opened(hall, 2)
    publish_limits(hall, rake={"basis_points": 500})
    assert make(hall).table.rake == {"basis_points": 500, "cap_minor": None}
    before.refresh_from_db()
    assert (before.rake["basis_points"], game.standing.table.rake) == (0, {"basis_points": 250, "cap_minor": 300})
    assert game.row.head["setup"]["rake"] == {"basis_points": 250, "cap_minor": 300}
    round_void(actor=playing.user_with(Role.SUPERVISOR), round_id=game.row.public_id, reason="test", now=game.clock())
    game.all_ready()
    assert game.row.head["setup"]["rake"] == {"basis_points": 250, "cap_minor": 300}


def test_what_the_list_costs_does_not_grow_with_the_tables(hall: Hall, player: User) -> None:
    def statements() -> int:
        with CaptureQueriesContext(connection) as captured:
            assert playing.client(player).get("/api/v1/tables").status_code == 200
        return len(captured)

    table_sit(user=player, table_id=make(hall).table.public_id)
    few = statements()
    for _ in range(5):
        table_sit(user=player, table_id=make(hall).table.public_id)
    assert statements() == few

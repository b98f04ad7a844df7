"""Services of a table: make it, sit, leave, be ready, close. Each is one durable transaction."""

from datetime import datetime
from uuid import UUID

from django.db import transaction

from audit.trail import audit_record
from casino.db import now as database_now
from casino.db import unit_of_work
from casino.errors import Conflict, Forbidden, NotFound, Refused
from casino.permissions import Role
from casino.users.locks import user_lock
from casino.users.models import User
from games.core.engine import Json
from games.halls.locks import hall_lock_shared
from games.halls.models import Hall
from games.halls.selectors import hall_get
from games.rounds.commitments import commitment_create
from games.rounds.opening import Opener
from games.tables.agreement import agreement_new, agreement_of, convention_check
from games.tables.locks import table_lock
from games.tables.models import Table, TableEvent, TableSeat
from games.tables.selectors import Standing, standing_of, table_get, tables_fitting
from games.tables.steps import (
    closing_time,
    event_add,
    players_await,
    round_begin_at,
    seat_take,
    seat_vacate,
    seats_unready,
    table_shut,
)

MAX_OPEN_TABLES = 5
"""How many tables of one player's making may be open at once."""
Kind = TableEvent.Kind


def table_create(
    *,
    actor: User,
    hall_id: UUID,
    game: str,
    convention: Json,
    seats: int,
    allows_spectators: bool,
    now: datetime | None = None,
) -> Standing:
    """Make a table in an open hall, with the rake that the hall's limit set names now.

    **Errors** InvalidInput names the field; NotFound; Forbidden to all but players, the hall's operators and admins; Conflict
    ``hall_closed``, ``game_not_offered``, ``too_many_tables``; Refused ``stake_…``.
    **Locks** the hall, shared; a player who makes one. **Writes** table, event, the first commitment and an audit record.
    """
    convention_check(game=game, convention=convention, seats=seats)
    with unit_of_work():
        hall_get(viewer=actor, hall_id=hall_id)
        hall = hall_lock_shared(hall_id=hall_id)
        _refuse_maker(actor, hall)
        at = now or database_now()
        agreed = agreement_new(hall=hall, game=game, convention=convention, seats=seats, at=at)
        table = Table.objects.create(
            hall=hall,
            game=game,
            seats=seats,
            allows_spectators=allows_spectators,
            created_by=actor,
            created_at=at,
            empty_since=at,
            closes_at=closing_time(at),
            **agreed.fields(),
        )
        commitment_create(hall=hall, game=game, table_id=table.pk)
        event_add(table, Kind.OPENED, at)
        after = {name: getattr(table, name) for name in ("game", "seats", "convention", "rake", "allows_spectators")}
        audit_record(actor=actor, action="table_created", subject=table, before=None, after=after, hall=hall)
        return standing_of(table)


def table_sit(*, user: User, table_id: UUID, seat: int | None = None, now: datetime | None = None) -> Standing:
    """Take a seat, or the first free one; who sits there already stays.

    **Errors** NotFound; InvalidInput for a seat that the table lacks; Conflict ``table_closed``, ``hall_closed``,
    ``already_seated`` (elsewhere at the table), ``seat_taken``, ``table_full``.
    **Locks** the table.
    """
    with unit_of_work():
        table_get(viewer=user, table_id=table_id)
        return seat_take(user, table_lock(table_id), seat, now or database_now())


def table_quick_seat(
    *, user: User, hall_id: UUID, game: str, stake_to_minor: int | None = None, now: datetime | None = None
) -> Standing:
    """Take a seat at a random open table of a hall that plays the game for no higher stake.

    **Errors** NotFound; Conflict ``no_free_seat``, ``hall_closed``.
    **Locks** one table at a time; those that others hold are passed over at first, and waited for when no other is left.
    """
    with unit_of_work():
        hall_get(viewer=user, hall_id=hall_id)
        for passes_over in (True, False):
            for table_id in tables_fitting(viewer=user, hall_id=hall_id, game=game, stake_to_minor=stake_to_minor):
                try:
                    with transaction.atomic():  # its end gives a table free where there is no seat after all
                        return seat_take(user, table_lock(table_id, skip_locked=passes_over), None, now or database_now())
                except (NotFound, Conflict) as error:
                    if error.code == "hall_closed":
                        raise
        raise Conflict("no_free_seat")


def table_leave(*, user: User, table_id: UUID, now: datetime | None = None) -> Standing:
    """Leave a seat. A running round goes on with the player's stake in it, and time-outs play.

    **Errors** NotFound; Conflict ``not_seated``. **Locks** the table.
    """
    with unit_of_work():
        table_get(viewer=user, table_id=table_id)
        standing = standing_of(table_lock(table_id))
        seat_vacate(standing, _stay_of(user, standing), Kind.LEFT, now or database_now())
        return standing


def table_ready(
    *, user: User, table_id: UUID, round_id: UUID, client_seed: str = "", is_ready: bool = True, now: datetime | None = None
) -> Standing:
    """Say that one is ready for the table's next round, or no more; the last one to be ready opens it.

    **Rule** The round's id is the committed one that the player saw. House bots give no client seed.
    **Errors** InvalidInput; NotFound; Conflict ``not_seated``, ``round_open``, ``commitment_mismatch``, ``hall_closed``,
    ``game_not_offered``, ``engine_unverified``; Refused ``insufficient_funds``, ``balance_too_large``, ``stake_…``.
    **Locks** the hall, shared; the table; the accounts; the commitment.
    """
    with unit_of_work():
        hall_lock_shared(hall_id=table_get(viewer=user, table_id=table_id).hall.public_id)
        table = table_lock(table_id)
        standing = standing_of(table)
        stay = _stay_of(user, standing)
        if standing.is_playing:
            raise Conflict("round_open")
        if standing.commitment is None or standing.commitment.round_id != round_id:
            raise Conflict("commitment_mismatch")
        at = now or database_now()
        if is_ready:
            agreed = agreement_of(table, at)
            _check_funds(Opener.found(user, client_seed, table.hall.currency), table)
            _note_ready(table, stay, client_seed, at)
            round_begin_at(standing, agreed, at)
        elif stay.is_ready:
            seats_unready([stay])
            event_add(table, Kind.NOT_READY, at, seat=stay.index, player_id=str(user.public_id))
        after = standing_of(table)
        players_await(after, at)
        return after


def table_close(*, actor: User, table_id: UUID, reason: str, now: datetime | None = None) -> Standing:
    """Close a table between rounds; who sits there gets up.

    **Errors** NotFound; Forbidden to all but the hall's operators and admins; Conflict ``table_closed``, ``round_open``.
    **Locks** the table. **Writes** an audit record.
    """
    with unit_of_work():
        hall = table_get(viewer=actor, table_id=table_id).hall
        if not (actor.has_role(Role.ADMIN) or actor.has_role(Role.OPERATOR, hall=hall)):
            raise Forbidden("forbidden")
        table = table_lock(table_id)
        if table.status == Table.Status.CLOSED:
            raise Conflict("table_closed")
        standing = standing_of(table)
        if standing.is_playing:
            raise Conflict("round_open")
        table_shut(standing, now or database_now(), actor=actor, reason=reason)
        return standing_of(table)


def table_expire(*, table_id: UUID, until: datetime | None = None, now: datetime | None = None) -> None:
    """Do at a table what time asks for: close it when nobody came, take the seats of those whom all others wait for.

    With ``until`` only what was due by then: later deadlines may yet be moved by an outage.

    **Rule** It looks again under the lock, so a late, double or lost call does nothing. **Locks** the table.
    """
    with unit_of_work():
        try:
            table = table_lock(table_id, skip_locked=True)
        except NotFound:
            return
        at = now or database_now()
        limit = min(until or at, at)
        standing = standing_of(table)
        if table.status == Table.Status.CLOSED or standing.is_playing:
            return
        for stay in [stay for stay in standing.stays if stay.awaited_by is not None and stay.awaited_by <= limit]:
            seat_vacate(standing, stay, Kind.LOST, at)
        players_await(standing, at)
        if not standing.stays and table.closes_at is not None and table.closes_at <= limit:
            table_shut(standing, at, actor=None, reason="Nobody sat there.")


def _refuse_maker(actor: User, hall: Hall) -> None:
    """**Locks** the player, whose open tables are counted."""
    if actor.has_role(Role.ADMIN) or actor.has_role(Role.OPERATOR, hall=hall):
        return
    if not actor.has_role(Role.PLAYER):
        raise Forbidden("forbidden")
    user_lock(actor.public_id)
    if Table.objects.filter(created_by=actor, status=Table.Status.OPEN).count() >= MAX_OPEN_TABLES:
        raise Conflict("too_many_tables", max_tables=MAX_OPEN_TABLES)


def _stay_of(user: User, standing: Standing) -> TableSeat:
    stay = standing.stay_of(user)
    if stay is None:
        raise Conflict("not_seated")
    return stay


def _note_ready(table: Table, stay: TableSeat, client_seed: str, at: datetime) -> None:
    """Note that a player is ready; one who was ready before may change the client seed."""
    was_ready = stay.is_ready
    stay.is_ready, stay.client_seed = True, client_seed
    stay.save()
    if not was_ready:
        event_add(table, Kind.READY, at, seat=stay.index, player_id=str(stay.user.public_id))


def _check_funds(opener: Opener, table: Table) -> None:
    if opener.balance_minor < table.most_to_lose_minor:
        raise Refused("insufficient_funds", available_minor=opener.balance_minor, required_minor=table.most_to_lose_minor)

"""Steps at a table that a service's transaction has locked: note an event, empty a seat, wait for a player, open a round."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.conf import settings

from audit.trail import audit_record
from casino.errors import Conflict, InvalidInput
from casino.permissions import Role
from casino.streams.publishing import stream_publish
from casino.users.models import User
from games.rounds.commitments import commitment_create, commitment_reveal, commitment_use
from games.rounds.locks import opening_moment
from games.rounds.opening import Opener, Opening, round_begin
from games.rounds.records import iso
from games.tables.agreement import Agreement
from games.tables.models import Table, TableEvent, TableSeat
from games.tables.selectors import Standing, standing_of
from wallets.locks import accounts_lock
from wallets.models import PAID_IN_MAX_MINOR, Account, AccountKind

Kind = TableEvent.Kind


def event_add(table: Table, kind: TableEvent.Kind, at: datetime, **data: object) -> TableEvent:
    """Note what happened, under the table's next number. **Writes** the table."""
    event = event_next(table, kind, at, **data)
    table.save()
    event.save(force_insert=True)
    return event


def event_next(table: Table, kind: TableEvent.Kind, at: datetime, **data: object) -> TableEvent:
    """Make the table's next event; the caller writes both."""
    table.seq += 1
    stream_publish("table", table.public_id, table.seq)
    return TableEvent(table=table, seq=table.seq, at=at, kind=kind, data=data)


def seat_take(user: User, table: Table, seat: int | None, at: datetime) -> Standing:
    """Give a player the named seat or the first free one; who sits there already stays.

    **Errors** InvalidInput for a seat that the table lacks; Conflict ``table_closed``, ``hall_closed``, ``already_seated``
    (elsewhere at the table), ``seat_taken``, ``table_full``.
    """
    if table.status == Table.Status.CLOSED:
        raise Conflict("table_closed")
    if not table.hall.is_open:
        raise Conflict("hall_closed")
    if seat is not None and seat >= table.seats:
        raise InvalidInput("invalid_input", f"The table has seats 0 to {table.seats - 1}.", field="seat")
    standing = standing_of(table)
    stay = standing.stay_of(user)
    if stay is not None:
        if seat not in (None, stay.index):
            raise Conflict("already_seated", seat=stay.index)
        return standing
    taken = {other.index for other in standing.stays}
    if len(taken) == table.seats:
        raise Conflict("table_full")
    if seat in taken:
        raise Conflict("seat_taken")
    index = min(set(range(table.seats)) - taken) if seat is None else seat
    TableSeat.objects.create(table=table, index=index, user=user, sat_at=at)
    table.empty_since = table.closes_at = None
    event_add(table, Kind.SAT, at, seat=index, player_id=str(user.public_id))
    after = standing_of(table)
    players_await(after, at)
    return after


def closing_time(empty_since: datetime) -> datetime:
    """Tell when a table that is empty since a moment closes by itself."""
    return empty_since + timedelta(seconds=settings.TABLE_CLOSE_AFTER_SECONDS)


def seat_vacate(standing: Standing, stay: TableSeat, kind: TableEvent.Kind, at: datetime) -> None:
    """Empty a seat. The player's stake in a running round stays in it, and time-outs play (CP-1.5, UP-1.4, RA-1.5)."""
    table = standing.table
    stay.is_ready, stay.client_seed, stay.ready_by, stay.waiting_since = False, "", None, None
    stay.left_at = max(at, stay.sat_at)  # a clock that was set back keeps nobody seated
    stay.save()
    standing.stays.remove(stay)
    if standing.stays:
        _change(standing.stays, ready_by=None, waiting_since=None)
    else:
        table.empty_since, table.closes_at = at, closing_time(at)
    event_add(table, kind, at, seat=stay.index, player_id=str(stay.user.public_id))


def seats_unready(stays: Sequence[TableSeat]) -> None:
    """Let seats be ready no more; the client seed was for the round that they were ready for."""
    _change(stays, is_ready=False, client_seed="")


def players_await(standing: Standing, at: datetime) -> None:
    """Where all seats are taken and no round is played, give those who are not ready a time by which they must be.

    **Writes** an event when anybody is given one: after a round it is what tells that the next one is waited for.
    """
    if standing.is_full and not standing.is_playing:
        by = at + timedelta(seconds=settings.TABLE_READY_SECONDS)
        unasked = [stay for stay in standing.stays if not stay.is_ready and stay.ready_by is None]
        if unasked:
            _change(unasked, ready_by=by, waiting_since=at)
            event_add(standing.table, Kind.AWAITED, at, seats=[stay.index for stay in unasked], ready_by=iso(by))


def table_shut(standing: Standing, at: datetime, *, actor: User | None, reason: str) -> None:
    """Close a table where no round is open; who sits there gets up, and the seed of its unused commitment is shown.

    **Writes** an audit record.
    """
    table = standing.table
    for stay in list(standing.stays):
        seat_vacate(standing, stay, Kind.LEFT, at)
    seed = commitment_reveal(standing.commitment, reason="The table closed.") if standing.commitment else b""
    table.status, table.closed_at, table.closes_at = Table.Status.CLOSED, at, None
    event_add(table, Kind.CLOSED, at, server_seed=seed.hex())
    audit_record(
        actor=actor,
        action="table_closed",
        subject=table,
        before={"status": "open"},
        after={"status": "closed"},
        reason=reason,
        hall=table.hall,
    )


def round_begin_at(standing: Standing, agreed: Agreement, at: datetime) -> None:
    """Open the table's next round when every seat is taken and ready; a seat that cannot pay its stake is ready no more.

    **Rule** Who was shut out, or plays no more, since being ready is drawn into nothing and loses the seat.
    **Errors** Conflict ``engine_unverified``.
    **Locks** the accounts, then the commitment.
    """
    table, stays = standing.table, standing.stays
    if not standing.is_full or not all(stay.is_ready for stay in stays) or standing.commitment is None:
        return
    playing = User.objects.filter(pk__in=[stay.user_id for stay in stays], is_active=True, role_grants__role=Role.PLAYER)
    may_play = set(playing.values_list("pk", flat=True))
    if gone := [stay for stay in stays if stay.user_id not in may_play]:
        for stay in gone:
            seat_vacate(standing, stay, Kind.LOST, at)
        return
    openers = _openers(standing)
    most = table.most_to_lose_minor
    unfunded = [
        stay for stay, opener in zip(stays, openers, strict=True) if not most <= opener.balance_minor <= PAID_IN_MAX_MINOR
    ]
    if unfunded:
        seats_unready(unfunded)
        for stay in unfunded:
            event_add(table, Kind.UNFUNDED, at, seat=stay.index, player_id=str(stay.user.public_id))
        return
    commitment = commitment_use(round_id=standing.commitment.round_id, hall=table.hall, game=table.game, table_id=table.pk)
    _, step_id = opening_moment()
    opening = Opening(agreed.engine, agreed.setup, table.hall, agreed.terms, commitment, openers)
    round_begin(opening, at=at, step_id=step_id)
    commitment_create(hall=table.hall, game=table.game, table_id=table.pk, follows=commitment)
    _change(stays, is_ready=False, client_seed="", ready_by=None, waiting_since=None)
    event_add(table, Kind.ROUND_OPENED, at, round_id=str(commitment.round_id))


def _openers(standing: Standing) -> list[Opener]:
    """Bring each seat's player with the account, which being ready has made sure is there.

    **Locks** the accounts, so that what they hold is there until the stakes are paid.
    """
    users = [stay.user_id for stay in standing.stays]
    held = Account.objects.filter(kind=AccountKind.PLAYER, user__in=users, currency=standing.table.hall.currency)
    accounts = {account.user_id: account for account in accounts_lock(held.values_list("pk", flat=True))}
    return [Opener(stay.user, stay.client_seed, accounts[stay.user_id]) for stay in standing.stays]


def _change(stays: Sequence[TableSeat], **values: object) -> None:
    """Give seats other values, in one statement."""
    TableSeat.objects.filter(pk__in=[stay.pk for stay in stays]).update(**values)
    for stay in stays:
        for name, value in values.items():
            setattr(stay, name, value)

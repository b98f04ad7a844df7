"""Steps at a table that a service's transaction has locked: note an event, empty a seat, wait for a player, open a round."""

from datetime import datetime, timedelta

from django.conf import settings

from audit.trail import audit_record
from casino.errors import Conflict, InvalidInput
from casino.streams.publishing import stream_publish
from casino.users.models import User
from games.rounds.commitments import commitment_create, commitment_reveal, commitment_use
from games.rounds.locks import step_moment
from games.rounds.opening import Opener, Opening, round_begin
from games.tables.agreement import Agreement
from games.tables.models import Table, TableEvent, TableSeat
from games.tables.selectors import Standing, standing_of
from wallets.ledger import player_account
from wallets.locks import accounts_lock
from wallets.models import PAID_IN_MAX_MINOR

Kind = TableEvent.Kind


def event_add(table: Table, kind: TableEvent.Kind, at: datetime, **data: object) -> TableEvent:
    """Note what happened, under the table's next number. **Writes** the table."""
    table.seq += 1
    table.save()
    stream_publish("table", table.public_id, table.seq)
    return TableEvent.objects.create(table=table, seq=table.seq, at=at, kind=kind, data=data)


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


def seat_vacate(table: Table, stay: TableSeat, kind: TableEvent.Kind, at: datetime) -> None:
    """Empty a seat. The player's stake in a running round stays in it, and time-outs play (CP-1.5, UP-1.4, RA-1.5)."""
    stay.is_ready, stay.ready_by, stay.waiting_since = False, None, None
    stay.left_at = max(at, stay.sat_at)  # a clock that was set back keeps nobody seated
    stay.save()
    others = TableSeat.objects.filter(table=table, left_at=None)
    if not others.exists():
        table.empty_since, table.closes_at = at, closing_time(at)
    others.filter(is_ready=False).update(ready_by=None, waiting_since=None)
    event_add(table, kind, at, seat=stay.index, player_id=str(stay.user.public_id))


def players_await(standing: Standing, at: datetime) -> None:
    """Where all seats are taken and no round is played, give those who are not ready a time by which they must be."""
    if standing.is_full and not standing.is_playing:
        by = at + timedelta(seconds=settings.TABLE_READY_SECONDS)
        for stay in standing.stays:
            if not stay.is_ready and stay.ready_by is None:
                stay.ready_by, stay.waiting_since = by, at
                stay.save(update_fields=["ready_by", "waiting_since"])


def table_shut(standing: Standing, at: datetime, *, actor: User | None, reason: str) -> None:
    """Close a table where no round is open; who sits there gets up, and the seed of its unused commitment is shown.

    **Writes** an audit record.
    """
    table = standing.table
    for stay in standing.stays:
        seat_vacate(table, stay, Kind.LEFT, at)
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

    **Locks** the accounts, then the commitment.
    """
    table, stays = standing.table, standing.stays
    if not standing.is_full or not all(stay.is_ready for stay in stays) or standing.commitment is None:
        return
    if unfunded := _unfunded(standing):
        for stay in unfunded:
            stay.is_ready, stay.client_seed = False, ""
            stay.save(update_fields=["is_ready", "client_seed"])
            event_add(table, Kind.UNFUNDED, at, seat=stay.index, player_id=str(stay.user.public_id))
        return
    commitment = commitment_use(round_id=standing.commitment.round_id, hall=table.hall, game=table.game, table_id=table.pk)
    openers = [Opener(stay.user, stay.client_seed) for stay in stays]
    _, step_id = step_moment()
    opening = Opening(agreed.engine, agreed.setup, table.hall, agreed.terms, commitment, openers)
    round_begin(opening, at=at, step_id=step_id)
    commitment_create(hall=table.hall, game=table.game, table_id=table.pk, follows=commitment)
    for stay in stays:
        stay.is_ready, stay.client_seed = False, ""
        stay.save(update_fields=["is_ready", "client_seed"])
    event_add(table, Kind.ROUND_OPENED, at, round_id=str(commitment.round_id))


def _unfunded(standing: Standing) -> list[TableSeat]:
    """Find the seats whose money does not cover the stake, or could not take in a win.

    **Locks** their accounts, so that the answer holds until the stakes are paid.
    """
    currency, least = standing.table.hall.currency, standing.table.most_to_lose_minor
    accounts = [player_account(stay.user_id, currency).pk for stay in standing.stays]
    balances = {account.user_id: account.balance_minor or 0 for account in accounts_lock(accounts)}
    return [stay for stay in standing.stays if not least <= balances[stay.user_id] <= PAID_IN_MAX_MINOR]

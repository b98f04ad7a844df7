"""Steps at a table that a service's transaction has locked: note an event, empty a seat, wait for a player, open a round."""

from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction

from casino.errors import Refused
from games.engines import current_engine
from games.halls.selectors import terms_for_round
from games.rounds.commitments import commitment_create, commitment_reveal, commitment_use
from games.rounds.locks import step_moment
from games.rounds.opening import Opener, Opening, round_begin, setup_parse, stakes_check
from games.tables.models import Table, TableEvent, TableSeat
from games.tables.selectors import Standing, standing_of
from wallets.models import PAID_IN_MAX_MINOR, Account, AccountKind

Kind = TableEvent.Kind


def event_add(table: Table, kind: TableEvent.Kind, at: datetime, **data: object) -> TableEvent:
    """Note what happened, under the table's next number. **Writes** the table."""
    table.seq += 1
    table.save()
    return TableEvent.objects.create(table=table, seq=table.seq, at=at, kind=kind, data=data)


def seat_vacate(table: Table, stay: TableSeat, kind: TableEvent.Kind, at: datetime) -> None:
    """Empty a seat. The player's stake in a running round stays in it, and time-outs play (CP-1.5, UP-1.4, RA-1.5)."""
    stay.is_ready, stay.ready_by, stay.left_at = False, None, at
    stay.save()
    others = TableSeat.objects.filter(table=table, left_at=None)
    if not others.exists():
        table.empty_since = at
    others.filter(is_ready=False).update(ready_by=None)
    event_add(table, kind, at, seat=stay.index, player_id=str(stay.user.public_id))


def players_await(standing: Standing, at: datetime) -> None:
    """Where all seats are taken and no round is played, give those who are not ready a time by which they must be."""
    if standing.is_full and not standing.is_playing:
        by = at + timedelta(seconds=settings.TABLE_READY_SECONDS)
        for stay in standing.stays:
            if not stay.is_ready and stay.ready_by is None:
                stay.ready_by = by
                stay.save(update_fields=["ready_by"])


def table_shut(standing: Standing, at: datetime) -> None:
    """Close a table where nobody plays; the seed of its unused commitment is shown."""
    table = standing.table
    for stay in standing.stays:
        seat_vacate(table, stay, Kind.LEFT, at)
    seed = commitment_reveal(standing.commitment, reason="The table closed.") if standing.commitment else b""
    table.status, table.closed_at = Table.Status.CLOSED, at
    event_add(table, Kind.CLOSED, at, server_seed=seed.hex())


def round_begin_at(standing: Standing, at: datetime | None) -> None:
    """Open the table's next round when every seat is taken and ready; a seat that cannot pay its stake is ready no more.

    **Errors** Conflict ``hall_closed``, ``game_not_offered``; Refused ``stake_…`` when the hall's limits have changed.
    **Locks** Needs the hall locked, shared; locks the commitment, then the accounts.
    """
    table, stays = standing.table, standing.stays
    if not standing.is_full or not all(stay.is_ready for stay in stays) or standing.commitment is None:
        return
    clock, step_id = step_moment()
    moment = at or clock
    engine = current_engine(table.game)
    terms = terms_for_round(hall=table.hall, game=table.game, at=moment)
    agreed = {**table.convention, "seats": table.seats, "rake": table.rake}
    setup = setup_parse(engine, {**agreed, "limits": terms.limit_set.data, "pay_table": terms.pay_table.data})
    stakes_check(engine, setup, terms.limit_set.data or {})
    openers = [Opener(stay.user, stay.client_seed) for stay in stays]
    try:
        with transaction.atomic():
            commitment = commitment_use(
                round_id=standing.commitment.round_id, hall=table.hall, game=table.game, table_id=table.pk
            )
            round_begin(Opening(engine, setup, table.hall, terms, commitment, openers), at=moment, step_id=step_id)
    except Refused:
        _unfunded_wait(standing, moment)
        return
    commitment_create(hall=table.hall, game=table.game, table_id=table.pk, follows=commitment)
    for stay in stays:
        stay.is_ready, stay.client_seed = False, ""
        stay.save(update_fields=["is_ready", "client_seed"])
    event_add(table, Kind.ROUND_OPENED, moment, round_id=str(commitment.round_id))


def _unfunded_wait(standing: Standing, at: datetime) -> None:
    """Take back the readiness of those whose money no longer covers the stake, or could not take in a win: one at least."""
    players = [stay.user_id for stay in standing.stays]
    accounts = Account.objects.filter(kind=AccountKind.PLAYER, currency=standing.table.hall.currency, user__in=players)
    balances = dict(accounts.values_list("user_id", "balance_minor"))
    for stay in standing.stays:
        if not standing.table.most_to_lose_minor <= (balances.get(stay.user_id) or 0) <= PAID_IN_MAX_MINOR:
            stay.is_ready = False
            stay.save(update_fields=["is_ready"])
            event_add(standing.table, Kind.UNFUNDED, at, seat=stay.index, player_id=str(stay.user.public_id))
    players_await(standing_of(standing.table), at)

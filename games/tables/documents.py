"""A table as the API shows it: the same to everybody who may know of it."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.conf import settings

from games.rounds.documents import commitment_document
from games.rounds.records import iso
from games.tables.models import Table, TableEvent, TableSeat
from games.tables.selectors import Standing


def table_document(standing: Standing, *, server_time: datetime) -> dict[str, Any]:
    """Return a table with its players, its last round and the commitment of its next one."""
    table, last = standing.table, standing.round
    return {
        **table_summary(table, standing.stays),
        "convention": table.convention,
        "seq": table.seq,
        "round_id": str(last.public_id) if last else None,
        "is_playing": standing.is_playing,
        "next_commitment": commitment_document(standing.commitment),
        "stream_url": f"{settings.STREAM_ORIGIN}/api/v1/tables/{table.public_id}/stream",
        "server_time": iso(server_time),
    }


def table_summary(table: Table, stays: Sequence[TableSeat]) -> dict[str, Any]:
    """Return what a player chooses a table by."""
    return {
        "id": str(table.public_id),
        "hall_id": str(table.hall.public_id),
        "game": table.game,
        "currency": table.hall.currency,
        "stake": {"kind": table.stake_kind, "amount_minor": table.stake_minor},
        "most_to_lose_minor": table.most_to_lose_minor,
        "rake": table.rake,
        "seats": table.seats,
        "free_seats": table.seats - len(stays),
        "players": [_player(stay) for stay in stays],
        "allows_spectators": table.allows_spectators,
        "status": table.status,
        "created_at": iso(table.created_at),
        "closes_at": iso(table.closes_at) if table.closes_at else None,
        "closed_at": iso(table.closed_at) if table.closed_at else None,
    }


def event_document(event: TableEvent) -> dict[str, Any]:
    """Return what happened at a table."""
    return {"seq": event.seq, "at": iso(event.at), "kind": event.kind, "data": event.data}


def _player(stay: TableSeat) -> dict[str, Any]:
    return {
        "seat": stay.index,
        "player_id": str(stay.user.public_id),
        "is_house_bot": stay.user.is_house_bot,
        "is_ready": stay.is_ready,
        "ready_by": iso(stay.awaited_by) if stay.awaited_by else None,
    }

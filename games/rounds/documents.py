"""A round as the API shows it to one viewer.

It is made of the round's rows and a position, nothing else, so that the answer to an action can be made again from its step.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings

from games.core.engine import AWAY_AFTER, ActionSpec, Engine, Event, Json, spec_json
from games.rounds.commitments import commitment_seed
from games.rounds.models import Commitment, Round, RoundSeat
from games.rounds.position import Position, SeatPosition
from games.rounds.records import iso
from games.rounds.steps import StepTaken


@dataclass(frozen=True, slots=True)
class Viewpoint:
    """Who looks, and when: a seat (None for anybody else), what its account holds free, and the server's time."""

    seat: int | None
    available_minor: int | None
    server_time: datetime


def round_document(
    row: Round,
    seats: Sequence[RoundSeat],
    *,
    engine: Engine[Any, Any, Any],
    position: Position,
    viewpoint: Viewpoint,
    events: Sequence[Event],
) -> dict[str, Any]:
    """Return a round at a position as a viewer may see it, with the events of the step that led there."""
    viewer = viewpoint.seat
    is_open = position.status == Round.Status.OPEN
    own = position.seats[viewer] if viewer is not None else None
    specs = engine.legal_actions(position.state, viewer) if is_open and viewer is not None else ()
    return {
        "id": str(row.public_id),
        "game": row.game,
        "rules_version": row.rules_version,
        "hall_id": str(row.hall.public_id),
        "table_id": str(row.table.public_id) if row.table else None,
        "currency": row.currency,
        "status": position.status,
        "seq": position.seq_for(viewer),
        "opened_at": iso(row.opened_at),
        "closed_at": None if is_open or row.closed_at is None else iso(row.closed_at),
        "server_time": iso(viewpoint.server_time),
        "seed_hash": row.commitment.seed_hash,
        "server_seed": None if is_open else commitment_seed(row.commitment).hex(),
        "seats": [seat_document(seat, stands) for seat, stands in zip(seats, position.seats, strict=True)],
        "seat": viewer,
        "turn": own.turn if own else None,
        "deadline": iso(own.deadline) if own and own.deadline else None,
        "available_minor": viewpoint.available_minor,
        "legal_actions": [_legal_action(spec, viewpoint.available_minor) for spec in specs],
        "view": engine.view(position.state, viewer),
        "events": events_shown(engine, events, viewer),
        "next_commitment": commitment_document(getattr(row.commitment, "next", None)) if viewer is not None else None,
        "stream_url": f"{settings.STREAM_ORIGIN}/api/v1/rounds/{row.public_id}/stream",
    }


def step_document(taken: StepTaken, *, viewer: int | None) -> dict[str, Any]:
    """Return a round as a viewer saw it right after a step.

    **Rule** What an account holds free is known of the seat that took the step, and shown to nobody else.
    """
    available = taken.step.available_minor if viewer is not None and viewer == taken.step.seat else None
    return round_document(
        taken.row,
        taken.seats,
        engine=taken.engine,
        position=taken.position,
        viewpoint=Viewpoint(viewer, available, taken.step.at),
        events=taken.events,
    )


def seat_document(seat: RoundSeat, stands: RoundSeat | SeatPosition) -> dict[str, Any]:
    """Return a seat with its money as it stands, now or at a step."""
    return {
        "seat": seat.index,
        "player_id": str(seat.user.public_id),
        "is_house_bot": seat.user.is_house_bot,
        "client_seed": seat.client_seed,
        "deadline": iso(stands.deadline) if stands.deadline else None,
        "is_away": seat.table_id is not None and stands.missed >= AWAY_AFTER,
        "staked_minor": stands.staked_minor,
        "returned_minor": stands.returned_minor,
        "held_minor": stands.held_minor,
    }


def figures_document(row: Round) -> dict[str, Any]:
    """Return the figures beside a round that ``history.with_figures`` has added them to.

    **Rule** While it is open nobody is told how many of its moves were automatic: some may be another seat's secret.
    """
    seats, figures = row.seats.all(), vars(row)
    staked, returned = sum(seat.staked_minor for seat in seats), sum(seat.returned_minor for seat in seats)
    is_open = row.status == Round.Status.OPEN
    return {
        "staked_minor": staked,
        "returned_minor": returned,
        "net_minor": None if is_open else returned - staked,
        "rake_minor": figures["rake_minor"],
        "automatic_moves": None if is_open else figures["automatic_moves"],
        "findings": figures["findings"],
        "findings_unresolved": figures["findings_unresolved"],
    }


def events_shown(engine: Engine[Any, Any, Any], events: Sequence[Event], viewer: int | None) -> list[Json]:
    """Return of the events what a viewer may see."""
    return [shown for event in events if (shown := engine.event_view(event, viewer)) is not None]


def _legal_action(spec: ActionSpec, available_minor: int | None) -> dict[str, Any]:
    """Say of an action whether the seat can pay for it; None where what its account holds is not known."""
    is_known = available_minor is not None or spec.cost_minor == 0
    return {**spec_json(spec), "affordable": spec.cost_minor <= (available_minor or 0) if is_known else None}


def commitment_document(commitment: Commitment | None) -> dict[str, str] | None:
    """Return what is told of a commitment that waits for its round."""
    return {"round_id": str(commitment.round_id), "seed_hash": commitment.seed_hash} if commitment else None

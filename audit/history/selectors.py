"""Reading one round for the audit: its steps as every seat saw them with the money beside, and its figures with its findings."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import structlog

from audit.history.money import StepMoney, money_of_steps
from audit.history.replaying import record_engine, record_replay
from audit.models import AuditFinding
from casino.errors import Conflict, NotFound
from casino.users.models import User
from games.core.codec import parse
from games.core.engine import Engine, Event, Json
from games.core.errors import InvalidData
from games.engines import engine_for
from games.rounds.documents import events_shown
from games.rounds.models import Round, RoundRecord
from games.rounds.position import Position, SeatPosition
from games.rounds.records import iso
from games.rounds.replay import round_replay, steps_seen
from games.rounds.selectors import record_missing, round_list, round_seats

logger = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class StepSeen:
    """One step with the round before and after it, and what may be told of it; ``after`` is None where the rules refused it."""

    seq: int
    told: Json
    engine: Engine[Any, Any, Any]
    viewers: Sequence[int | None]
    before: Position | None
    after: Position | None
    events: Sequence[Event]


def round_record(*, round_id: UUID) -> Json:
    """Return the record of a closed round. **Errors** NotFound; Conflict ``round_open``, ``record_unreadable``."""
    row = Round.objects.filter(commitment_id=round_id).first()
    if row is None:
        raise NotFound("not_found")
    document = RoundRecord.objects.filter(round=row).values_list("document", flat=True).first()
    if document is None:
        raise record_missing(row)
    with _record_readable():
        record: Json = parse(document.encode())
        if record["head"] and record["result"] and [step["seq"] for step in record["steps"]] == [*range(len(record["steps"]))]:
            return record
    raise Conflict("record_unreadable")


@contextmanager
def _record_readable() -> Iterator[None]:
    """Say of a record that somebody has made nonsense of that it is none."""
    try:
        yield
    except (InvalidData, LookupError, TypeError, ValueError, AttributeError) as error:
        logger.exception("record_unreadable")
        raise Conflict("record_unreadable") from error


def round_look(*, user: User, round_id: UUID) -> tuple[Round, list[AuditFinding]]:
    """Return a round with its figures, and what has been found about it, newest first. **Errors** NotFound."""
    row = round_list(user=user).filter(commitment_id=round_id).first()
    if row is None:
        raise NotFound("not_found")
    return row, list(AuditFinding.objects.filter(round_reference=str(round_id)).order_by("-pk"))


def steps_as_seen(*, round_id: UUID) -> list[StepSeen]:
    """Return a round's steps in order, made by the rules from seeds and actions, not from any stored state.

    **Rule** Of a closed round all is told, for every seat as it was for that seat. Of an open one only what anybody may see:
    steps that show it, counted so, without actions and their money, and no seat's own view.
    **Errors** NotFound; Conflict ``record_unreadable``.
    """
    seats = round_seats(round_id)
    if not seats:
        raise NotFound("not_found")
    row = seats[0].round
    if row.status == Round.Status.OPEN:
        return _open_steps(row, seats)
    record = round_record(round_id=round_id)
    with _record_readable():
        return _closed_steps(record, len(seats))


def _closed_steps(record: Json, seats: int) -> list[StepSeen]:
    engine, viewers = record_engine(record), (*range(seats), None)
    return [
        StepSeen(
            seq=step.recorded["seq"],
            told={**{name: step.recorded[name] for name in TOLD}, "divergence": step.divergence},
            engine=engine,
            viewers=viewers,
            before=step.before,
            after=step.after,
            events=step.events,
        )
        for step in record_replay(record)
    ]


TOLD = ("at", "seat", "turn", "origin", "action")


def _open_steps(row: Round, seats: Sequence[Any]) -> list[StepSeen]:
    engine = engine_for(row.game, row.rules_version)
    taken = round_replay(row, seats, engine=engine)
    seen, before = [], dict(zip((each.step.seq for each in taken), [None, *(each.position for each in taken)], strict=False))
    for each in steps_seen(taken, None):
        step = each.step
        origin = None if any(event.hides_origin for event in each.events) else step.origin
        told = {"at": iso(step.at), "seat": step.seat, "turn": step.turn, "origin": origin, "action": None, "divergence": None}
        seq = each.position.seq_for(None)
        seen.append(StepSeen(seq, told, engine, (None,), before[step.seq], each.position, each.events))
    return seen


def steps_described(steps: Sequence[StepSeen], *, round_id: UUID) -> list[dict[str, Any]]:
    """Return steps as the audit tells them, with the money of each beside its cards."""
    row = Round.objects.get(commitment_id=round_id)
    is_closed = row.status != Round.Status.OPEN
    money = money_of_steps(row, [step.seq for step in steps]) if is_closed else {}
    return [_described(step, money.get(step.seq)) for step in steps]


def _described(step: StepSeen, money: StepMoney | None) -> dict[str, Any]:
    return {
        "seq": step.seq,
        **step.told,
        "views": [_seen_by(step, viewer) for viewer in step.viewers],
        "seats": _seats(step, money),
        "escrow": None if money is None else {"before_minor": money.escrow[0], "after_minor": money.escrow[1]},
        "transfers": None if money is None else money.transfers,
    }


def _seen_by(step: StepSeen, viewer: int | None) -> dict[str, Any]:
    before, after = (position and step.engine.view(position.state, viewer) for position in (step.before, step.after))
    return {"viewer": viewer, "before": before, "after": after, "events": events_shown(step.engine, step.events, viewer)}


def _seats(step: StepSeen, money: StepMoney | None) -> list[dict[str, Any]]:
    """Say what each seat has in the round before and after a step, and where the ledger tells it, what its account held free."""
    stands = step.after or step.before
    count = len(stands.seats) if stands else 0
    available = money.available if money else {}
    return [
        {
            "seat": seat,
            "before": _stands(step.before, seat, available.get(seat, (None, None))[0]),
            "after": _stands(step.after, seat, available.get(seat, (None, None))[1]),
        }
        for seat in range(count)
    ]


def _stands(position: Position | None, seat: int, available_minor: int | None) -> dict[str, int | None]:
    stands = position.seats[seat] if position else SeatPosition()
    return {
        "staked_minor": stands.staked_minor,
        "returned_minor": stands.returned_minor,
        "held_minor": stands.held_minor,
        "available_minor": available_minor,
    }

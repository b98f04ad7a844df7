"""Rounds as lines of an export: JSON Lines, a record each; CSV, a line for each seat of each round."""

import csv
import io
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import Prefetch, QuerySet

from audit.cells import cell
from games.core.engine import Json
from games.rounds.models import Round, RoundSeat

COLUMNS = (
    "round_id", "game", "rules_version", "hall_id", "hall_name", "table_id", "currency", "status", "opened_at", "closed_at",
    "steps", "seat", "player_id", "username", "is_house_bot", "client_seed", "result", "staked_minor", "returned_minor",
    "net_minor", "rake_minor", "moves", "automatic_moves", "seed_hash", "server_seed", "record_hash",
)  # fmt: skip
"""Columns are added at the end, if ever; none is renamed or taken away."""


def record_lines(rows: Sequence[Round]) -> str:
    """Return the records of rounds, byte for byte as they were written when the rounds closed."""
    return "".join(f"{row.record.document}\n" for row in rows)


def seat_lines(rows: Sequence[Round]) -> str:
    """Return a line for each seat of rounds; add up the lines of a column and you have the amount of all."""
    return _csv([_seat_cells(row, seat, record) for row in rows for record in [_record(row)] for seat in row.seats.all()])


def _record(row: Round) -> Json:
    record: Json = json.loads(row.record.document)  # our own text, which the audit holds against everything else
    return record


def _seat_cells(row: Round, seat: RoundSeat, record: Json) -> list[Any]:
    net = seat.returned_minor - seat.staked_minor
    settled = ("lost", "even", "won")[(net > 0) - (net < 0) + 1]
    own = [step for step in record["steps"] if step["seat"] == seat.index and step["seq"] > 0]
    rake = [move for move in record["transfers"] if move["kind"] == "rake" and move["seat"] == seat.index]
    table: UUID | None = row.table.public_id if row.table else None
    return [
        row.public_id,
        row.game,
        row.rules_version,
        row.hall.public_id,
        row.hall.name,
        table,
        row.currency,
        row.status,
        row.opened_at,
        row.closed_at,
        row.seq + 1,
        seat.index,
        seat.user.public_id,
        seat.user.get_username(),
        seat.user.is_house_bot,
        seat.client_seed,
        "voided" if row.status == Round.Status.VOIDED else settled,
        seat.staked_minor,
        seat.returned_minor,
        net,
        sum(move["amount_minor"] for move in rake),
        len(own),
        sum(step["origin"] == "timeout" for step in own),
        record["head"]["seed_hash"],
        record["server_seed"],
        row.record.record_hash,
    ]


def _csv(rows: Sequence[Sequence[Any]]) -> str:
    written = io.StringIO()
    csv.writer(written, lineterminator="\r\n").writerows([[cell(value) for value in row] for row in rows])
    return written.getvalue()


@dataclass(frozen=True, slots=True)
class Form:
    """A form of export: the line that begins it, what its lines need of each round, and the lines of some rounds."""

    header: str
    reading: Callable[[QuerySet[Round]], QuerySet[Round]]
    lines: Callable[[Sequence[Round]], str]


def _with_record(rounds: QuerySet[Round]) -> QuerySet[Round]:
    return rounds.select_related("record").only("record__document")


def _with_seats(rounds: QuerySet[Round]) -> QuerySet[Round]:
    seats = Prefetch("seats", RoundSeat.objects.order_by("index").select_related("user"))
    return rounds.select_related("hall", "table", "record").defer("head", "state_secret").prefetch_related(seats)


FORMS = {
    "jsonl": Form("", _with_record, record_lines),
    "csv": Form(_csv([COLUMNS]), _with_seats, seat_lines),
}
"""The forms of an export, by its format."""

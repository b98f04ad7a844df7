"""A second look at closed rounds: the offline verifier over the record, and the record against what the database holds."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Any
from uuid import UUID

from django.db import DEFAULT_DB_ALIAS

from audit.replay_transfers import Moved, transfer_deviations, transfers_moved
from casino.errors import Conflict, NotFound
from games.core.codec import canonical, parse
from games.core.engine import Json
from games.core.errors import InvalidData
from games.core.record import head_hash
from games.engines import engine_for
from games.rounds.cipher import Tampered
from games.rounds.commitments import commitment_seed
from games.rounds.models import Commitment, Round, RoundRecord, RoundSeat, RoundStep
from games.rounds.records import iso, step_unsealed
from games.verify import Divergence, verify


@dataclass(frozen=True, slots=True)
class ReplayReport:
    """What a replay found: nothing amiss, or each thing that is, naming its row, by what was compared."""

    round_id: UUID
    hall_id: int
    record_hash: str
    verdict: str | None
    found: Mapping[str, tuple[str, ...]]

    @property
    def deviations(self) -> tuple[str, ...]:
        return tuple(chain.from_iterable(self.found.values()))

    @property
    def is_clean(self) -> bool:
        return not self.found


@dataclass(slots=True)
class Stored:
    """A closed round as the database holds it."""

    record: RoundRecord
    seats: list[RoundSeat] = field(default_factory=list)
    steps: list[RoundStep] = field(default_factory=list)
    transfers: list[Moved] = field(default_factory=list)

    @property
    def row(self) -> Round:
        return self.record.round


def round_audit(*, round_id: UUID) -> ReplayReport:
    """Replay a closed round by the offline verifier, then match its record with the stored steps, totals and transfers.

    **Errors** NotFound; Conflict ``round_open``.
    """
    key = RoundRecord.objects.filter(round__commitment_id=round_id).values_list("pk", flat=True).first()
    if key is None:
        raise Conflict("round_open") if Round.objects.filter(commitment_id=round_id).exists() else NotFound("not_found")
    (stored,) = rounds_stored([key])
    return Replayer().replay(stored)


def rounds_stored(keys: Collection[int], *, using: str = DEFAULT_DB_ALIAS) -> list[Stored]:
    """Read closed rounds with all that belongs to them, in as many queries for many as for one.

    **Rule** Once a round's record is there nothing of it changes any more: it does not matter when each query reads.
    """
    records = RoundRecord.objects.using(using).select_related("round__commitment").filter(pk__in=keys).order_by("pk")
    records = records.prefetch_related("round__hall", "round__limit_set", "round__pay_table")
    found = {record.pk: Stored(record) for record in records}
    seats = RoundSeat.objects.using(using).select_related("user", "account__user").filter(round_id__in=found)
    for seat in seats.order_by("index"):
        found[seat.round_id].seats.append(seat)
    of_step: dict[int, Stored] = {}
    for step in RoundStep.objects.using(using).filter(round_id__in=found).order_by("seq"):
        found[step.round_id].steps.append(step)
        of_step[step.pk] = found[step.round_id]
    for moved in transfers_moved(list(of_step), using=using):
        of_step[moved.step_id].transfers.append(moved)
    return list(found.values())


class Replayer:
    """Replays rounds, and remembers from one to the next what the terms of halls come to."""

    def __init__(self) -> None:
        self._terms: dict[tuple[Any, ...], Json] = {}

    def replay(self, stored: Stored) -> ReplayReport:
        """Replay a round and match it with what is stored."""
        row, kept = stored.row, stored.record
        text = kept.document.encode()
        try:
            verdict = str(verify(text))
        except Divergence as divergence:
            return self._report(stored, None, record=[f"record: {divergence}"])
        record = parse(text)
        return self._report(
            stored,
            verdict,
            round=_round_deviations(stored, record, self._terms_complete(row, record["head"]["setup"])),
            steps=_step_deviations(stored, record),
            transfers=transfer_deviations(row, stored.seats, stored.steps, stored.transfers, record),
        )

    @staticmethod
    def _report(stored: Stored, verdict: str | None, **compared: Iterator[str] | list[str]) -> ReplayReport:
        found = {what: tuple(deviations) for what, deviations in compared.items()}
        clean_out = {what: deviations for what, deviations in found.items() if deviations}
        return ReplayReport(stored.row.public_id, stored.row.hall_id, stored.record.record_hash, verdict, clean_out)

    def _terms_complete(self, row: Round, setup: Json) -> Json:
        """Return the round's limit set and pay table as its game completes them; as they are, where they make no sense to it."""
        rest = canonical({name: value for name, value in setup.items() if name not in ("limits", "pay_table")})
        key = (row.game, row.rules_version, row.limit_set_id, row.pay_table_id, rest)
        if key not in self._terms:
            terms = {"limits": row.limit_set.data, "pay_table": row.pay_table.data}
            engine = engine_for(row.game, row.rules_version)
            try:
                self._terms[key] = engine.dump_setup(engine.parse_setup({**setup, **terms}))
            except InvalidData:
                self._terms[key] = terms
        return self._terms[key]


def _round_deviations(stored: Stored, record: Json, terms: Json) -> Iterator[str]:
    """Match the record with the round's own columns, its commitment, its terms and its seats."""
    row, commitment = stored.row, stored.row.commitment
    head, last = record["head"], record["steps"][-1]
    pairs = {
        "record hash": (stored.record.record_hash, record["record_hash"]),
        "head": (row.head, head),
        "game": ((row.game, row.rules_version, row.engine_digest), (head["game"], head["rules_version"], head["engine_digest"])),
        "currency": (row.currency, head["currency"]),
        "status": (row.status, record["result"]["status"]),
        "last hash": (row.last_hash, last["hash"]),
        "hall": (str(row.hall.public_id), head["hall"]["id"]),
        "opening time": (iso(row.opened_at), head["opened_at"]),
        "closing time": (row.closed_at and iso(row.closed_at), last["at"]),
        "seed hash": (commitment.seed_hash, head["seed_hash"]),
        "seed": (_seed(commitment), record["server_seed"]),
        "limit set": (terms["limits"], head["setup"]["limits"]),
        "pay table": (terms["pay_table"], head["setup"]["pay_table"]),
        "chain": (head_hash(row.head), record["steps"][0]["previous_hash"]),
    }
    for name, (kept, recorded) in pairs.items():
        if kept != recorded:
            yield f"{name} of round {row.public_id}: the row has {kept}, the record {recorded}"
    yield from _commitment_deviations(stored)
    if len(stored.seats) != len(head["seats"]):
        yield f"round {row.public_id} has {len(stored.seats)} seats, its record {len(head['seats'])}"
    for seat, told, total in zip(stored.seats, head["seats"], record["result"]["seats"], strict=False):
        player, owner = (person and str(person.public_id) for person in (seat.user, seat.account.user))
        if not player == owner == told["player"]:
            yield (
                f"seat {seat.index} of round {row.public_id}: the row has player {player}, "
                f"its account {seat.account.public_id} is of {owner}, the record has {told['player']}"
            )
        if (seat.client_seed, seat.hall_id, seat.table_id) != (told["client_seed"], row.hall_id, row.table_id):
            yield f"seat {seat.index} of round {row.public_id}: its client seed, hall or table is another than the record's"
        kept = (seat.staked_minor, seat.returned_minor)
        if kept != (total["staked_minor"], total["returned_minor"]):
            yield f"seat {seat.index} of round {row.public_id}: the row has {kept}, the record {total}"


def _commitment_deviations(stored: Stored) -> Iterator[str]:
    """Match a round with the commitment that it was promised by: whose that was, for which game and where."""
    row, made = stored.row, stored.row.commitment
    players = {seat.user_id for seat in stored.seats}
    told = (made.status, made.game, made.hall_id, made.table_id)
    if told != (Commitment.Status.USED, row.game, row.hall_id, row.table_id) or not {made.user_id} <= players | {None}:
        yield f"the commitment of round {row.public_id} is not one that was used by its players, for its game, hall and table"


def _seed(commitment: Commitment) -> str | None:
    try:
        return commitment_seed(commitment).hex()
    except Tampered:
        return None


def _step_deviations(stored: Stored, record: Json) -> Iterator[str]:
    """Match the record's steps with the stored ones."""
    row = stored.row
    if len(stored.steps) != len(record["steps"]):
        yield f"round {row.public_id} has {len(stored.steps)} steps, its record {len(record['steps'])}"
    for step, recorded in zip(stored.steps, record["steps"], strict=False):
        kept = (step.seq, iso(step.at), step.seat, step.turn, step.origin, step.previous_hash, step.hash)
        if kept != tuple(recorded[key] for key in ("seq", "at", "seat", "turn", "origin", "previous_hash", "hash")):
            yield f"step {step.seq} of round {row.public_id}: the row is not the one of the record"
        elif not _same_secret(row, step, recorded):
            yield f"step {step.seq} of round {row.public_id}: what it hides is not what the record tells"


def _same_secret(row: Round, step: RoundStep, recorded: Json) -> bool:
    try:
        return step_unsealed(row, step) == recorded
    except Tampered:
        return False

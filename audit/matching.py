"""A verified record matched with the stored round: what differs, field by field, with what either has there."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from audit.stored import Moved, Stored
from games.core.codec import canonical
from games.core.engine import Json
from games.core.record import head_hash
from games.rounds.cipher import Tampered
from games.rounds.models import Round, RoundSeat, RoundStep
from games.rounds.records import iso, step_unsealed
from wallets.models import Transfer

SHOWN_CHARACTERS = 300
_STEP = ("seq", "at", "seat", "turn", "origin", "previous_hash", "hash")


@dataclass(frozen=True, slots=True)
class Difference:
    """A field of a row that is not as the record tells it; without a field the row is not there, or not in the record."""

    table: str
    key: str
    row: str
    field: str | None
    expected: Any
    found: Any

    def __str__(self) -> str:
        expected, found = _shown(self.expected), _shown(self.found)
        if self.field is not None:
            return f"{self.row} is not what the record tells: {self.field}: the record tells {expected}, the row has {found}"
        if self.found is None:
            return f"{self.row} is not in the database: the record tells {expected}"
        return f"{self.row} is not in the record: the row has {found}"

    def as_json(self) -> dict[str, Any]:
        return {"table": self.table, "key": self.key, "field": self.field, "expected": self.expected, "found": self.found}


def _shown(value: Any) -> str:
    text = canonical(value).decode()
    return text if len(text) <= SHOWN_CHARACTERS else f"{text[:SHOWN_CHARACTERS]}…"


@dataclass(frozen=True, slots=True)
class Match:
    """One row and what it is called, matched with what the record tells of it."""

    table: str
    key: str
    row: str

    def differences(self, expected: Json | None, found: Json | None) -> Iterator[Difference]:
        if expected is None or found is None:
            yield self._difference(None, expected, found)
        else:
            yield from self._within("", expected, found)

    def _within(self, path: str, expected: Any, found: Any) -> Iterator[Difference]:
        """Go down to the fields themselves, as far as either has the same ones."""
        if expected == found:
            return
        if isinstance(expected, dict) and isinstance(found, dict) and expected.keys() == found.keys():
            for name in expected:
                yield from self._within(f"{path}.{name}" if path else name, expected[name], found[name])
        else:
            yield self._difference(path, expected, found)

    def _difference(self, field: str | None, expected: Any, found: Any) -> Difference:
        return Difference(self.table, self.key, self.row, field, expected, found)


def round_differences(stored: Stored, record: Json, terms: Json) -> Iterator[Difference]:
    """Match the round's own columns, its commitment, its terms and its seats."""
    yield from _round_differences(stored, record, terms)
    yield from _seat_differences(stored, record)


def _round_differences(stored: Stored, record: Json, terms: Json) -> Iterator[Difference]:
    row, head, last = stored.row, record["head"], record["steps"][-1]
    expected = {
        "record_hash": record["record_hash"],
        "head": head,
        "head_hash": record["steps"][0]["previous_hash"],
        "game": head["game"],
        "rules_version": head["rules_version"],
        "engine_digest": head["engine_digest"],
        "currency": head["currency"],
        "status": record["result"]["status"],
        "last_hash": last["hash"],
        "closed_at": last["at"],
        "seed_hash": head["seed_hash"],
        "limits": head["setup"]["limits"],
        "pay_table": head["setup"]["pay_table"],
    }
    found = {
        "record_hash": stored.record.record_hash,
        "head": row.head,
        "head_hash": head_hash(row.head),
        "game": row.game,
        "rules_version": row.rules_version,
        "engine_digest": row.engine_digest,
        "currency": row.currency,
        "status": row.status,
        "last_hash": row.last_hash,
        "closed_at": row.closed_at and iso(row.closed_at),
        "seed_hash": row.commitment.seed_hash,
        "limits": terms["limits"],
        "pay_table": terms["pay_table"],
    }
    match = Match(Round._meta.db_table, str(row.public_id), f"round {row.public_id}")
    yield from match.differences(expected, found)


def _seat_differences(stored: Stored, record: Json) -> Iterator[Difference]:
    row = stored.row
    kept = {seat.index: _seat_kept(seat) for seat in stored.seats}
    told = {
        index: {
            "player": seat["player"],
            "account_owner": seat["player"],
            "staked_minor": total["staked_minor"],
            "returned_minor": total["returned_minor"],
        }
        for index, (seat, total) in enumerate(zip(record["head"]["seats"], record["result"]["seats"], strict=True))
    }
    for index in sorted(kept.keys() | told.keys()):
        match = Match(RoundSeat._meta.db_table, f"{row.public_id}/{index}", f"seat {index} of round {row.public_id}")
        yield from match.differences(told.get(index), kept.get(index))


def _seat_kept(seat: RoundSeat) -> dict[str, Any]:
    player, owner = (person and str(person.public_id) for person in (seat.user, seat.account.user))
    return {
        "player": player,
        "account_owner": owner,
        "staked_minor": seat.staked_minor,
        "returned_minor": seat.returned_minor,
    }


def step_differences(stored: Stored, record: Json) -> Iterator[Difference]:
    """Match the record's steps with the stored ones, and what these hide where the rest is the same."""
    row = stored.row
    kept = {step.seq: step for step in stored.steps}
    told = {recorded["seq"]: recorded for recorded in record["steps"]}
    for seq in sorted(kept.keys() | told.keys()):
        step, recorded = kept.get(seq), told.get(seq)
        match = Match(RoundStep._meta.db_table, f"{row.public_id}/{seq}", f"step {seq} of round {row.public_id}")
        found = None if step is None else dict(zip(_STEP, _step_kept(step), strict=True))
        expected = None if recorded is None else {name: recorded[name] for name in _STEP}
        if expected != found or step is None or recorded is None:
            yield from match.differences(expected, found)
        else:
            yield from _hidden_differences(match, row, step, recorded)


def _step_kept(step: RoundStep) -> tuple[Any, ...]:
    return (step.seq, iso(step.at), step.seat, step.turn, step.origin, step.previous_hash, step.hash)


def _hidden_differences(match: Match, row: Round, step: RoundStep, recorded: Json) -> Iterator[Difference]:
    try:
        yield from match.differences({"hidden": recorded}, {"hidden": step_unsealed(row, step)})
    except Tampered:
        yield from match.differences({"hidden": "readable"}, {"hidden": "unreadable"})


def transfer_differences(stored: Stored, record: Json) -> Iterator[Difference]:
    """Match the record's transfers one to one with the ledger's."""
    row = stored.row
    accounts = {seat.index: str(seat.account.public_id) for seat in stored.seats}
    steps = {step.pk: step.seq for step in stored.steps}
    kept = {str(moved.public_id): _kept(moved, steps) for moved in stored.transfers}
    told = {recorded["id"]: _told(recorded, row, accounts) for recorded in record["transfers"]}
    for id in told | kept:
        match = Match(Transfer._meta.db_table, id, f"transfer {id} of round {row.public_id}")
        yield from match.differences(told.get(id), kept.get(id))


def _kept(moved: Moved, steps: dict[int, int]) -> dict[str, Any]:
    """Return a transfer as a record tells it: players and escrows are accounts, the rest is the hall's."""
    return {
        "seq": steps[moved.step_id],
        "index": moved.place,
        "code": moved.code,
        "amount_minor": moved.amount_minor,
        "currency": moved.currency,
        "debit": _side(moved.debit_kind, moved.debit_account_id, moved.debit_hall_id),
        "credit": _side(moved.credit_kind, moved.credit_account_id, moved.credit_hall_id),
    }


def _side(kind: str, account: object, hall: object) -> dict[str, Any]:
    is_own = kind in ("player", "escrow")
    return {"kind": kind, "account_id": str(account)} if is_own else {"kind": kind, "hall_id": hall and str(hall)}


def _told(recorded: Json, row: Round, accounts: dict[int, str]) -> dict[str, Any]:
    player = _side("player", accounts.get(recorded["seat"]), None)
    escrow = _side("escrow", row.escrow.public_id, None)
    house, rake = (_side(kind, None, row.hall.public_id) for kind in ("house", "rake"))
    debit, credit = {
        "hold": (player, escrow),
        "fund": (house, escrow),
        "release": (escrow, player),
        "collect": (escrow, house),
        "rake": (escrow, rake),
    }[recorded["kind"]]
    return {
        "seq": recorded["seq"],
        "index": recorded["index"],
        "code": f"{recorded['kind']}.{recorded['code']}",
        "amount_minor": recorded["amount_minor"],
        "currency": recorded["currency"],
        "debit": debit,
        "credit": credit,
    }

"""A verified record matched with the stored round: what differs, field by field, with what either has there."""

from collections.abc import Iterator
from typing import Any

from audit.differences import Difference, Match
from audit.stored import Moved, Stored
from casino.users.models import User
from games.core.engine import Json
from games.core.record import head_hash
from games.halls.models import Hall
from games.rounds.cipher import Tampered
from games.rounds.commitments import commitment_seed
from games.rounds.models import Commitment, Round, RoundSeat, RoundStep
from games.rounds.records import iso, step_unsealed
from games.tables.models import Table
from wallets.models import Transfer

_STEP = ("seq", "at", "seat", "turn", "origin", "previous_hash", "hash")


def round_differences(stored: Stored, record: Json, terms: Json) -> Iterator[Difference]:
    """Match the round's own columns, its commitment, its terms and its seats."""
    yield from _round_differences(stored, record, terms)
    yield from _commitment_differences(stored, record)
    yield from _seat_differences(stored, record)


def _round_differences(stored: Stored, record: Json, terms: Json) -> Iterator[Difference]:
    row, head, last = stored.row, record["head"], record["steps"][-1]
    expected = {
        "record_hash": record["record_hash"],
        "head": head,
        "head_hash": record["steps"][0]["previous_hash"],
        "hall": head["hall"]["id"],
        "game": head["game"],
        "rules_version": head["rules_version"],
        "engine_digest": head["engine_digest"],
        "currency": head["currency"],
        "status": record["result"]["status"],
        "last_hash": last["hash"],
        "opened_at": head["opened_at"],
        "closed_at": last["at"],
        "limits": head["setup"]["limits"],
        "pay_table": head["setup"]["pay_table"],
    }
    found = {
        "record_hash": stored.record.record_hash,
        "head": row.head,
        "head_hash": head_hash(row.head),
        "hall": _id(row.hall),
        "game": row.game,
        "rules_version": row.rules_version,
        "engine_digest": row.engine_digest,
        "currency": row.currency,
        "status": row.status,
        "last_hash": row.last_hash,
        "opened_at": iso(row.opened_at),
        "closed_at": row.closed_at and iso(row.closed_at),
        "limits": terms["limits"],
        "pay_table": terms["pay_table"],
    }
    match = Match(Round._meta.db_table, str(row.public_id), f"round {row.public_id}")
    yield from match.differences(expected, found)


def _commitment_differences(stored: Stored, record: Json) -> Iterator[Difference]:
    """Match the commitment that the round was promised by: its seed, and whose it was, for which game and where."""
    row, made, head = stored.row, stored.row.commitment, record["head"]
    players, user = [seat["player"] for seat in head["seats"]], _id(made.user)
    expected = {
        "status": Commitment.Status.USED.value,
        "seed_hash": head["seed_hash"],
        "server_seed": record["server_seed"],
        "game": head["game"],
        "hall": head["hall"]["id"],
        "table": _id(row.table),
        "user": user if user in (*players, None) else players,
    }
    found = {
        "status": made.status,
        "seed_hash": made.seed_hash,
        "server_seed": _seed(made),
        "game": made.game,
        "hall": _id(made.hall),
        "table": _id(made.table),
        "user": user,
    }
    match = Match(Commitment._meta.db_table, str(row.public_id), f"the commitment of round {row.public_id}")
    yield from match.differences(expected, found)


def _seed(commitment: Commitment) -> str:
    try:
        return commitment_seed(commitment).hex()
    except Tampered:
        return "unreadable"


def _id(row: Hall | Table | User | None) -> str | None:
    """Return the id that a row is known by outside."""
    return None if row is None else str(row.public_id)


def _seat_differences(stored: Stored, record: Json) -> Iterator[Difference]:
    row = stored.row
    kept = {seat.index: _seat_kept(seat) for seat in stored.seats}
    told = {
        index: {
            "player": seat["player"],
            "account_owner": seat["player"],
            "client_seed": seat["client_seed"],
            "hall": record["head"]["hall"]["id"],
            "table": _id(row.table),
            "staked_minor": total["staked_minor"],
            "returned_minor": total["returned_minor"],
        }
        for index, (seat, total) in enumerate(zip(record["head"]["seats"], record["result"]["seats"], strict=True))
    }
    for index in sorted(kept.keys() | told.keys()):
        match = Match(RoundSeat._meta.db_table, f"{row.public_id}/{index}", f"seat {index} of round {row.public_id}")
        yield from match.differences(told.get(index), kept.get(index))


def _seat_kept(seat: RoundSeat) -> dict[str, Any]:
    return {
        "player": _id(seat.user),
        "account_owner": _id(seat.account.user),
        "client_seed": seat.client_seed,
        "hall": _id(seat.hall),
        "table": _id(seat.table),
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

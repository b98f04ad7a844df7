"""The round record ``casino-round/1``: a round as one document that anybody can check again.

The services write it, the verifier and the audit rebuild it; all with the functions of this page, so they cannot disagree.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypedDict, Unpack

from games.core.codec import canonical, digest, quoted
from games.core.engine import UNPLACED, Engine, Json, Move

FORMAT = "casino-round/1"
OPEN = "open"
VOID = "void"


def head_hash(head: Json) -> str:
    """Return the hash with which a round's chain begins."""
    return digest(head)


def state_hash(dump: Json) -> str:
    """Return the hash of an engine's dumped state; the dump holds the seed, so the hash tells nothing until the seed is known."""
    return digest(dump)


class StepContent(TypedDict):
    """What a step of the record is made of.

    **Shapes** ``origin`` is player, timeout or system. The opening has action ``{"type": "open"}`` and ``opening_origin``; a void
    is the system's, with ``{"type": "void"}``. The system's steps have neither seat nor turn. ``events`` are complete
    (``Engine.dump_event``). The ``previous_hash`` of step 0 is the head's.
    """

    seq: int
    at: str
    seat: int | None
    turn: int | None
    origin: str
    action: Json
    events: Sequence[Json]
    moves: Sequence[Move]
    state_hash: str
    previous_hash: str


def opening_origin(engine: Engine[Any, Any, Any]) -> str:
    """Return who opens a round: its one player, or the system for the seats of a table."""
    return "player" if engine.seats[1] == 1 else "system"


def build_step(**content: Unpack[StepContent]) -> dict[str, Any]:
    """Return a step of the record with its hash."""
    moves = [move_json(move) for move in content["moves"]]
    return {**content, "events": list(content["events"]), "moves": moves, "hash": step_text(**content)[1]}


def step_text(**content: Unpack[StepContent]) -> tuple[bytes, str]:
    """Return the canonical text of what ``build_step`` returns, and the step's hash, which is over the text without it."""
    seat, turn = content["seat"], content["turn"]
    before = canonical({"action": content["action"], "at": content["at"], "events": content["events"]})[:-1] + b","
    after = (
        f'"moves":[{",".join([_move_text(move) for move in content["moves"]])}],"origin":"{content["origin"]}",'
        f'"previous_hash":"{content["previous_hash"]}","seat":{"null" if seat is None else seat},"seq":{content["seq"]},'
        f'"state_hash":"{content["state_hash"]}","turn":{"null" if turn is None else turn}}}'
    ).encode()
    return _sealed(before, b"hash", after)


def _sealed(before: bytes, key: bytes, after: bytes) -> tuple[bytes, str]:
    """Put the hash of two halves of an object's text between them, under a key that belongs there."""
    found = hashlib.sha256(before + after).hexdigest()
    return b'%b"%b":"%b",%b' % (before, key, found.encode(), after), found


def move_json(move: Move) -> dict[str, Any]:
    """Return a move as the record keeps it."""
    return {"kind": move.kind, "seat": move.seat, "amount_minor": move.amount_minor, "code": move.code}


def _move_text(move: Move) -> str:
    """Return the canonical text of what ``move_json`` returns."""
    return f'{{"amount_minor":{move.amount_minor},"code":{quoted(move.code)},"kind":"{move.kind}","seat":{move.seat}}}'


def transfer_json(*, seq: int, index: int, id: str, move: Move, currency: str) -> dict[str, Any]:
    """Return the transfer that carried out move ``index`` of step ``seq``."""
    return {"seq": seq, "index": index, "id": id, **move_json(move), "currency": currency}


def transfer_text(*, seq: int, index: int, id: str, move: Move, currency: str) -> str:
    """Return the canonical text of what ``transfer_json`` returns, from the currency's own text."""
    return (
        f'{{"amount_minor":{move.amount_minor},"code":{quoted(move.code)},"currency":{currency},"id":"{id}","index":{index},'
        f'"kind":"{move.kind}","seat":{move.seat},"seq":{seq}}}'
    )


def build_record(
    *, head: Json, server_seed: str, steps: Sequence[Json], result: Json, transfers: Sequence[Json]
) -> dict[str, Any]:
    """Return the document of a closed round with its hash."""
    record: dict[str, Any] = {
        "format": FORMAT,
        "head": head,
        "server_seed": server_seed,
        "steps": list(steps),
        "result": result,
        "transfers": list(transfers),
    }
    record["record_hash"] = digest(record)
    return record


def record_text(*, head: bytes, server_seed: str, steps: Sequence[bytes], result: Json, transfers: Sequence[str]) -> bytes:
    """Return the canonical text of what ``build_record`` returns, from the texts of its parts."""
    before = b'{"format":"%b","head":%b,' % (FORMAT.encode(), head)
    after = b'"result":%b,"server_seed":"%b","steps":[%b],"transfers":[%b]}' % (
        canonical(result),
        server_seed.encode(),
        b",".join(steps),
        ",".join(transfers).encode(),
    )
    return _sealed(before, b"record_hash", after)[0]


def build_result(*, moves: Iterable[Move], seats: int, outcome: Json | None) -> dict[str, Any]:
    """Return a round's result from all of its moves; without an ``outcome`` it was voided."""
    totals = seat_totals(moves, seats)
    return {
        "status": "voided" if outcome is None else "settled",
        "seats": [
            {
                "seat": seat,
                "staked_minor": total.staked_minor,
                "returned_minor": total.returned_minor,
                "net_minor": total.returned_minor - total.staked_minor,
            }
            for seat, total in enumerate(totals)
        ],
        "outcome": outcome,
    }


@dataclass(slots=True)
class SeatTotals:
    """What a seat put in and got back. Money held for a stake that was then never placed counts as neither."""

    held_minor: int = 0
    released_minor: int = 0
    unplaced_minor: int = 0

    @property
    def staked_minor(self) -> int:
        return self.held_minor - self.unplaced_minor

    @property
    def returned_minor(self) -> int:
        return self.released_minor - self.unplaced_minor


def seat_totals(moves: Iterable[Move], seats: int) -> list[SeatTotals]:
    """Add up the moves of each seat."""
    totals = [SeatTotals() for _ in range(seats)]
    for move in moves:
        total = totals[move.seat]
        if move.kind == "hold":
            total.held_minor += move.amount_minor
        elif move.kind == "release":
            total.released_minor += move.amount_minor
            if move.code == UNPLACED:
                total.unplaced_minor += move.amount_minor
    return totals


_INTO_ESCROW: Mapping[str, int] = {"hold": 1, "fund": 1, "release": -1, "collect": -1, "rake": -1}


def escrow_balance(moves: Iterable[Move]) -> int:
    """Return what the moves leave in the round's escrow."""
    return sum([_INTO_ESCROW[move.kind] * move.amount_minor for move in moves])


def void_moves(moves: Sequence[Move], seats: int) -> tuple[Move, ...]:
    """Return the moves that void a round.

    **Rule** The round is annulled as far as the seat's money goes: with what it already got, a seat gets back exactly what it put
    in. One that got more keeps it, since nothing is taken from a player's account. The house puts up what the escrow lacks for
    that, and gets what it holds beyond it. The escrow ends at zero.
    """
    refunds = [max(0, total.held_minor - total.released_minor) for total in seat_totals(moves, seats)]
    surplus = escrow_balance(moves) - sum(refunds)
    funds = []
    for seat, refund in enumerate(refunds):
        share = min(refund, max(0, -surplus))
        surplus += share
        funds.append(Move("fund", seat, share, VOID))
    releases = [Move("release", seat, refund, VOID) for seat, refund in enumerate(refunds)]
    rest = Move("collect", 0, max(0, surplus), VOID)
    return tuple(move for move in (*funds, *releases, rest) if move.amount_minor)

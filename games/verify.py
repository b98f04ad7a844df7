"""Verify a round record offline: ``python -m games.verify RECORD.json``.

The record is verified when it is, byte for byte in canonical JSON, what its seeds and its players' actions make the rules write.
Prints ``verified`` and what, or the first divergence; exits with 0 or 1. Standard library only, no database.
"""

import hashlib
import json
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import chain
from pathlib import Path
from typing import Any

from games.core.codec import canonical, parse, quoted
from games.core.digest import engine_digest
from games.core.engine import Engine, Json, Move, Step, Wait, missed_after
from games.core.errors import IllegalAction, InvalidData
from games.core.limits import stake_errors
from games.core.record import (
    FORMAT,
    OPEN,
    VOID,
    build_result,
    escrow_balance,
    opening_origin,
    record_text,
    state_hash,
    step_text,
    transfer_text,
    void_moves,
)
from games.core.shuffle import Seed, commitment, read_server_seed
from games.engines import engine_for

_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6}Z")
_CURRENCY = re.compile(r"[A-Z]{3}")
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_DIGEST = re.compile(r"[0-9a-f]{64}")

_RECORD_KEYS = {"format", "head", "server_seed", "steps", "result", "transfers", "record_hash"}
_HEAD_KEYS = {
    "round_id", "game", "rules_version", "engine_digest", "hall", "currency", "seats", "setup", "seed_hash", "opened_at",
}  # fmt: skip
_STEP_CAUSES_FIRST = (
    "seq", "at", "seat", "turn", "origin", "action", "events", "moves", "state_hash", "previous_hash", "hash",
)  # fmt: skip
_STEP_KEYS = set(_STEP_CAUSES_FIRST)


class Divergence(Exception):
    """The first place where a record is not what it should be."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was verified; ``same_files`` says whether the engine's files are those that played the round."""

    round_id: str
    game: str
    status: str
    steps: int
    transfers: int
    same_files: bool

    def __str__(self) -> str:
        text = f"verified {self.round_id}: {self.game}, {self.status}, {self.steps} steps, {self.transfers} transfers"
        return text if self.same_files else f"{text} (by other engine files than played it, to the same result)"


def verify(text: bytes) -> Verdict:
    """Verify the text of a record.

    **Errors** Divergence tells the first place that is wrong.
    """
    try:
        # What the replay writes is one text; a file that equals it needs no strict reading and no search for differences.
        replay = _Replay(json.loads(text), compare=False)
        if replay.text == text:
            return replay.verdict
    except (ValueError, RecursionError, InvalidData, Divergence):
        pass
    try:
        record = parse(text)
        spelling = canonical(record)
    except InvalidData as error:
        raise Divergence(f"the record {error.message}") from None
    replay = _Replay(record, compare=True)
    if replay.text != spelling:
        raise Divergence(_difference(record, parse(replay.text), ("result", "transfers", "record_hash")))
    return replay.verdict


class _Replay:
    """Writes a record anew from its head, seeds, actions and times.

    **Errors** Divergence where the record gives the rules nothing that they could have accepted; with ``compare`` also at the
    first step that they write otherwise.
    """

    def __init__(self, record: Any, *, compare: bool) -> None:
        _check_keys(record, _RECORD_KEYS, "the record")
        if record["format"] != FORMAT:
            raise Divergence(f"format: is not {FORMAT}")
        self.compare = compare
        self.head = record["head"]
        self.engine, self.setup, self.seed = _read_head(self.head, record["server_seed"])
        self.seats = len(self.head["seats"])
        self.turns: dict[int, int] = {}
        self.clocks: dict[int, tuple[Wait | None, datetime]] = {}
        self.missed: dict[int, int] = {}
        self.unread_clocks: list[tuple[Any, int | None, bool, datetime]] = []
        self.acted_at = self.at = _read_time(self.head["opened_at"], "head.opened_at")
        self.moves: list[Sequence[Move]] = []
        self.steps: list[bytes] = []
        self.voided = False
        head = canonical(self.head)
        outcome = self._play_all(record["steps"], hashlib.sha256(head).hexdigest())
        moves = list(chain.from_iterable(self.moves))
        if escrow_balance(moves):
            raise Divergence("the round's escrow does not end at zero")
        self.text = record_text(
            head=head,
            server_seed=record["server_seed"],
            steps=self.steps,
            result=build_result(moves=moves, seats=self.seats, outcome=outcome),
            transfers=_transfers(self.moves, record["transfers"], self.head["currency"]),
        )

    @property
    def verdict(self) -> Verdict:
        return Verdict(
            round_id=self.head["round_id"],
            game=self.engine.code,
            status="voided" if self.voided else "settled",
            steps=len(self.steps),
            transfers=sum(map(len, self.moves)),
            same_files=self.head["engine_digest"] == engine_digest(self.engine.package),
        )

    def _play_all(self, given: Any, previous: str) -> Json | None:
        """Play every step again and return the outcome, None for a voided round."""
        if not isinstance(given, list) or not given:
            raise Divergence("steps: must be a list that begins with the opening")
        state = None
        for seq, step in enumerate(given):
            try:
                self._check_step(step, seq)
                state, previous = self._play(state, step, seq, previous)
            except IllegalAction as error:
                raise Divergence(f"step {seq}: the rules refuse the action: {error.code}") from None
            except InvalidData as error:
                raise Divergence(f"step {seq}: action: {error}") from None
            except Divergence as error:
                raise Divergence(f"step {seq}: {error}") from None
        if not self.voided and self.engine.to_act(state):
            raise Divergence(f"step {len(given) - 1}: is the last one, and the round is not over")
        return None if self.voided else self.engine.result(state)

    def _play(self, state: Any, step: Json, seq: int, previous: str) -> tuple[Any, str]:
        """Write a step as the rules do; return the state after it and its hash."""
        engine, seat, action, played = self.engine, *self._step(state, step, seq)
        turn = None
        if seat is not None:
            turn = self.turns[seat] = self.turns.get(seat, -1) + 1
        text, found = step_text(
            seq=seq,
            at=step["at"],
            seat=seat,
            turn=turn,
            origin=step["origin"],
            action=action,
            events=[engine.dump_event(event) for event in played.events],
            moves=played.moves,
            state_hash=state_hash(engine.dump(played.state)),
            previous_hash=previous,
        )
        if self.compare and canonical(step) != text:
            raise Divergence(_difference(step, parse(text), _STEP_CAUSES_FIRST))
        self.moves.append(played.moves)
        self.steps.append(text)
        by_player = step["origin"] == "player"
        self.unread_clocks.append((played.state, seat, by_player, self.at))
        if by_player:
            self.acted_at = self.at
        return played.state, found

    def _read_clocks(self) -> None:
        """Note what time-outs are measured from now; only a time-out asks for it."""
        for state, acted, by_player, at in self.unread_clocks:
            missed, clocks = dict(self.missed), {}
            if acted is not None:
                missed[acted] = missed_after(self.missed.get(acted, 0), by_player=by_player)
            for seat in self.engine.to_act(state):
                wait, (before, began) = self.engine.wait(state, seat), self.clocks.get(seat, (None, at))
                turns = self.missed.get(seat, 0), missed.get(seat, 0)
                goes_on = wait is not None and wait.goes_on(before, has_acted=seat == acted, missed=turns)
                clocks[seat] = wait, began if goes_on else at
            self.clocks, self.missed = clocks, missed
        self.unread_clocks.clear()

    def _check_deadline(self, seat: int) -> None:
        """Refuse a time-out before its time."""
        self._read_clocks()
        wait, began = self.clocks[seat]
        if wait is None:
            raise Divergence("origin: this seat has no time limit")
        began = self.acted_at if wait.since == "action" else began
        if self.at < began + timedelta(seconds=wait.allowed_seconds(self.missed.get(seat, 0))):
            raise Divergence(f"at: the time-out comes before {wait.timer} has passed since {began.isoformat()}")

    def _step(self, state: Any, step: Json, seq: int) -> tuple[int | None, Json, Step[Any]]:
        """Return the seat and action of a step as the rules read them, and what they make of it."""
        if seq == 0:
            return 0 if step["origin"] == "player" else None, {"type": OPEN}, self.engine.start(self.setup, self.seed)
        if step["origin"] == "system":
            self.voided = True
            return None, {"type": VOID}, Step(state, (), void_moves(list(chain.from_iterable(self.moves)), self.seats))
        seat = step["seat"]
        if type(seat) is not int or seat not in self.engine.to_act(state):
            raise Divergence("seat: is not to act")
        by_clock = step["origin"] == "timeout"
        if by_clock:
            self._check_deadline(seat)
        action = self.engine.timeout_action(state, seat) if by_clock else self.engine.parse_action(step["action"])
        return seat, self.engine.dump_action(action), self.engine.apply(state, seat, action)

    def _check_step(self, step: Any, seq: int) -> None:
        """Refuse what no replay could show to be wrong: the step's time and origin."""
        _check_keys(step, _STEP_KEYS, "the step")
        at = _read_time(step["at"], "at")
        if at < self.at or (seq == 0 and at > self.at):
            raise Divergence("at: is before the last step, or not when the round opened")
        self.at = at
        if self.voided:
            raise Divergence("follows the end of the round")
        if step["origin"] not in (("player", "timeout", "system") if seq else (opening_origin(self.engine),)):
            raise Divergence("origin: is not possible here")


def _read_head(head: Any, server_seed: Any) -> tuple[Engine[Any, Any, Any], Any, Seed]:
    """Return the engine, setup and seeds; check everything in the head that can be checked."""
    _check_keys(head, _HEAD_KEYS, "head")
    _check_keys(head["hall"], {"id", "name"}, "head.hall")
    for key, shape in (("round_id", _UUID), ("engine_digest", _DIGEST), ("seed_hash", _DIGEST), ("currency", _CURRENCY)):
        _check_text(head[key], shape, f"head.{key}")
    for key, value in (("hall.id", head["hall"]["id"]), ("hall.name", head["hall"]["name"])):
        if not isinstance(value, str):
            raise Divergence(f"head.{key}: must be a text")
    if type(head["rules_version"]) is not int:
        raise Divergence("head.rules_version: must be a whole number")
    try:
        engine = engine_for(head["game"], head["rules_version"])
    except (KeyError, TypeError):
        raise Divergence("head: no engine of this game and rules_version is known here") from None
    try:
        setup = engine.parse_setup(head["setup"])
        if engine.dump_setup(setup) != head["setup"]:
            raise Divergence("head.setup: is not complete or not in order")
        seed_bytes = read_server_seed(server_seed, "server_seed")
        seed = Seed(head["round_id"], seed_bytes, _read_client_seeds(head["seats"], len(engine.exposure(setup).seats_minor)))
    except InvalidData as error:
        raise Divergence(str(error)) from None
    for field, code, _ in stake_errors(engine.stakes(setup), head["setup"]["limits"]):
        raise Divergence(f"head.setup.{field}: {code}")
    if commitment(seed_bytes) != head["seed_hash"]:
        raise Divergence("server_seed: is not the one that head.seed_hash commits to")
    return engine, setup, seed


def _read_client_seeds(seats: Any, count: int) -> tuple[str, ...]:
    if not isinstance(seats, list) or len(seats) != count:
        raise Divergence(f"head.seats: must be a list of {count}")
    for place, seat in enumerate(seats):
        _check_keys(seat, {"seat", "player", "client_seed"}, f"head.seats.{place}")
        if type(seat["seat"]) is not int or seat["seat"] != place:
            raise Divergence(f"head.seats.{place}.seat: must be {place}")
        _check_text(seat["player"], _UUID, f"head.seats.{place}.player")
    return tuple(seat["client_seed"] for seat in seats)


def _transfers(moves: Sequence[Sequence[Move]], given: Any, currency: str) -> list[str]:
    """Return the texts of the moves' transfers, one each, under the ids that the record gives them."""
    count = sum(map(len, moves))
    if not isinstance(given, list) or len(given) != count:
        raise Divergence(f"transfers: must be {count}, one for each move")
    ids: list[str] = []
    for place, transfer in enumerate(given):
        id = transfer.get("id") if isinstance(transfer, dict) else None
        if not isinstance(id, str) or not _UUID.fullmatch(id):
            raise Divergence(f"transfers.{place}.id: is malformed")
        ids.append(id)
    if len(set(ids)) != count:
        raise Divergence("transfers: an id is there twice")
    written, unused = quoted(currency), iter(ids)
    return [
        transfer_text(seq=seq, index=index, id=next(unused), move=move, currency=written)
        for seq, of_step in enumerate(moves)
        for index, move in enumerate(of_step)
    ]


def _check_keys(value: Any, keys: set[str], where: str) -> None:
    if not isinstance(value, dict):
        raise Divergence(f"{where}: must be an object")
    if value.keys() != keys:
        wrong = min(value.keys() ^ keys)
        raise Divergence(f"{where}: {wrong} is {'missing' if wrong in keys else 'not known'}")


def _check_text(value: Any, shape: re.Pattern[str], where: str) -> None:
    if not isinstance(value, str) or not shape.fullmatch(value):
        raise Divergence(f"{where}: is malformed")


def _read_time(value: Any, where: str) -> datetime:
    _check_text(value, _TIME, where)
    try:
        return datetime.fromisoformat(value)
    except ValueError:
        raise Divergence(f"{where}: is no time") from None


def _difference(given: Json, rebuilt: Json, keys: Sequence[str]) -> str:
    """Name the first of the keys under which the record and the replay differ, and what both have there."""
    key = next(key for key in keys if canonical(given[key]) != canonical(rebuilt[key]))
    return f"{key}: the record has {_brief(given[key])}, the replay {_brief(rebuilt[key])}"


def _brief(value: Any) -> str:
    text = canonical(value).decode()
    return text if len(text) <= 300 else f"{text[:300]}…"


def main(arguments: Sequence[str]) -> int:
    """Verify the file that the command names."""
    if len(arguments) != 1:
        print("usage: python -m games.verify RECORD.json")
        return 1
    try:
        print(verify(Path(arguments[0]).read_bytes()))
    except (OSError, Divergence) as error:
        # A record's own words may hold line breaks and terminal codes that would tell another story.
        print(f"not verified: {str(error).encode('unicode_escape').decode()}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Play a scripted round without money: ``python -m games.sandbox FILE.json``; docs/sandbox.md tells what a script may say.
``python -m games.sandbox --of-record RECORD.json [SEQ]`` writes the script of a recorded round, up to a step, to be changed.

Prints every step's events, moves and views as JSON, and the result. Exits with 1 for a script that makes no sense or an illegal
action that is not to be skipped. Standard library only, no database; an explicit deck exists here and nowhere else.
"""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from games.core.codec import Fields, canonical, parse
from games.core.engine import Engine, Json, Step, spec_json
from games.core.errors import IllegalAction, InvalidData
from games.core.record import OPEN, VOID, build_result, escrow_balance, move_json
from games.core.shuffle import ExplicitDecks, Seed, Shuffles, read_server_seed
from games.engines import current_engine, current_engines, engine_for

MAX_SCRIPT_BYTES = 2 * 1024 * 1024
MAX_RECORD_BYTES = 64 * 1024 * 1024
MAX_ACTIONS = 20_000
MAX_DECKS = 5_000
MAX_DECK_ITEMS = 120
MAX_ITEM_LENGTH = 8

TIMEOUT = "timeout"
"""The one action type that is no game's own: the system plays for the seat."""
DEFAULT_ROUND_ID = "00000000-0000-4000-8000-000000000000"


def run(script: Json, *, most_bytes: int | None = None, told_from: int = 0) -> dict[str, Any]:
    """Play a script and return what happened; steps before number ``told_from`` are played and not told.

    **Shapes** docs/sandbox.md. **Errors** InvalidData names the field of the script that makes no sense, or the action with which
    the steps' JSON grows beyond ``most_bytes``.
    """
    fields = Fields(script)
    engine = _read_engine(fields)
    setup = _nested("setup", engine.parse_setup, fields.value("setup"))
    seats = len(engine.exposure(setup).seats_minor)
    shuffles = _read_shuffles(fields, seats)
    goes_on, finishes = _read_flag(fields, "continue"), _read_flag(fields, "finish")
    asked = [_read_action(engine, data, place) for place, data in enumerate(fields.items("actions", 0, MAX_ACTIONS))]
    fields.end()
    played = _Script(engine, setup, shuffles, seats, most_bytes, told_from)
    return played.play(asked, goes_on=goes_on, finishes=finishes)


def script_of(record: Json, until: int | None = None) -> dict[str, Any]:
    """Return the script that plays a recorded round again: the same cards, and its actions before step ``until``, or all.

    **Rule** What the clock played is played by the clock again; a void is no action.
    **Errors** InvalidData when the record has no such step, or is none.
    """
    try:
        head, steps = record["head"], [step for step in record["steps"] if step["action"]["type"] not in (OPEN, VOID)]
        script = {
            "game": head["game"],
            "rules_version": head["rules_version"],
            "setup": head["setup"],
            "round_id": head["round_id"],
            "client_seeds": [seat["client_seed"] for seat in head["seats"]],
            "server_seed": record["server_seed"],
            "actions": [
                {"seat": step["seat"], **({"type": TIMEOUT} if step["origin"] == "timeout" else step["action"])}
                for step in steps[: None if until is None else until - 1]
            ],
        }
    except (KeyError, TypeError):
        raise InvalidData("", "is no record of a closed round") from None
    if until is not None and not 1 <= until <= len(steps) + 1:
        raise InvalidData("from_seq", f"must be a step from 1 to {len(steps) + 1}")
    return script


class _Script:
    """Plays actions one after another and notes what came of each."""

    def __init__(
        self,
        engine: Engine[Any, Any, Any],
        setup: Any,
        shuffles: Shuffles,
        seats: int,
        most_bytes: int | None,
        told_from: int,
    ) -> None:
        self.engine = engine
        self.setup = setup
        self.seats = seats
        self.bytes_left = most_bytes
        self.untold = told_from
        """How many steps are still to be played before the first that is told."""
        self.steps: list[dict[str, Any]] = []
        step = engine.start(setup, shuffles)
        self.state = step.state
        self.moves = list(step.moves)
        self._note(None, {"type": OPEN}, step)

    def play(self, asked: Sequence[tuple[int, Any]], *, goes_on: bool, finishes: bool) -> dict[str, Any]:
        """Play the actions; at a refused one stop, or with ``goes_on`` skip it; with ``finishes`` let the clock end the round."""
        completed = True
        for seat, action in asked:
            try:
                self._act(seat, action)
            except IllegalAction as error:
                refused = {"code": error.code, "message": error.message}
                self.steps.append({"seat": seat, "action": self._action_json(action), "refused": refused})
                if not goes_on:
                    completed = False
                    break
        while finishes and completed and (seats := self.engine.to_act(self.state)):
            self._act(min(seats), TIMEOUT)
        over = not self.engine.to_act(self.state)
        return {
            "game": self.engine.code,
            "rules_version": self.engine.rules_version,
            "setup": self.engine.dump_setup(self.setup),
            "steps": self.steps,
            "completed": completed,
            "over": over,
            "escrow_minor": escrow_balance(self.moves),
            "result": self._result() if over else None,
        }

    def _act(self, seat: int, action: Any) -> None:
        if action == TIMEOUT:
            if seat not in self.engine.to_act(self.state):
                raise IllegalAction("seat_not_to_act")
            action = self.engine.timeout_action(self.state, seat)
        step = self.engine.apply(self.state, seat, action)
        self.state = step.state
        self.moves += step.moves
        self._note(seat, self.engine.dump_action(action), step)

    def _note(self, seat: int | None, action: Json, step: Step[Any]) -> None:
        if self.untold:
            self.untold -= 1
            return
        viewers = (*range(self.seats), None)
        acting = sorted(self.engine.to_act(step.state))
        self.steps.append(
            {
                "seat": seat,
                "action": action,
                "events": [self.engine.dump_event(event) for event in step.events],
                "moves": [move_json(move) for move in step.moves],
                "views": [{"viewer": viewer, "view": self.engine.view(step.state, viewer)} for viewer in viewers],
                "to_act": [
                    {"seat": each, "legal_actions": [spec_json(spec) for spec in self.engine.legal_actions(step.state, each)]}
                    for each in acting
                ],
            }
        )
        if self.bytes_left is not None:
            self.bytes_left -= len(canonical(self.steps[-1]))
            if self.bytes_left < 0:
                raise InvalidData("actions", "make a longer answer than is given here: shorten the script, or use the command")

    def _action_json(self, action: Any) -> Json:
        return {"type": TIMEOUT} if action == TIMEOUT else self.engine.dump_action(action)

    def _result(self) -> dict[str, Any]:
        return build_result(moves=self.moves, seats=self.seats, outcome=self.engine.result(self.state))


def _read_engine(fields: Fields) -> Engine[Any, Any, Any]:
    """Read which game's rules are played: the newest, or those of the version that is named."""
    try:
        engine = current_engine(fields.text("game"))
    except KeyError:
        raise InvalidData("game", f"must be one of {', '.join(engine.code for engine in current_engines())}") from None
    if "rules_version" not in fields:
        return engine
    try:
        return engine_for(engine.code, fields.integer("rules_version", 1, engine.rules_version))
    except KeyError:
        raise InvalidData("rules_version", "is not known here") from None


def _read_flag(fields: Fields, name: str) -> bool:
    value = fields.value(name) if name in fields else False
    if type(value) is not bool:
        raise InvalidData(name, "must be true or false")
    return value


def _read_shuffles(fields: Fields, seats: int) -> Shuffles:
    """Read where the cards come from: explicit decks, or seeds as in a round for money."""
    round_id = fields.text("round_id") if "round_id" in fields else DEFAULT_ROUND_ID
    client_seeds = fields.items("client_seeds", seats, seats) if "client_seeds" in fields else [""] * seats
    if ("decks" in fields) == ("server_seed" in fields):
        raise InvalidData("decks", "must be there, or else server_seed; not both")
    if "server_seed" in fields:
        return Seed(round_id, read_server_seed(fields.value("server_seed"), "server_seed"), tuple(client_seeds))
    Seed(round_id, bytes(32), tuple(client_seeds))
    return ExplicitDecks(tuple(_read_deck(deck, place) for place, deck in enumerate(fields.items("decks", 0, MAX_DECKS))))


def _read_deck(data: object, place: int) -> tuple[str, ...]:
    if not isinstance(data, list) or len(data) > MAX_DECK_ITEMS:
        raise InvalidData(f"decks.{place}", f"must be a list of at most {MAX_DECK_ITEMS} items")
    for at, item in enumerate(data):
        if type(item) not in (str, int) or len(str(item)) > MAX_ITEM_LENGTH:
            raise InvalidData(f"decks.{place}.{at}", "must be a card's text, or the number of a seat or slot")
    return tuple(map(str, data))


def _read_action(engine: Engine[Any, Any, Any], data: object, place: int) -> tuple[int, Any]:
    """Return the seat and its action."""
    path = f"actions.{place}"
    fields = Fields(data, path)
    seat = fields.integer("seat", 0, engine.seats[1] - 1)
    asked = fields.others("seat")
    if asked.get("type") == TIMEOUT:
        for name in asked.keys() - {"type"}:
            raise InvalidData(f"{path}.{name}", "is not known")
        return seat, TIMEOUT
    return seat, _nested(path, engine.parse_action, asked)


def _nested(path: str, read: Any, data: Any) -> Any:
    """Read a part of the script; what is wrong in it is named by its path in the whole."""
    try:
        return read(data)
    except InvalidData as error:
        raise InvalidData(f"{path}.{error.field}" if error.field else path, error.message) from None


def main(arguments: Sequence[str]) -> int:
    """Play the script in the file that the command names, or write the script of the record that it names."""
    of_record = arguments[:1] == ["--of-record"]
    names = arguments[1:] if of_record else arguments
    if len(names) not in ((1, 2) if of_record else (1,)) or not all(map(str.isdecimal, names[1:])):
        print("usage: python -m games.sandbox FILE.json", file=sys.stderr)
        print("       python -m games.sandbox --of-record RECORD.json [SEQ]", file=sys.stderr)
        return 1
    try:
        data = _read_file(names[0], MAX_RECORD_BYTES if of_record else MAX_SCRIPT_BYTES)
        made = script_of(data, *map(int, names[1:])) if of_record else run(data)
    except OSError as error:
        print(error, file=sys.stderr)
        return 1
    except InvalidData as error:
        print(f"{names[0]}: {error.field or 'the file'}: {error.message}", file=sys.stderr)
        return 1
    print(json.dumps(made, ensure_ascii=False, indent=2))
    return 0 if made.get("completed", True) else 1


def _read_file(name: str, most_bytes: int) -> Any:
    with Path(name).open("rb") as file:
        text = file.read(most_bytes + 1)
    if len(text) > most_bytes:
        raise InvalidData("", f"is longer than {most_bytes} bytes")
    return parse(text)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Play a scripted round without money: ``python -m games.sandbox FILE.json``; docs/sandbox.md tells what a script may say.

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
from games.core.record import OPEN, build_result, escrow_balance, move_json
from games.core.shuffle import ExplicitDecks, Seed, Shuffles, read_server_seed
from games.engines import current_engine, current_engines

MAX_SCRIPT_BYTES = 2 * 1024 * 1024
MAX_ACTIONS = 20_000
MAX_DECKS = 5_000
MAX_DECK_ITEMS = 120
MAX_ITEM_LENGTH = 8

TIMEOUT = "timeout"
"""The one action type that is no game's own: the system plays for the seat."""
DEFAULT_ROUND_ID = "00000000-0000-4000-8000-000000000000"


def run(script: Json, *, most_bytes: int | None = None) -> dict[str, Any]:
    """Play a script and return what happened.

    **Shapes** docs/sandbox.md. **Errors** InvalidData names the field of the script that makes no sense, or the action with which
    the steps' JSON grows beyond ``most_bytes``.
    """
    fields = Fields(script)
    engine = _read_engine(fields)
    setup = _nested("setup", engine.parse_setup, fields.value("setup"))
    seats = len(engine.exposure(setup).seats_minor)
    shuffles = _read_shuffles(fields, seats)
    goes_on = fields.value("continue") if "continue" in fields else False
    if type(goes_on) is not bool:
        raise InvalidData("continue", "must be true or false")
    asked = [_read_action(engine, data, place) for place, data in enumerate(fields.items("actions", 0, MAX_ACTIONS))]
    fields.end()
    return _Script(engine, setup, shuffles, seats, most_bytes).play(asked, goes_on=goes_on)


class _Script:
    """Plays actions one after another and notes what came of each."""

    def __init__(self, engine: Engine[Any, Any, Any], setup: Any, shuffles: Shuffles, seats: int, most_bytes: int | None) -> None:
        self.engine = engine
        self.setup = setup
        self.seats = seats
        self.bytes_left = most_bytes
        self.steps: list[dict[str, Any]] = []
        step = engine.start(setup, shuffles)
        self.state = step.state
        self.moves = list(step.moves)
        self._note(None, {"type": OPEN}, step)

    def play(self, asked: Sequence[tuple[int, Any]], *, goes_on: bool) -> dict[str, Any]:
        """Play the actions; at a refused one stop, or with ``goes_on`` skip it."""
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
    try:
        return current_engine(fields.text("game"))
    except KeyError:
        raise InvalidData("game", f"must be one of {', '.join(engine.code for engine in current_engines())}") from None


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
    """Play the script in the file that the command names."""
    if len(arguments) != 1:
        print("usage: python -m games.sandbox FILE.json", file=sys.stderr)
        return 1
    try:
        with Path(arguments[0]).open("rb") as file:
            text = file.read(MAX_SCRIPT_BYTES + 1)
        if len(text) > MAX_SCRIPT_BYTES:
            raise InvalidData("", f"is longer than {MAX_SCRIPT_BYTES} bytes")
        played = run(parse(text))
    except OSError as error:
        print(error, file=sys.stderr)
        return 1
    except InvalidData as error:
        print(f"{arguments[0]}: {error.field or 'the script'}: {error.message}", file=sys.stderr)
        return 1
    print(json.dumps(played, ensure_ascii=False, indent=2))
    return 0 if played["completed"] else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""What if: a closed round's own cards, played from one of its steps on with other actions. Nothing is kept, no money moves."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from audit.history.selectors import round_record
from casino.errors import InvalidInput
from games.core.engine import Json
from games.core.errors import InvalidData
from games.sandbox import run, script_of


def round_what_if(
    *, round_id: UUID, from_seq: int, actions: Sequence[Json], goes_on: bool, finishes: bool, most_bytes: int
) -> dict[str, Any]:
    """Play a closed round again with other actions from a step on; beside what comes of it, tell what came of the round.

    **Rule** Seeds, setup and rules are the round's, and its own actions lead up to that step, so that all shuffles are the same
    ones. **Shapes** the answer is the sandbox's (docs/sandbox.md), its steps from that one on, each with the ``recorded`` step of
    its place and whether it ``diverges`` from that.
    **Errors** NotFound; Conflict ``round_open``; InvalidInput names the field.
    """
    record = round_record(round_id=round_id)
    try:
        script = script_of(record, from_seq)
        script |= {"actions": [*script["actions"], *actions], "continue": goes_on, "finish": finishes}
        played = run(script, most_bytes=most_bytes, told_from=from_seq)
    except InvalidData as error:
        raise InvalidInput("invalid_input", error.message, field=_own_field(error.field, from_seq - 1)) from error
    steps = _beside_recorded(played["steps"], record["steps"][from_seq:], from_seq)
    return {
        **played,
        "steps": steps,
        "round_id": str(round_id),
        "from_seq": from_seq,
        "first_divergence": _first_divergence(steps, from_seq),
        "actual": record["result"],
        "compared": _compared(record, played["result"]),
    }


def _own_field(field: str, leading: int) -> str:
    """Name a field of the script as it is called in the request, whose actions come after the round's own."""
    name, _, rest = field.partition(".")
    place, _, inner = rest.partition(".")
    if name != "actions" or not place.isdecimal():
        return field
    return ".".join(filter(None, (name, str(int(place) - leading), inner)))


def _beside_recorded(steps: Sequence[Json], recorded: Sequence[Json], from_seq: int) -> list[dict[str, Any]]:
    """Put beside each step the recorded one of the same number; a refused action has none, as it is no step."""
    beside, place = [], 0
    for step in steps:
        if "refused" in step:
            beside.append({**step, "seq": None, "recorded": None, "diverges": True})
            continue
        then = recorded[place] if place < len(recorded) else None
        diverges = then is None or (step["seat"], step["action"]) != (then["seat"], then["action"])
        shown = then and {name: then[name] for name in ("seat", "origin", "action")}
        beside.append({**step, "seq": from_seq + place, "recorded": shown, "diverges": diverges})
        place += 1
    return beside


def _first_divergence(steps: Sequence[Json], from_seq: int) -> int | None:
    """Return the number of the step in whose place something else was done or, refused, tried."""
    for at, step in enumerate(steps):
        if step["diverges"]:
            return from_seq + sum(each["seq"] is not None for each in steps[:at])
    return None


def _compared(record: Json, result: Mapping[str, Any] | None) -> list[dict[str, Any]]:
    """Put each seat's money side by side: as it was, and as it would have been, once the played round is over."""
    compared = []
    for seat, actual in zip(record["head"]["seats"], record["result"]["seats"], strict=True):
        otherwise = result and result["seats"][seat["seat"]]
        difference = otherwise and otherwise["net_minor"] - actual["net_minor"]
        compared.append(
            {
                "seat": seat["seat"],
                "player_id": seat["player"],
                "actual": _money(actual),
                "what_if": otherwise and _money(otherwise),
                "net_difference_minor": difference,
            }
        )
    return compared


def _money(total: Json) -> dict[str, int]:
    return {name: total[name] for name in ("staked_minor", "returned_minor", "net_minor")}

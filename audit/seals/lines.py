"""How the lines of an export and of an anchor file look, looked at before a check uses them. Pure, standard library only.

Keys are exactly those of the line's kind, so that nothing is dropped from a check by being called otherwise.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any, NoReturn

from audit.seals.heads import EXPORT_FORMAT, HEAD_FIELDS, STEP, TRANSFER, head_hash
from games.core.codec import canonical
from games.core.engine import Json
from games.core.errors import InvalidData

Shape = Mapping[str, Callable[[Any], bool]]
_HASH = re.compile(r"[0-9a-f]{64}")
_DIGITS = re.compile(r"[0-9]{1,20}")
_TIME = re.compile(r"[1-9][0-9]{3}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6}Z")


def line_read(text: bytes) -> Any:
    """Read a line of JSON, in which a key stands once: of two, another reader might take the other.

    **Errors** ValueError for anything but JSON in UTF-8 with whole numbers and whole characters.
    """
    try:
        value = json.loads(text.decode(), object_pairs_hook=_object, parse_float=_fraction, parse_constant=_fraction)
        if b"\\u" in text:
            canonical(value)
    except (RecursionError, InvalidData):
        raise ValueError("it is nested too deep, or no Unicode") from None
    return value


def line_fault(line: Any) -> str | None:
    """Say what is wrong with a line of an export; None when nothing is."""
    if not isinstance(line, dict):
        return "no object" if not isinstance(line, ValueError) else f"no JSON: {line!s:.100}"
    kind = line.get("type")
    if not isinstance(kind, str) or kind not in _LINES:
        return f"no type of line: {kind!r:.40}"
    return _fault(line, {**_LINES[kind], **_row_shape(line)})


def _row_shape(line: Json) -> Shape:
    """Return how the row of a line looks: itself, or of a step its leaf's hash; with it the step as its record tells it."""
    if line["type"] not in ("leaf", "unsealed"):
        return {}
    if line.get("kind") == STEP and "leaf_hash" in line:
        return {"leaf_hash": _is_hash}
    leaf = line.get("leaf")
    is_told = "step" in line and line["type"] == "leaf" and isinstance(leaf, dict) and leaf.get("kind") == STEP
    return {"leaf": _is_leaf if line["type"] == "leaf" else _is_row} | ({"step": _is_any} if is_told else {})


def head_read(line: str) -> dict[str, Any] | None:
    """Read a line of an anchor file; None when it is no head, or not the one that its hash is of."""
    try:
        head = line_read(line.encode())
    except ValueError:
        return None
    is_head = isinstance(head, dict) and _fault(head, _HEAD) is None and head["hash"] == head_hash(head)
    return head if is_head else None


def anchor_read(lines: Iterable[str]) -> tuple[list[dict[str, Any]], list[int]]:
    """Read an anchor file: its heads in order, and the numbers of the lines that are none.

    **Rule** A line that a crash cut off may be the last, or stand before the line that begins with it and is whole: it was
    written again.
    """
    heads: list[dict[str, Any]] = []
    wrong: list[int] = []
    torn, text = 0, ""
    for number, line in enumerate(lines, 1):
        head = head_read(line)
        if torn and not (head and line.startswith(text)):
            wrong.append(torn)
        torn, text = (0, "") if head else (number, line.rstrip("\n"))
        if head:
            heads.append(head)
    if torn and line.endswith("\n"):  # one without its end is being written, or was cut off just now
        wrong.append(torn)
    return heads, wrong


def _fault(value: Json, shape: Shape) -> str | None:
    if value.keys() != shape.keys():
        return f"other fields: {', '.join(sorted(map(repr, value.keys() ^ shape.keys()))):.200}"
    wrong = [name for name, is_right in shape.items() if not is_right(value[name])]
    return f"{wrong[0]}: {value[wrong[0]]!r:.100}" if wrong else None


def _object(pairs: list[tuple[str, Any]]) -> Json:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("a key stands twice")
    return value


def _fraction(text: str) -> NoReturn:
    raise ValueError(f"{text[:20]} is not a whole number")


def _is_any(value: Any) -> bool:
    return True


def _is_number(value: Any) -> bool:
    return type(value) is int and -(2**63) <= value < 2**63


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_plain(value: Any) -> bool:
    return value is None or _is_text(value) or _is_number(value)


def _is_kind(value: Any) -> bool:
    return isinstance(value, str) and value in (STEP, TRANSFER)


def _is_hash(value: Any) -> bool:
    return isinstance(value, str) and _HASH.fullmatch(value) is not None


def _is_digits(value: Any) -> bool:
    return isinstance(value, str) and _DIGITS.fullmatch(value) is not None


def is_time(value: Any) -> bool:
    """Say whether a value is a time as records write it."""
    if not isinstance(value, str) or _TIME.fullmatch(value) is None:
        return False
    try:
        datetime.fromisoformat(value)
    except ValueError:
        return False
    return True


def _is_edge(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_hash, value))


def _is_leaf(value: Any) -> bool:
    """Say whether a value may be a row, or one that is gone."""
    return value is None or _is_row(value)


def _is_row(value: Any) -> bool:
    if not isinstance(value, dict) or not _is_kind(value.get("kind")) or not all(map(_is_plain, value.values())):
        return False
    if value["kind"] == STEP:
        return value.keys() == {"kind", "id", "round_id", "seq", "hash", "row"}
    return value.keys() >= {"id", "public_id", "at", "step_id"} and (value["step_id"] is None or _is_number(value["step_id"]))


_HEAD: Shape = {
    **dict.fromkeys(HEAD_FIELDS, _is_number),
    "format": _is_text,
    "at": is_time,
    **dict.fromkeys(("system_identifier", "mark"), _is_digits),
    **dict.fromkeys(("root", "previous_hash", "hash"), _is_hash),
}
_SEAL = {**_HEAD, "edge": _is_edge}
_KNOWN = {**_SEAL, "emptied_at": lambda value: value is None or is_time(value)}
_ROW = {"type": _is_text, "kind": _is_kind, "id": _is_number}
_LINES: dict[str, Shape] = {
    "export": {
        "type": _is_text,
        "format": lambda value: value == EXPORT_FORMAT,
        "at": is_time,
        **dict.fromkeys(("system_identifier", "next_transaction"), _is_digits),
        "after": lambda value: value is None or (isinstance(value, dict) and _fault(value, _KNOWN) is None),
    },
    "seal": {"type": _is_text, **_SEAL},
    "leaf": {**_ROW, "index": _is_number, "hash": _is_hash},
    "unsealed": {**_ROW, "written": _is_digits, "minute": _is_text},
    "end": {"type": _is_text, "seal": _is_number, "leaves": _is_number},
}

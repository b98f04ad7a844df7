"""What is sealed and how it is written: leaves, heads, the anchor file. Pure, standard library only.

A *leaf* is the canonical JSON of one row. A *head* is what a seal says of the whole tree at its time, chained to the head before.
"""

import json
from collections.abc import Iterable
from typing import Any

from audit.seals.merkle import leaf_hash
from games.core.codec import canonical, digest
from games.core.engine import Json
from games.core.errors import InvalidData

FORMAT = "casino-seal/1"
EXPORT_FORMAT = "casino-seals/1"
STEP, TRANSFER = "step", "transfer"
FIRST_PREVIOUS_HASH = "0" * 64
LEAVES_MAX = 50_000
"""More wait for the next seal, so that none is a long transaction. A seal of so many is full: it may have left rows behind."""
HEAD_FIELDS = (
    "format", "number", "at", "system_identifier", "mark", "steps", "transfers", "tree_size", "root", "previous_hash",
)  # fmt: skip


def leaf_digest(leaf: Json) -> bytes:
    """Return the hash of a leaf, given as the row that it stands for."""
    return leaf_hash(canonical(leaf))


def head_hash(head: Json) -> str:
    """Return the hash of a head: over all of it but the hash itself."""
    return digest({name: head[name] for name in HEAD_FIELDS})


def head_text(head: Json) -> str:
    """Return a head as one line of the anchor file, without the line's end."""
    return canonical({name: head[name] for name in (*HEAD_FIELDS, "hash")}).decode()


def head_read(line: str) -> dict[str, Any] | None:
    """Read a line of an anchor file; None when it is no head, or not the one that its hash is of."""
    try:
        head = json.loads(line)
        whole = {name: head[name] for name in (*HEAD_FIELDS, "hash")}
        return whole if head["hash"] == head_hash(head) and type(head["number"]) is int else None
    except (ValueError, KeyError, TypeError, RecursionError, InvalidData):
        return None


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


def anchor_kept(heads: Iterable[Json]) -> dict[int, Json]:
    """Return the head of each number that counts: the first. Whoever can only add lines takes no head back."""
    kept: dict[int, Json] = {}
    for head in heads:
        kept.setdefault(head["number"], head)
    return kept

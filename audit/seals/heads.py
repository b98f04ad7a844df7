"""What is sealed and how it is written: leaves and heads. Pure, standard library only.

A *leaf* is the canonical JSON of one row. A *head* is what a seal says of the whole tree at its time, chained to the head before.
"""

from collections.abc import Iterable

from audit.seals.merkle import leaf_hash
from games.core.codec import canonical, digest
from games.core.engine import Json

FORMAT = "casino-seal/1"
EXPORT_FORMAT = "casino-seals/2"
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


def anchor_kept(heads: Iterable[Json]) -> dict[int, Json]:
    """Return the head of each number that counts: the first. Whoever can only add lines takes no head back."""
    kept: dict[int, Json] = {}
    for head in heads:
        kept.setdefault(head["number"], head)
    return kept

"""What a check of seals finds, and the check of an anchor file's heads against each other. Pure, standard library only."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from audit.seals.heads import FIRST_PREVIOUS_HASH, TRANSFER, anchor_kept
from games.core.engine import Json


@dataclass(frozen=True, slots=True)
class Deviation:
    """Something that is not as it was sealed. ``check`` names the rule, ``subject`` and ``key`` the row."""

    check: str
    subject: str
    key: str
    expected: str | None
    found: str | None
    seal: int | None = None
    name: str = ""
    """What the row is called outside."""

    def __str__(self) -> str:
        sealed = "" if self.seal is None or self.subject == "seal" else f" (seal {self.seal})"
        name = f" {self.name}" if self.name else ""
        return f"{self.check}: {self.subject} {self.key}{name}{sealed}: expected {self.expected}, found {self.found}"


def of_seal(check: str, number: int, expected: object, found: object) -> Deviation:
    """Return a deviation of a seal."""
    return Deviation(check, "seal", str(number), str(expected), None if found is None else str(found), number)


def name_of(leaf: Json | None) -> str:
    """Return what a leaf's row is called outside."""
    if leaf is None:
        return "of an open round"
    return str(leaf["public_id"]) if leaf["kind"] == TRANSFER else f"of round {leaf['round_id']}, number {leaf['seq']}"


def anchor_deviations(heads: Iterable[Json]) -> Iterator[Deviation]:
    """Check the heads of an anchor file, in its order, against each other.

    **Rule** Numbers ascend and each head is chained to the one before; where the one before is not there, that is another
    check's finding. The same head once more changes nothing.
    """
    newest, kept = 0, anchor_kept(heads := list(heads))
    for head in heads:
        number, first = head["number"], kept[head["number"]]
        if head["hash"] != first["hash"]:
            yield of_seal("anchor_has_one_head_per_seal", number, first["hash"], head["hash"])
        elif head is first and number < newest:
            yield of_seal("anchored_heads_ascend", number, f"a number above {newest}", number)
        newest = max(newest, number)
    for number, head in kept.items():
        before = FIRST_PREVIOUS_HASH if number == 1 else kept[number - 1]["hash"] if number - 1 in kept else head["previous_hash"]
        if head["previous_hash"] != before:
            yield of_seal("anchored_head_follows_the_one_before", number, before, head["previous_hash"])

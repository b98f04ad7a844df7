"""Checking sealed rows against their seals, and the seals against the anchor. Pure, standard library only.

The service and the offline checker run the same check: the one over its own database, the other over an exported file.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from audit.seals.heads import FIRST_PREVIOUS_HASH, LEAVES_MAX, STEP, TRANSFER, anchor_kept, head_hash, leaf_digest
from audit.seals.merkle import Edge
from games.core.codec import digest
from games.core.engine import Json

BACKDATED = timedelta(minutes=10)
"""So much may lie between a row's time and the last seal that left none behind: no transaction of the service takes so long."""
_TIME = "%Y-%m-%dT%H:%M:%S.%fZ"


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


class SealCheck:
    """One pass over the lines of an export; ``seals``, ``steps``, ``transfers`` and ``unsealed`` count what it saw.

    **Rule** A seal that is not right is named once: the tree goes on from its kept edge where that gives its root.
    **Shapes** ``anchored``: heads of the anchor file, None where there is no such file. ``on_node`` is told of each kept node
    of the tree.
    """

    def __init__(
        self, anchored: Iterable[Json] | None = None, *, on_node: Callable[[int, int, bytes], None] | None = None
    ) -> None:
        self.heads = list(anchored or [])
        self.anchored = None if anchored is None else anchor_kept(self.heads)
        self.on_node = on_node
        self.edge = Edge()
        self.last: Json | None = None
        self.emptied_at: str | None = None
        self.earliest = ""
        self.seals = self.unsealed = 0
        self.sealed: dict[str, set[int]] = {STEP: set(), TRANSFER: set()}
        self.waiting: set[int] = set()
        self.caused: set[int] = set()
        self.starts_at = 0
        self.is_filling = self.has_ended = False

    @property
    def steps(self) -> int:
        return len(self.sealed[STEP])

    @property
    def transfers(self) -> int:
        return len(self.sealed[TRANSFER])

    def run(self, lines: Iterable[Json]) -> Iterator[Deviation]:
        """Check line after line. **Errors** KeyError, TypeError, ValueError for a line that makes no sense."""
        yield from anchor_deviations(self.heads)
        kinds = {"export": self._begin, "seal": self._open, "leaf": self._leaf, "unsealed": self._unsealed, "end": self._end}
        for line in lines:
            yield from kinds[line["type"]](line)
        if not self.has_ended:
            yield Deviation("export_is_whole", "export", "end", "a line that ends it", None)

    def _begin(self, line: Json) -> Iterator[Deviation]:
        """Begin with the first seal, or go on after one that is known."""
        if line["after"] is not None:
            self.last = line["after"]
            self.edge = _kept_edge(line["after"])
            self.emptied_at = line["after"]["emptied_at"]
            self.starts_at = line["after"]["number"]
        yield from ()

    def _open(self, seal: Json) -> Iterator[Deviation]:
        yield from self._close()
        number, before = seal["number"], self.last
        self.seals += 1
        if (found := head_hash(seal)) != seal["hash"]:
            yield _of_seal("seal_hash_is_that_of_its_head", number, seal["hash"], found)
        follows = (before["number"] + 1, before["hash"]) if before else (1, FIRST_PREVIOUS_HASH)
        if follows != (number, seal["previous_hash"]):
            yield _of_seal("seal_follows_the_one_before", number, _text(follows), _text((number, seal["previous_hash"])))
        yield from self._against_anchor(seal)
        if (counted := self.edge.size + seal["steps"] + seal["transfers"]) != seal["tree_size"]:
            yield _of_seal("seal_counts_its_leaves", number, counted, seal["tree_size"])
        goes_on = before and before["system_identifier"] == seal["system_identifier"] and before["mark"] != "0"
        since = self.emptied_at if goes_on else None
        self.earliest = (datetime.fromisoformat(since) - BACKDATED).strftime(_TIME) if since else ""
        if seal["steps"] + seal["transfers"] < LEAVES_MAX:
            self.emptied_at = seal["at"]
        self.last, self.is_filling = seal, True

    def _against_anchor(self, seal: Json) -> Iterator[Deviation]:
        if self.anchored is None or seal["number"] > max(self.anchored, default=0):
            return
        anchored = self.anchored.get(seal["number"])
        if anchored is None:
            yield _of_seal("anchor_has_every_head", seal["number"], seal["hash"], None)
        elif anchored["hash"] != seal["hash"]:
            yield _of_seal("seal_is_the_anchored_one", seal["number"], anchored["hash"], seal["hash"])

    def _leaf(self, line: Json) -> Iterator[Deviation]:
        if self.last is None:
            raise ValueError("a leaf before its seal")
        number, kind, key, leaf = self.last["number"], line["kind"], line["id"], line["leaf"]
        if line["index"] == self.edge.size < self.last["tree_size"]:
            for node in self.edge.append(bytes.fromhex(line["hash"])):
                if self.on_node:
                    self.on_node(*node)
        if leaf is None:
            yield Deviation("sealed_row_is_there", kind, str(key), line["hash"], None, number)
        elif (found := leaf_digest(leaf).hex()) != line["hash"] or (leaf["kind"], leaf["id"]) != (kind, key):
            yield Deviation("seal_leaf_matches_its_row", kind, str(key), line["hash"], found, number, _name(leaf))
        elif kind == TRANSFER and leaf["at"] < self.earliest:
            yield Deviation(
                "row_is_sealed_in_its_time", kind, str(key), f"{self.earliest} or later", leaf["at"], number, _name(leaf)
            )
        if leaf is not None and leaf.get("step_id") is not None:
            self.caused.add(leaf["step_id"])
        if key in self.sealed[kind]:
            yield Deviation("row_is_sealed_once", kind, str(key), "one leaf", "another", number)
        self.sealed[kind].add(key)
        yield from _told(line, number)

    def _close(self) -> Iterator[Deviation]:
        """Compare the tree with what the seal says of it."""
        seal, self.is_filling = self.last if self.is_filling else None, False
        if seal is None:
            return
        kept = _kept_edge(seal)
        if self.edge.size != seal["tree_size"]:
            yield _of_seal("seal_has_its_leaves", seal["number"], seal["tree_size"], self.edge.size)
        elif (found := self.edge.root().hex()) != seal["root"]:
            yield _of_seal("seal_root_is_that_of_its_leaves", seal["number"], seal["root"], found)
        elif kept.hashes != self.edge.hashes:
            yield _of_seal("seal_edge_is_that_of_its_leaves", seal["number"], _text(self.edge.hashes), _text(kept.hashes))
        if kept.is_possible() and kept.root().hex() == seal["root"]:
            self.edge = kept

    def _unsealed(self, line: Json) -> Iterator[Deviation]:
        self.unsealed += 1
        if line["kind"] == STEP:
            self.waiting.add(line["id"])
        if line["is_late"]:
            yield Deviation("row_is_sealed", line["kind"], str(line["id"]), "a leaf", None, name=_name(line["leaf"]))

    def _end(self, line: Json) -> Iterator[Deviation]:
        yield from self._close()
        self.has_ended = True
        last = self.last["number"] if self.last else 0
        if (last, self.steps + self.transfers) != (line["seal"], line["leaves"]):
            told = (line["seal"], line["leaves"])
            yield Deviation("export_is_whole", "export", "end", _text(told), _text((last, self.steps + self.transfers)))
        if self.anchored is not None and (gone := sorted(number for number in self.anchored if number > last)):
            expected = self.anchored[gone[0]]["hash"]
            yield _of_seal("anchored_seal_is_there", gone[0], f"{expected} and all up to seal {gone[-1]}", None)
        if not self.starts_at:
            for key in sorted(self.caused - self.sealed[STEP] - self.waiting):
                yield Deviation("transfer_has_its_step", STEP, str(key), "a step", None)


def anchor_deviations(heads: Iterable[Json]) -> Iterator[Deviation]:
    """Check the heads of an anchor file, in its order, against each other.

    **Rule** Numbers ascend and each head is chained to the one before; where the one before is not there, that is another
    check's finding. The same head once more changes nothing.
    """
    newest, kept = 0, anchor_kept(heads := list(heads))
    for head in heads:
        number, first = head["number"], kept[head["number"]]
        if head["hash"] != first["hash"]:
            yield _of_seal("anchor_has_one_head_per_seal", number, first["hash"], head["hash"])
        elif head is first and number < newest:
            yield _of_seal("anchored_heads_ascend", number, f"a number above {newest}", number)
        newest = max(newest, number)
    for number, head in kept.items():
        before = FIRST_PREVIOUS_HASH if number == 1 else kept[number - 1]["hash"] if number - 1 in kept else head["previous_hash"]
        if head["previous_hash"] != before:
            yield _of_seal("anchored_head_follows_the_one_before", number, before, head["previous_hash"])


def _told(line: Json, number: int) -> Iterator[Deviation]:
    """Match the step that a record tells with the hash that was sealed."""
    told, leaf = line.get("step"), line["leaf"]
    if told is None or leaf is None:
        return
    found = digest({name: value for name, value in told.items() if name != "hash"})
    if not found == told.get("hash") == leaf["hash"] or told.get("seq") != leaf["seq"]:
        yield Deviation("record_tells_the_sealed_step", STEP, str(line["id"]), leaf["hash"], found, number, _name(leaf))


def _name(leaf: Json) -> str:
    return leaf["public_id"] if leaf["kind"] == TRANSFER else f"of round {leaf['round_id']}, number {leaf['seq']}"


def _kept_edge(seal: Json) -> Edge:
    return Edge(seal["tree_size"], [bytes.fromhex(each) for each in seal["edge"]])


def _of_seal(check: str, number: int, expected: object, found: object) -> Deviation:
    return Deviation(check, "seal", str(number), str(expected), None if found is None else str(found), number)


def _text(parts: Iterable[Any]) -> str:
    return " ".join(part.hex() if isinstance(part, bytes) else str(part) for part in parts)

"""Checking sealed rows against their seals, and the seals against the anchor. Pure, standard library only.

The service and the offline checker run the same check: the one over its own database, the other over an exported file.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, timedelta
from typing import Any

from audit.seals.deviations import Deviation, anchor_deviations, name_of, of_seal
from audit.seals.heads import FIRST_PREVIOUS_HASH, LEAVES_MAX, STEP, TRANSFER, anchor_kept, head_hash, leaf_digest
from audit.seals.lines import line_fault
from audit.seals.merkle import Edge
from games.core.codec import digest
from games.core.engine import Json
from games.core.errors import InvalidData

BACKDATED = timedelta(minutes=10)
"""So much may lie between a row's time and the last seal that left none behind: no transaction of the service takes so long."""
WAITS_MAX = timedelta(minutes=10)
"""So long a row may wait for its seal when an export is made."""
_TIME, _MINUTE = "%Y-%m-%dT%H:%M:%S.%fZ", "%Y-%m-%dT%H:%M"
_IS_MINUTE = re.compile(r"[1-9][0-9]{3}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}")


class SealCheck:
    """One pass over the lines of an export; ``seals``, ``steps``, ``transfers`` and ``unsealed`` count what it saw.

    **Rule** A seal that is not right is named once: the tree goes on from its kept edge where that gives its root. A line that
    makes no sense is named, and the next one read. A ``is_live`` check is that of the service, over its own database: heads of
    the anchor file must all be there whatever their time, and how long rows wait is watched elsewhere.
    **Shapes** ``anchored``: heads of the anchor file, None where there is no such file. ``from_head``: the hash of the head that
    an export may go on after, where the anchor does not know it. ``on_node`` is told of each kept node of the tree.
    """

    def __init__(
        self,
        anchored: Iterable[Json] | None = None,
        *,
        from_head: str | None = None,
        is_live: bool = False,
        on_node: Callable[[int, int, bytes], None] | None = None,
    ) -> None:
        self.heads = list(anchored or [])
        self.anchored = None if anchored is None else anchor_kept(self.heads)
        self.from_head, self.is_live, self.on_node = from_head, is_live, on_node
        self.edge = Edge()
        self.begun: Json | None = None
        self.last: Json | None = None
        self.emptied_at: str | None = None
        self.earliest = ""
        self.seals = self.unsealed = self.of_open_rounds = self.later = 0
        self.sealed: dict[str, set[int]] = {STEP: set(), TRANSFER: set()}
        self.waiting: set[int] = set()
        self.caused: set[int] = set()
        self.starts_at = self.place = 0
        self.is_filling = self.has_ended = False

    @property
    def steps(self) -> int:
        return len(self.sealed[STEP])

    @property
    def transfers(self) -> int:
        return len(self.sealed[TRANSFER])

    @property
    def unanchored(self) -> int:
        """How many seals are newer than every head of the anchor file, where there is one."""
        return max(0, self.last["number"] - max(self.anchored, default=0)) if self.anchored is not None and self.last else 0

    def run(self, lines: Iterable[Any]) -> Iterator[Deviation]:
        """Check line after line."""
        yield from anchor_deviations(self.heads)
        kinds = {"export": self._begin, "seal": self._open, "leaf": self._leaf, "unsealed": self._unsealed, "end": self._end}
        for place, line in enumerate(lines, 1):
            if fault := line_fault(line):
                yield Deviation("export_line_makes_sense", "export", str(place), "a line of an export", fault)
            elif (line["type"] == "export") != (place == 1):
                yield Deviation("export_begins_once", "export", str(place), "one line that begins it, the first", line["type"])
            elif self.has_ended or (self.unsealed and line["type"] in ("seal", "leaf")):
                yield Deviation("export_is_in_order", "export", str(place), "seals, what waits, the end", line["type"])
            else:
                yield from kinds[line["type"]](line)
        if not self.has_ended:
            yield Deviation("export_is_whole", "export", "end", "a line that ends it", None)

    def _begin(self, line: Json) -> Iterator[Deviation]:
        """Begin with the first seal, or go on after one that is known."""
        self.begun, after = line, line["after"]
        if after is None:
            return
        kept, number = _kept_edge(after), after["number"]
        self.last, self.emptied_at, self.starts_at = after, after["emptied_at"], number
        if (found := head_hash(after)) != after["hash"]:
            yield of_seal("seal_hash_is_that_of_its_head", number, after["hash"], found)
        if self.anchored and number <= max(self.anchored):
            yield from self._against_anchor(after)
        elif self.from_head != after["hash"]:
            yield of_seal("export_begins_after_a_known_head", number, self.from_head or "the first seal", after["hash"])
        if (kept.size, kept.is_possible() and kept.root().hex()) == (after["tree_size"], after["root"]):
            self.edge, self.place = kept, kept.size
        else:
            yield of_seal("seal_edge_is_that_of_its_leaves", number, after["root"], _text(kept.hashes))

    def _open(self, seal: Json) -> Iterator[Deviation]:
        yield from self._close()
        number, before = seal["number"], self.last
        self.seals += 1
        if (found := head_hash(seal)) != seal["hash"]:
            yield of_seal("seal_hash_is_that_of_its_head", number, seal["hash"], found)
        follows = (before["number"] + 1, before["hash"]) if before else (1, FIRST_PREVIOUS_HASH)
        if follows != (number, seal["previous_hash"]):
            yield of_seal("seal_follows_the_one_before", number, _text(follows), _text((number, seal["previous_hash"])))
        yield from self._against_anchor(seal)
        if (counted := self.edge.size + seal["steps"] + seal["transfers"]) != seal["tree_size"]:
            yield of_seal("seal_counts_its_leaves", number, counted, seal["tree_size"])
        goes_on = before and before["system_identifier"] == seal["system_identifier"] and before["mark"] != "0"
        since = self.emptied_at if goes_on else None
        self.earliest = _before(since, BACKDATED, _TIME) if since else ""
        if seal["steps"] + seal["transfers"] < LEAVES_MAX:
            self.emptied_at = seal["at"]
        self.last, self.is_filling = seal, True

    def _against_anchor(self, seal: Json) -> Iterator[Deviation]:
        if self.anchored is None or seal["number"] > max(self.anchored, default=0):
            return
        anchored = self.anchored.get(seal["number"])
        if anchored is None:
            yield of_seal("anchor_has_every_head", seal["number"], seal["hash"], None)
        elif anchored["hash"] != seal["hash"]:
            yield of_seal("seal_is_the_anchored_one", seal["number"], anchored["hash"], seal["hash"])

    def _leaf(self, line: Json) -> Iterator[Deviation]:
        number, end = (self.last["number"], self.last["tree_size"]) if self.last else (0, 0)
        kind, key, index = line["kind"], line["id"], line["index"]
        if index == self.edge.size < end:
            for node in self.edge.append(bytes.fromhex(line["hash"])):
                if self.on_node:
                    self.on_node(*node)
        elif index != self.place or index >= end:  # of those that follow one that is missing, the first is enough
            yield Deviation("leaf_has_its_place", kind, str(key), str(min(self.edge.size, end)), str(index), number)
        self.place = index + 1
        yield from self._row(line, number)
        if key in self.sealed[kind]:
            yield Deviation("row_is_sealed_once", kind, str(key), "one leaf", "another", number)
        self.sealed[kind].add(key)

    def _row(self, line: Json, number: int) -> Iterator[Deviation]:
        """Match a leaf with its row; of a step of an open round only the hash is there."""
        leaf: Json | None = line.get("leaf")
        kind, key, hash = line["kind"], line["id"], line["hash"]
        if leaf is None and "leaf_hash" not in line:
            yield Deviation("sealed_row_is_there", kind, str(key), hash, None, number)
            return
        found = leaf_digest(leaf).hex() if leaf else line["leaf_hash"]
        if found != hash or (leaf and (leaf["kind"], leaf["id"]) != (kind, key)):
            yield Deviation("seal_leaf_matches_its_row", kind, str(key), hash, found, number, name_of(leaf))
        elif leaf and kind == TRANSFER and (at := str(leaf["at"])) < self.earliest:
            yield Deviation("row_is_sealed_in_its_time", kind, str(key), f"{self.earliest} or later", at, number, name_of(leaf))
        if leaf is None:
            self.of_open_rounds += 1
        elif leaf["kind"] == TRANSFER and leaf["step_id"] is not None:
            self.caused.add(leaf["step_id"])
        elif "step" in line:
            yield from _told(line["step"], leaf, number)

    def _close(self) -> Iterator[Deviation]:
        """Compare the tree with what the seal says of it."""
        seal, self.is_filling = self.last if self.is_filling else None, False
        if seal is None:
            return
        kept = _kept_edge(seal)
        if self.edge.size != seal["tree_size"]:
            yield of_seal("seal_has_its_leaves", seal["number"], seal["tree_size"], self.edge.size)
        elif (found := self.edge.root().hex()) != seal["root"]:
            yield of_seal("seal_root_is_that_of_its_leaves", seal["number"], seal["root"], found)
        elif kept.hashes != self.edge.hashes:
            yield of_seal("seal_edge_is_that_of_its_leaves", seal["number"], _text(self.edge.hashes), _text(kept.hashes))
        if kept.is_possible() and kept.root().hex() == seal["root"]:
            self.edge = kept

    def _unsealed(self, line: Json) -> Iterator[Deviation]:
        """Say what should not wait for a seal, or never gets one; a row of another server's transaction may wait as it likes."""
        self.unsealed += 1
        kind, key, written, minute = line["kind"], line["id"], int(line["written"]), line["minute"]
        if kind == STEP:
            self.waiting.add(key)
        expected, found, check = "", minute, ""
        is_here = self.begun and self.last and self.last["system_identifier"] == self.begun["system_identifier"]
        if not _IS_MINUTE.fullmatch(minute):
            check, expected = "row_can_be_sealed", "a time"
        elif not (self.begun and self.last and is_here) or self.last["mark"] == "0":
            return
        elif written < int(self.last["mark"]):
            check, expected, found = "row_is_sealed", "a leaf", None
        elif written >= int(self.begun["next_transaction"]):
            check, expected, found = "row_is_of_a_transaction", f"one below {self.begun['next_transaction']}", str(written)
        elif not self.is_live and minute < _before(self.begun["at"], WAITS_MAX, _MINUTE):
            check, expected = "row_is_sealed_soon", "a leaf within ten minutes"
        if check:
            yield Deviation(check, kind, str(key), expected, found, name=name_of(line.get("leaf")))

    def _end(self, line: Json) -> Iterator[Deviation]:
        yield from self._close()
        self.has_ended = True
        last = self.last["number"] if self.last else 0
        if (last, self.steps + self.transfers) != (line["seal"], line["leaves"]):
            told = (line["seal"], line["leaves"])
            yield Deviation("export_is_whole", "export", "end", _text(told), _text((last, self.steps + self.transfers)))
        newest = self.last if self.last and head_hash(self.last) == self.last["hash"] else None  # else its time is forged
        if self.begun and newest and not self.is_live and self.begun["at"] < newest["at"]:
            at = self.begun["at"]
            yield Deviation("export_is_no_older_than_its_seals", "export", "at", f"{newest['at']} or later", at, last)
        gone = {number: head for number, head in (self.anchored or {}).items() if number > last}
        if self.begun and not self.is_live:
            self.later = sum(head["at"] > self.begun["at"] for head in gone.values())
            gone = {number: head for number, head in gone.items() if head["at"] <= self.begun["at"]}
        if gone:
            yield of_seal("anchored_seal_is_there", min(gone), f"{gone[min(gone)]['hash']} and all up to seal {max(gone)}", None)
        if not self.starts_at:
            for key in sorted(self.caused - self.sealed[STEP] - self.waiting):
                yield Deviation("transfer_has_its_step", STEP, str(key), "a step", None)


def _told(told: Any, leaf: Json, number: int) -> Iterator[Deviation]:
    """Match the step that a record tells with the hash that was sealed."""
    found = hash = seq = None
    if isinstance(told, dict):
        hash, seq = told.get("hash"), told.get("seq")
        try:
            found = digest({name: value for name, value in told.items() if name != "hash"})
        except InvalidData:
            found = None  # nested too deep to be a step
    if not found == hash == leaf["hash"] or seq != leaf["seq"]:
        yield Deviation("record_tells_the_sealed_step", STEP, str(leaf["id"]), leaf["hash"], found, number, name_of(leaf))


def _before(moment: str, time: timedelta, form: str) -> str:
    return (datetime.fromisoformat(moment) - time).strftime(form)


def _kept_edge(seal: Json) -> Edge:
    return Edge(seal["tree_size"], [bytes.fromhex(each) for each in seal["edge"]])


def _text(parts: Iterable[Any]) -> str:
    return " ".join(part.hex() if isinstance(part, bytes) else str(part) for part in parts)

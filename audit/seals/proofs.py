"""Checking a proof by itself, as it was saved from the API, and its heads against the anchor. Pure, standard library only."""

from collections.abc import Iterable, Iterator

from audit.seals.deviations import Deviation, anchor_deviations
from audit.seals.heads import FORMAT, anchor_kept, head_hash, leaf_digest
from audit.seals.merkle import HASH_BYTES, consistency_is_proven, inclusion_is_proven
from games.core.codec import canonical
from games.core.engine import Json


class ProofCheck:
    """One proof: with a ``leaf`` that this is in a seal's tree, else that a later seal's tree begins with an earlier one's.

    **Shapes** ``anchored``: heads of the anchor file, None where there is no such file. ``told`` says what the proof is about.
    """

    def __init__(self, anchored: Iterable[Json] | None = None) -> None:
        self.heads = list(anchored or [])
        self.anchored = None if anchored is None else anchor_kept(self.heads)
        self.told = ""

    def run(self, proof: Json) -> Iterator[Deviation]:
        """Check what the API answered. **Errors** KeyError, TypeError, ValueError, InvalidData for what is no proof."""
        yield from anchor_deviations(self.heads)
        yield from self._inclusion(proof) if "leaf" in proof else self._consistency(proof)

    def _inclusion(self, proof: Json) -> Iterator[Deviation]:
        head, index, leaf, hash = proof["head"], _whole(proof["index"]), proof["leaf"], _hash(proof["leaf_hash"])
        path = [_hash(each) for each in proof["path"]]
        yield from self._head(head)
        number, size, root = head["number"], head["tree_size"], _hash(head["root"])
        if leaf is None:
            yield Deviation("sealed_row_is_there", "leaf", str(index), hash.hex(), None, number)
        elif (found := leaf_digest(leaf)) != hash:
            yield Deviation("seal_leaf_matches_its_row", "leaf", str(index), hash.hex(), found.hex(), number)
        if not inclusion_is_proven(index=index, size=size, leaf=hash, path=path, root=root):
            yield Deviation("leaf_is_in_the_tree", "leaf", str(index), root.hex(), "another root", number)
        row = "null" if leaf is None else canonical(leaf).decode()
        self.told = f"about leaf {index} of the {size} of {_named(head)}:\n{row}"

    def _consistency(self, proof: Json) -> Iterator[Deviation]:
        first, second = proof["first"], proof["second"]
        path = [_hash(each) for each in proof["path"]]
        for head in (first, second):
            yield from self._head(head)
        roots = {"first_root": _hash(first["root"]), "second_root": _hash(second["root"])}
        number, sizes = second["number"], (first["tree_size"], second["tree_size"])
        if not consistency_is_proven(first=sizes[0], second=sizes[1], **roots, path=path):
            yield Deviation("tree_begins_with_the_earlier_one", "seal", str(number), first["root"], "another root", number)
        if first["number"] > number or (first["number"] == number and first["hash"] != second["hash"]):
            yield Deviation("seal_follows_the_one_before", "seal", str(number), first["hash"], second["hash"], number)
        elif first["number"] + 1 == number and second["previous_hash"] != first["hash"]:
            yield Deviation("seal_follows_the_one_before", "seal", str(number), first["hash"], second["previous_hash"], number)
        self.told = f"about {sizes[1]} leaves of {_named(second)},\nwhether they begin with the {sizes[0]} of {_named(first)}"

    def _head(self, head: Json) -> Iterator[Deviation]:
        """Check a head by itself and against the anchor: one that is not outside may have been made up for the proof."""
        number, hash = _whole(head["number"]), head["hash"]
        if head["format"] != FORMAT or _whole(head["tree_size"]) < 1:
            raise ValueError(f"the head is none of {FORMAT}")
        if (found := head_hash(head)) != hash:
            yield Deviation("seal_hash_is_that_of_its_head", "seal", str(number), hash, found, number)
        if self.anchored is None:
            return
        anchored = self.anchored.get(number)
        if anchored is None:
            yield Deviation("anchor_has_every_head", "seal", str(number), hash, None, number)
        elif anchored["hash"] != hash:
            yield Deviation("seal_is_the_anchored_one", "seal", str(number), anchored["hash"], hash, number)


def _named(head: Json) -> str:
    return f"seal {head['number']}, {head['hash']}, of {head['at']}"


def _whole(value: object) -> int:
    if type(value) is not int or value < 0:
        raise ValueError(f"{value!r} is no whole number")
    return value


def _hash(text: object) -> bytes:
    """Read a hash of just its length: in a tree a longer text might stand for two."""
    found = bytes.fromhex(text) if isinstance(text, str) else b""
    if len(found) != HASH_BYTES:
        raise ValueError(f"{text!r} is no SHA-256")
    return found

"""The Merkle tree of RFC 9162 (section 2): hashes, inclusion proofs, consistency proofs. Pure, standard library only.

The tree is one growing log. A subtree is named by the range of leaves that it holds; one with a power of two of them, at a
multiple of that power, is *whole*: it never changes again. Its ``level`` is the power, its ``index`` the multiple.
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

HASH_BYTES = 32
TILE_LEVELS = 8
"""Nodes are kept at every eighth level: from any of them it is at most seven levels, 128 hashes, down to the next."""
Range = tuple[int, int]
Node = tuple[int, int, bytes]
"""A whole subtree's level, index and hash."""


def leaf_hash(data: bytes) -> bytes:
    """Return the hash of a leaf."""
    return hashlib.sha256(b"\x00" + data).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """Return the hash of two subtrees side by side."""
    return hashlib.sha256(b"\x01" + left + right).digest()


def whole_hash(hashes: Sequence[bytes]) -> bytes:
    """Return the hash above a power of two of equally high subtrees."""
    while len(hashes) > 1:
        hashes = [node_hash(left, right) for left, right in zip(hashes[::2], hashes[1::2], strict=True)]
    return hashes[0]


def joined_hash(hashes: Sequence[bytes]) -> bytes:
    """Return the hash above whole subtrees of falling height; of none, that of the empty tree."""
    if not hashes:
        return hashlib.sha256().digest()
    *before, found = hashes
    for left in reversed(before):
        found = node_hash(left, found)
    return found


@dataclass(slots=True)
class Edge:
    """The right edge of a tree: the hashes of its largest whole subtrees, from left to right. It is all that growing needs."""

    size: int = 0
    hashes: list[bytes] = field(default_factory=list)

    def append(self, leaf: bytes) -> list[Node]:
        """Add a leaf's hash; return the nodes of kept levels that this made whole."""
        made = []
        index, level = self.size, 0
        self.size += 1
        while index & 1:
            leaf = node_hash(self.hashes.pop(), leaf)
            index >>= 1
            level += 1
            if level % TILE_LEVELS == 0:
                made.append((level, index, leaf))
        self.hashes.append(leaf)
        return made

    def root(self) -> bytes:
        """Return the hash of the whole tree."""
        return joined_hash(self.hashes)

    def is_possible(self) -> bool:
        """Say whether a tree of this size has an edge of so many hashes."""
        return (
            self.size >= 0 and len(self.hashes) == self.size.bit_count() and all(len(each) == HASH_BYTES for each in self.hashes)
        )


def _middle(low: int, high: int) -> int:
    """Return where a subtree is split: after the largest power of two that is less than its size."""
    return low + (1 << (high - low - 1).bit_length() - 1)


def inclusion_ranges(index: int, size: int) -> list[Range]:
    """Return the subtrees whose hashes prove that a leaf is in the tree of this size, from the leaf upwards."""
    if not 0 <= index < size:
        raise ValueError(f"no leaf {index} in a tree of {size}")
    path = []
    low, high = 0, size
    while high - low > 1:
        middle = _middle(low, high)
        if index < middle:
            path.append((middle, high))
            high = middle
        else:
            path.append((low, middle))
            low = middle
    return path[::-1]


def consistency_ranges(first: int, second: int) -> list[Range]:
    """Return the subtrees whose hashes prove that the tree of size ``second`` begins with that of size ``first``."""
    if not 0 < first <= second:
        raise ValueError(f"no tree of {second} grew from one of {first}")
    path = []
    low, high, from_start = 0, second, True
    while first != high:
        middle = _middle(low, high)
        if first <= middle:
            path.append((middle, high))
            high = middle
        else:
            path.append((low, middle))
            low, from_start = middle, False
    if not from_start:
        path.append((low, high))
    return path[::-1]


def whole_subtrees(low: int, high: int) -> Iterator[tuple[int, int]]:
    """Take a subtree apart into whole ones: level and index of each, from left to right."""
    while low < high:
        level = (high - low).bit_length() - 1
        yield level, low >> level
        low += 1 << level


def inclusion_is_proven(*, index: int, size: int, leaf: bytes, path: Sequence[bytes], root: bytes) -> bool:
    """Verify an inclusion proof (RFC 9162, 2.1.3.2): is the leaf at this index of the tree with this size and root?"""
    if not 0 <= index < size:
        return False
    place, last, found = index, size - 1, leaf
    for hash in path:
        if last == 0:
            return False
        if place & 1 or place == last:
            found = node_hash(hash, found)
            while not place & 1 and place:
                place >>= 1
                last >>= 1
        else:
            found = node_hash(found, hash)
        place >>= 1
        last >>= 1
    return last == 0 and found == root


def consistency_is_proven(*, first: int, second: int, first_root: bytes, second_root: bytes, path: Sequence[bytes]) -> bool:
    """Verify a consistency proof (RFC 9162, 2.1.4.2): did the tree of the second size and root grow from the first?"""
    if first == second:
        return first > 0 and not path and first_root == second_root
    if not 0 < first < second or not path:
        return False
    whole = first & (first - 1) == 0
    start, *rest = [first_root, *path] if whole else path
    place, last = first - 1, second - 1
    while place & 1:
        place >>= 1
        last >>= 1
    old = new = start
    for hash in rest:
        if last == 0:
            return False
        if place & 1 or place == last:
            old, new = node_hash(hash, old), node_hash(hash, new)
            while not place & 1 and place:
                place >>= 1
                last >>= 1
        else:
            new = node_hash(new, hash)
        place >>= 1
        last >>= 1
    return last == 0 and (old, new) == (first_root, second_root)

"""The growing tree against RFC 9162's own recursive definition, and proofs against every change of theirs."""

from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from audit.seals.merkle import (
    Edge,
    Range,
    consistency_is_proven,
    consistency_ranges,
    inclusion_is_proven,
    inclusion_ranges,
    joined_hash,
    leaf_hash,
    node_hash,
    whole_hash,
    whole_subtrees,
)

LEAVES = [leaf_hash(str(number).encode()) for number in range(700)]
sizes = st.integers(1, len(LEAVES))


def defined(leaves: Sequence[bytes]) -> bytes:
    """MTH of section 2.1.1: split at the largest power of two below the size."""
    if len(leaves) == 1:
        return leaves[0]
    half = 1
    while half * 2 < len(leaves):
        half *= 2
    return node_hash(defined(leaves[:half]), defined(leaves[half:]))


def hashed(subtree: Range) -> bytes:
    found = joined_hash([whole_hash(LEAVES[i << level : (i + 1) << level]) for level, i in whole_subtrees(*subtree)])
    assert found == defined(LEAVES[slice(*subtree)])
    return found


@given(sizes)
def test_growing_leaf_by_leaf_gives_the_defined_root_and_nodes(size: int) -> None:
    edge = Edge()
    made = [node for leaf in LEAVES[:size] for node in edge.append(leaf)]
    assert edge.root() == defined(LEAVES[:size])
    assert made == [(8, index, defined(LEAVES[index << 8 : (index + 1) << 8])) for index in range(size >> 8)]


@given(sizes, st.data())
@settings(max_examples=200)
def test_an_inclusion_proof_proves_this_leaf_in_this_place_of_this_tree_only(size: int, data: st.DataObject) -> None:
    index = data.draw(st.integers(0, size - 1))
    root = defined(LEAVES[:size])
    proof = {
        "index": index,
        "size": size,
        "leaf": LEAVES[index],
        "path": [hashed(part) for part in inclusion_ranges(index, size)],
    }
    assert inclusion_is_proven(**proof, root=root)
    other = data.draw(st.integers(0, size - 1).filter(lambda place: place != index)) if size > 1 else index + 1
    assert not inclusion_is_proven(**{**proof, "leaf": LEAVES[other % 700]}, root=root)
    assert not inclusion_is_proven(**{**proof, "index": other}, root=root)
    assert not inclusion_is_proven(**{**proof, "path": proof["path"][:-1]}, root=root) or not proof["path"]


@given(sizes, st.data())
@settings(max_examples=200)
def test_a_consistency_proof_proves_these_two_trees_only(second: int, data: st.DataObject) -> None:
    first = data.draw(st.integers(1, second))
    roots = {"first_root": defined(LEAVES[:first]), "second_root": defined(LEAVES[:second])}
    path = [hashed(part) for part in consistency_ranges(first, second)]
    assert consistency_is_proven(first=first, second=second, path=path, **roots)
    rewritten = [*LEAVES[:second]]
    rewritten[data.draw(st.integers(0, first - 1))] = bytes(32)
    assert not consistency_is_proven(first=first, second=second, path=path, **{**roots, "second_root": defined(rewritten)})
    for place in range(len(path)):
        assert not consistency_is_proven(first=first, second=second, path=[*path[:place], *path[place + 1 :]], **roots)

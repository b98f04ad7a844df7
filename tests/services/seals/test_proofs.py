"""Proofs from the kept nodes of a tree of three levels of them: right, and read with two statements whatever its size."""

import hashlib
from typing import Any

import pytest

from audit.seals.merkle import (
    Edge,
    consistency_is_proven,
    consistency_ranges,
    inclusion_is_proven,
    inclusion_ranges,
)
from audit.seals.selectors import subtree_hashes
from audit.seals.services import rows_copy

SIZE = 2**16 + 2**8 + 5
LEAVES = [hashlib.sha256(number.to_bytes(4, "big")).digest() for number in range(SIZE)]


def root(size: int) -> bytes:
    edge = Edge()
    for leaf in LEAVES[:size]:
        edge.append(leaf)
    return edge.root()


@pytest.fixture
def tree(db: None) -> None:
    edge = Edge()
    nodes = [node for leaf in LEAVES for node in edge.append(leaf)]
    rows_copy("seals_sealleaf (index, kind, row_id, hash)", [(index, 1, index, leaf) for index, leaf in enumerate(LEAVES)])
    rows_copy("seals_sealnode (level, index, hash)", nodes)
    assert {level for level, _, _ in nodes} == {8, 16}


@pytest.mark.usefixtures("tree")
def test_every_kind_of_place_in_every_kind_of_tree_is_proven(django_assert_max_num_queries: Any) -> None:
    sizes = (SIZE, 2**16, 2**16 - 1, 300, 256, 255, 1)
    roots = {size: root(size) for size in sizes}
    for size in sizes:
        for index in {0, 1, size // 2, size // 3, size - 1}:
            if index < size:
                with django_assert_max_num_queries(2):
                    path = subtree_hashes(inclusion_ranges(index, size))
                assert inclusion_is_proven(index=index, size=size, leaf=LEAVES[index], path=path, root=roots[size])
    for first in sizes:
        for second in (size for size in sizes if size >= first):
            with django_assert_max_num_queries(2):
                path = subtree_hashes(consistency_ranges(first, second))
            proof = {"first": first, "second": second, "first_root": roots[first], "second_root": roots[second]}
            assert consistency_is_proven(**proof, path=path)

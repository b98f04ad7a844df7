"""The tree against the published answers of Certificate Transparency's reference implementation (RFC 6962)."""

import hashlib

import pytest

from audit.seals.merkle import (
    Edge,
    Range,
    consistency_is_proven,
    consistency_ranges,
    inclusion_is_proven,
    inclusion_ranges,
    joined_hash,
    leaf_hash,
    whole_hash,
    whole_subtrees,
)

DATA = ["", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"]
LEAVES = [leaf_hash(bytes.fromhex(each)) for each in DATA]
ROOTS = [
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]
"""Of the empty tree and of the first 1 to 8 leaves."""
SECOND = "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7"
THIRD_AND_FOURTH = "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e"
LAST_FOUR = "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4"
FIFTH = "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b"
LAST_TWO = "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0"
FIFTH_AND_SIXTH = "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a"
INCLUSION = {
    (0, 1): [],
    (0, 8): [SECOND, THIRD_AND_FOURTH, LAST_FOUR],
    (5, 8): [FIFTH, LAST_TWO, ROOTS[4]],
    (2, 3): [ROOTS[2]],
    (1, 5): [ROOTS[1], THIRD_AND_FOURTH, FIFTH],
}
CONSISTENCY = {
    (1, 1): [],
    (1, 8): [SECOND, THIRD_AND_FOURTH, LAST_FOUR],
    (6, 8): [FIFTH_AND_SIXTH, LAST_TWO, ROOTS[4]],
    (2, 5): [THIRD_AND_FOURTH, FIFTH],
}


def hashed(subtree: Range) -> str:
    return joined_hash([whole_hash(LEAVES[i << level : (i + 1) << level]) for level, i in whole_subtrees(*subtree)]).hex()


@pytest.mark.parametrize("size", range(9))
def test_a_growing_tree_has_the_published_roots(size: int) -> None:
    edge = Edge()
    for leaf in LEAVES[:size]:
        edge.append(leaf)
    assert (edge.root().hex(), edge.size, edge.is_possible()) == (ROOTS[size], size, True)


def test_leaves_and_nodes_have_their_prefixes() -> None:
    assert LEAVES[1] == hashlib.sha256(b"\0\0").digest()
    assert whole_hash(LEAVES[:2]) == hashlib.sha256(b"\1" + LEAVES[0] + LEAVES[1]).digest()


@pytest.mark.parametrize(("index", "size"), INCLUSION)
def test_an_inclusion_proof_is_the_published_one(index: int, size: int) -> None:
    path = [hashed(subtree) for subtree in inclusion_ranges(index, size)]
    assert path == INCLUSION[index, size]
    proof = {"index": index, "size": size, "leaf": LEAVES[index], "path": [bytes.fromhex(each) for each in path]}
    assert inclusion_is_proven(**proof, root=bytes.fromhex(ROOTS[size]))
    assert not inclusion_is_proven(**proof, root=bytes(32))
    assert not inclusion_is_proven(**{**proof, "path": [*proof["path"], bytes(32)]}, root=bytes.fromhex(ROOTS[size]))


@pytest.mark.parametrize(("first", "second"), CONSISTENCY)
def test_a_consistency_proof_is_the_published_one(first: int, second: int) -> None:
    path = [hashed(subtree) for subtree in consistency_ranges(first, second)]
    assert path == CONSISTENCY[first, second]
    roots = {"first_root": bytes.fromhex(ROOTS[first]), "second_root": bytes.fromhex(ROOTS[second])}
    proof = {"first": first, "second": second, "path": [bytes.fromhex(each) for each in path]}
    assert consistency_is_proven(**proof, **roots)
    for name in roots:
        assert not consistency_is_proven(**proof, **{**roots, name: bytes(32)})


@pytest.mark.parametrize(("index", "size"), [(0, 0), (1, 1), (-1, 4), (4, 4)])
def test_a_leaf_outside_the_tree_has_no_proof(index: int, size: int) -> None:
    with pytest.raises(ValueError, match="no leaf"):
        inclusion_ranges(index, size)
    assert not inclusion_is_proven(index=index, size=size, leaf=LEAVES[0], path=[], root=LEAVES[0])


@pytest.mark.parametrize(("first", "second"), [(0, 1), (2, 1)])
def test_a_tree_grows_from_no_empty_and_no_larger_one(first: int, second: int) -> None:
    with pytest.raises(ValueError, match="grew"):
        consistency_ranges(first, second)
    assert not consistency_is_proven(first=first, second=second, first_root=b"", second_root=b"", path=[b""])

"""Proofs as they are saved from the API: whole ones hold, and nothing in one can be made up."""

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest

from audit.check_seals import proof_checked
from audit.seals.heads import FIRST_PREVIOUS_HASH, FORMAT, head_hash, leaf_digest
from audit.seals.merkle import Edge, Range, consistency_ranges, inclusion_ranges
from audit.seals.proofs import ProofCheck

ROWS = [{"kind": "transfer", "id": 10 + index, "public_id": f"T-{index}", "amount_minor": 100 * index} for index in range(7)]
OTHER = "ab" * 32


def edge_of(rows: list[dict[str, Any]]) -> Edge:
    edge = Edge()
    for row in rows:
        edge.append(leaf_digest(row))
    return edge


def heads_of(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Seals after the third, the fourth and the last row."""
    heads: list[dict[str, Any]] = []
    for number, size in enumerate((3, 4, len(rows)), 1):
        head = {
            "format": FORMAT, "number": number, "at": f"2026-01-01T00:0{number}:00.000000Z", "system_identifier": "7",
            "mark": "9", "steps": 0, "transfers": size - (heads[-1]["tree_size"] if heads else 0), "tree_size": size,
            "root": edge_of(rows[:size]).root().hex(), "previous_hash": heads[-1]["hash"] if heads else FIRST_PREVIOUS_HASH,
        }  # fmt: skip
        heads.append(head | {"hash": head_hash(head)})
    return heads


HEADS = heads_of(ROWS)


def path_of(ranges: list[Range], rows: list[dict[str, Any]] = ROWS) -> list[str]:
    return [edge_of(rows[low:high]).root().hex() for low, high in ranges]


def inclusion(index: int, head: dict[str, Any] = HEADS[-1], rows: list[dict[str, Any]] = ROWS) -> dict[str, Any]:
    path = path_of(inclusion_ranges(index, head["tree_size"]), rows)
    return {"head": head, "index": index, "leaf": rows[index], "leaf_hash": leaf_digest(rows[index]).hex(), "path": path}


def consistency(first: dict[str, Any], second: dict[str, Any]) -> dict[str, Any]:
    return {"first": first, "second": second, "path": path_of(consistency_ranges(first["tree_size"], second["tree_size"]))}


def found(proof: Any, anchored: list[dict[str, Any]] | None = HEADS) -> set[str]:
    return {each.check for each in proof_checked(ProofCheck(anchored), json.dumps(proof).encode())}


WHOLE = [
    *(inclusion(index, head) for head in HEADS for index in range(head["tree_size"])),
    *(consistency(first, second) for first in HEADS for second in HEADS if first["number"] <= second["number"]),
]


@pytest.mark.parametrize("anchored", [HEADS, None], ids=["anchored", "alone"])
def test_every_whole_proof_holds(anchored: list[dict[str, Any]] | None) -> None:
    assert len(WHOLE) == 3 + 4 + 7 + 6
    for proof in WHOLE:
        assert found(proof, anchored) == set()


def forgeries(proof: Any) -> Iterator[Any]:
    """The proof with every single value in it changed in its turn, and taken away."""
    places = list(proof.items() if isinstance(proof, dict) else enumerate(proof) if isinstance(proof, list) else ())
    for key, value in places:
        for other in (*forgeries(value), *([value + 1, -1, str(value), True] if type(value) is int else []), None, [], {}):
            yield {**proof, key: other} if isinstance(proof, dict) else [*proof[:key], other, *proof[key + 1 :]]
        if isinstance(value, str):
            for other in (OTHER, value.upper() + "0", value + value, ""):
                yield {**proof, key: other} if isinstance(proof, dict) else [*proof[:key], other, *proof[key + 1 :]]
        yield {name: each for name, each in places if name != key} if isinstance(proof, dict) else proof[:key] + proof[key + 1 :]


@pytest.mark.parametrize("proof", [inclusion(0), inclusion(4), inclusion(6), inclusion(3, HEADS[1]), consistency(*HEADS[1:])])
@pytest.mark.parametrize("anchored", [HEADS, None], ids=["anchored", "alone"])
def test_whatever_is_changed_in_a_proof_it_is_refused(proof: dict[str, Any], anchored: list[dict[str, Any]] | None) -> None:
    tried = [each for each in forgeries(proof) if each != proof]
    assert len(tried) > 100
    for each in tried:
        assert found(each, anchored), each


def test_what_deviates_is_named() -> None:
    changed = inclusion(2) | {"leaf": ROWS[2] | {"amount_minor": 1}}
    assert found(changed) == {"seal_leaf_matches_its_row"}
    assert found(changed | {"leaf_hash": leaf_digest(changed["leaf"]).hex()}) == {"leaf_is_in_the_tree"}
    assert found(inclusion(2) | {"leaf": None}) == {"sealed_row_is_there"}
    assert found(inclusion(2) | {"index": 3}) == {"leaf_is_in_the_tree"}
    assert found(consistency(HEADS[0], HEADS[2]) | {"path": [OTHER]}) == {"tree_begins_with_the_earlier_one"}
    assert found({**consistency(HEADS[1], HEADS[2]), "first": HEADS[0]}) == {"tree_begins_with_the_earlier_one"}
    torn = copy.deepcopy(HEADS[1]) | {"previous_hash": OTHER}
    torn["hash"] = head_hash(torn)
    assert found(consistency(HEADS[0], torn), None) == {"seal_follows_the_one_before"}
    assert found(consistency(HEADS[1], torn), None) == {"seal_follows_the_one_before"}


def test_books_written_anew_have_proofs_of_their_own_which_the_anchor_refuses() -> None:
    """Every hash of theirs is right: only a head that was kept outside tells them from the true ones."""
    anew = [*ROWS[:2], ROWS[2] | {"amount_minor": 1}, *ROWS[3:]]
    heads = heads_of(anew)
    forged = inclusion(2, heads[-1], anew)
    assert found(forged, None) == set()
    assert found(forged) == {"seal_is_the_anchored_one"}
    later = heads[-1] | {"number": 4, "previous_hash": heads[-1]["hash"]}
    later["hash"] = head_hash(later)
    assert found(inclusion(2, later, anew)) == {"anchor_has_every_head"}


@pytest.mark.parametrize("text", ["", "[]", "1", "null", "{}", '{"leaf": 1}', "{", '{"a": 1, "a": 1}', "[" * 100_000, "\xff"])
def test_what_is_no_proof_is_said_to_be_none(text: str) -> None:
    (deviation,) = proof_checked(ProofCheck(None), text.encode("latin-1"))
    assert deviation.check == "proof_makes_sense"

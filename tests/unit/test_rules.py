"""Every game's rules are numbered, and every number is tested."""

from pathlib import Path

import pytest

TESTS = "".join(path.read_text(encoding="utf-8") for path in Path("tests").rglob("test_*.py"))


@pytest.mark.parametrize("rules", sorted(Path("games").glob("*/RULES.md")), ids=lambda path: path.parent.name)
def test_every_clause_bears_a_test(rules):
    lines = rules.read_text(encoding="utf-8").splitlines()
    clauses = [line.split("**")[1] for line in lines if line.startswith("- **")]
    assert clauses and len(set(clauses)) == len(clauses)
    untested = [clause for clause in clauses if f"def test_{clause.lower().translate({45: '_', 46: '_'})}_" not in TESTS]
    assert untested == []

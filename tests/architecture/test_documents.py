"""The documents name what there is, and lead to it."""

import re
from pathlib import Path

import pytest

from tests.architecture.source import ROOT

DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
LINK = re.compile(r"\]\((?!https?://|#)([^)#\s]+)")
REQUIREMENT = re.compile(r"^([a-z0-9-]+)(?:\[[a-z,]+\])?==\S+ +# \S", re.MULTILINE)
WRITTEN = re.compile(r"(?:--output |-o |> ?)([\w./-]+\.(?:jsonl?|csv|txt|bin))\b")
LINES_MAX = 250


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_to_files(document: Path) -> None:
    missing = [link for link in LINK.findall(document.read_text()) if not (document.parent / link).exists()]
    assert missing == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_what_examples_write_lies_below_a_folder_that_git_ignores(document: Path) -> None:
    assert "/var/" in (ROOT / ".gitignore").read_text().splitlines()
    assert [file for file in WRITTEN.findall(document.read_text()) if not file.startswith("var/")] == []


def test_the_readme_says_why_each_dependency_is_there() -> None:
    readme = (ROOT / "README.md").read_text()
    required = REQUIREMENT.findall((ROOT / "requirements.txt").read_text())
    assert required
    assert [name for name in required if f"**{name}**" not in readme] == []


def test_the_readme_stays_short() -> None:
    assert len((ROOT / "README.md").read_text().splitlines()) <= LINES_MAX

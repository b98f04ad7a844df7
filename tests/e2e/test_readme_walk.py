"""The walks of README and docs, a round each and then into it, word for word, on a stack as ``make run`` starts it."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture.source import ROOT
from tests.e2e.stacks import PATIENCE_SECONDS, RunningStack

ADDRESS = "http://127.0.0.1:8000/"
BLOCK = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)

VERIFIED = re.compile(r"verified [0-9a-f-]{36}: \w+, settled, \d+ steps, \d+ transfers")

pytestmark = [pytest.mark.xdist_group("stack")]


def blocks(document: str, title: str) -> list[str]:
    """Return the blocks of a document's section."""
    (section,) = re.findall(rf"^## {title}$(.*?)(?=^## |\Z)", (ROOT / document).read_text(), re.MULTILINE | re.DOTALL)
    return BLOCK.findall(section)


def walk(address: str) -> str:
    """Return every block of the walks as one script; only where port 8000 was taken is the address another one."""
    history = BLOCK.findall((ROOT / "docs/history.md").read_text())
    script = "".join(
        [
            *blocks("README.md", "One round by curl"),
            *history,
            "python manage.py seals_make\n",  # the minute that docs/seals.md tells to wait for
            *blocks("docs/seals.md", "Proofs"),
            *blocks("docs/tables.md", "One game by curl"),
        ]
    )
    assert ADDRESS in script
    return script.replace(ADDRESS, f"{address}/")


def pasted(stack: RunningStack) -> str:
    """Run the walk in the checkout, with the Python of its virtual environment, and hand back what it printed."""
    environment = {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", "-eu"],
        input=walk(stack.address),
        cwd=stack.checkout,
        env=environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def verified(stack: RunningStack, record: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-S", "-m", "games.verify", record]
    return subprocess.run(command, cwd=stack.checkout, env={}, capture_output=True, text=True)


def test_the_walk_plays_verifies_and_sees_a_new_limit_obeyed_by_the_next_round_only(stack: RunningStack) -> None:
    for _ in range(2):  # it can be repeated, with other cards
        lines = pasted(stack).splitlines()
        assert any(line.startswith("your cards [") for line in lines)
        assert [line.split()[2] for line in lines if VERIFIED.fullmatch(line)] == ["russian_poker,"] * 2 + ["chinese_poker,"]
        assert sum(line == "verified" for line in lines) == 2, "an inclusion and a consistency proof"
        assert "(1, {'box': 3, 'type': 'bet'}" in "\n".join(lines)
        assert any(line.startswith("{'seat': 0, ") and "'net_difference_minor': " in line for line in lines), "what if"
        published = [line for line in lines if line.startswith("limit set ")]
        refused = [line for line in lines if line.startswith("stake_below_minimum")]
        assert len(published) == 2 and all(line.endswith(" in_force") for line in published)
        assert len(refused) == 1 and "'min_minor': 200" in refused[0]
        assert lines.index(published[0]) < lines.index(refused[0]) < lines.index(published[1])
    record = stack.checkout / "var" / "record.json"
    assert verified(stack, record).returncode == 0
    changed = record.with_name("changed.json")
    changed.write_text(record.read_text().replace('"amount_minor":', '"amount_minor":1', 1))
    assert changed.read_bytes() != record.read_bytes()
    assert verified(stack, changed).stdout.startswith("not verified: ")
    assert verified(stack, changed).returncode == 1

"""The reviewed manifest is of these files, and no round opens past the gate that goes by it."""

import ast
import shutil
import subprocess
import sys

import pytest

from audit.manifest.files import NAME, files_deviate, files_digest, manifest_text
from tests.architecture.source import ROOT, place, python_files, tree


def test_the_reviewed_manifest_is_of_these_files() -> None:
    deviating = [each.name for each in files_deviate(ROOT, ROOT / NAME)]
    assert deviating == [], "review these files, then: make manifest"


@pytest.mark.skipif(shutil.which("sha256sum") is None, reason="an outside tool that not every system has")
def test_an_outside_tool_agrees() -> None:
    done = subprocess.run(["sha256sum", "-c", "--quiet", NAME], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_the_command_says_which_part_has_changed(tmp_path: object) -> None:
    lines = manifest_text(files_digest(ROOT)).splitlines()
    file = ROOT.joinpath(str(tmp_path), NAME)
    changed = [line if not line.endswith("  games/core/cards.py") else "0" * 64 + line[64:] for line in lines]
    file.write_text("\n".join(line for line in changed if not line.endswith("  wallets/ledger.py")))
    done = subprocess.run([sys.executable, "-S", "-m", "audit.manifest", file], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stdout.splitlines() == ["rules: games/core/cards.py: changed", "money: wallets/ledger.py: not listed"]


def test_whoever_begins_a_round_has_passed_the_gate() -> None:
    """Functions that call ``round_begin`` take its step's key from ``opening_moment``, which asks whether rounds may open."""
    begin = [
        (path, function)
        for path in python_files("games")
        for function in ast.walk(tree(path))
        if isinstance(function, ast.FunctionDef) and "round_begin" in called(function)
    ]
    assert len(begin) == 2
    assert [place(path, function) for path, function in begin if "opening_moment" not in called(function)] == []


def called(function: ast.FunctionDef) -> set[str]:
    return {node.func.id for node in ast.walk(function) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}

"""The bench runs, in its smallest size: every part gives its figures and the books balance."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parent.parent.parent


@pytest.mark.parametrize("parts", [pytest.param("", id="by default", marks=pytest.mark.slow), pytest.param("j", id="on request")])
def test_every_part_runs_and_the_books_balance(parts: str) -> None:
    environment = {"PATH": os.defpath, "HOME": str(Path.home()), "LANG": "C.UTF-8"}
    command = [sys.executable, "-m", "bench", "--tiny", *parts]
    done = subprocess.run(command, cwd=CHECKOUT, env=environment, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert {line[0] for line in lines[1:-1]} == set(parts or "abcdefghi")
    assert lines[-1].startswith("reconciled")

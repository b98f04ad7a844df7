"""A database of its own with three seals over two closed rounds and an open one, an anchor file, and both checkers."""

import os
import random
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.conf import settings as active
from django.core.management import call_command

from audit.seals.anchor import anchor_catch_up
from audit.seals.inspection import seals_check
from audit.seals.services import seal_make
from tests import playing
from tests.architecture.source import ROOT
from tests.playing import FOUR_BOXES, open_round, play_out

Found = set[tuple[str, str, str]]
_LINE = re.compile(r"^(\w+): (\w+) (\S+?)[ :]", re.MULTILINE)


@dataclass
class Sealed:
    """Where the anchor is, and what the checkers find of a database that somebody may have tampered with."""

    anchor: Path
    folder: Path

    def service(self, *, anchored: bool) -> Found:
        """What one run of the service's full check finds."""
        active.SEAL_ANCHOR_FILE = str(self.anchor) if anchored else ""
        return {(each.check, each.subject, each.key) for each in seals_check(is_full=True)}

    def offline(self, *, anchored: bool) -> Found:
        """What the offline checker finds in an export, without any installed package."""
        done = self.run_offline(self.export(), *(["--anchor", str(self.anchor)] if anchored else []))
        found = set(_LINE.findall(done.stdout.partition(" seals, ")[0]))
        assert done.returncode == bool(found), done.stderr
        return found

    def export(self) -> Path:
        path = self.folder / "export.jsonl"
        call_command("seals_export", output=path)
        return path

    def run_offline(self, *arguments: Any) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-S", "-m", "audit.check_seals", *map(str, arguments)]
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env={"PATH": os.defpath})

    def both(self, *, anchored: bool) -> Found:
        """What both find alike."""
        found = self.service(anchored=anchored)
        assert self.offline(anchored=anchored) == found
        return found


@pytest.fixture
def sealed(committed_db: str, tmp_path: Path, settings: Any) -> Sealed:
    settings.SEAL_ANCHOR_FILE = str(tmp_path / "anchor.jsonl")
    hall = playing.halls()["first"]
    player = playing.player(hall)
    for number in (4, 5):
        play_out(player, open_round(player, hall, FOUR_BOXES).round_id, random.Random(number))
        assert seal_make() is not None
    open_round(player, hall)
    assert seal_make() is not None
    assert anchor_catch_up() == 3
    return Sealed(tmp_path / "anchor.jsonl", tmp_path)


@pytest.fixture
def tamper(owner_connection: "psycopg.Connection[tuple[Any, ...]]") -> Callable[..., list[tuple[Any, ...]]]:
    """Change rows as only the tables' owner can: with the triggers off; return what was answered."""
    for table in ("wallets_transfer", "rounds_roundstep", "seals_seal", "seals_sealleaf", "seals_sealnode"):
        owner_connection.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER".encode())

    def change(*statements: str) -> list[tuple[Any, ...]]:
        for statement in statements:
            cursor = owner_connection.execute(statement.encode())
            assert cursor.rowcount != 0, statement
        return cursor.fetchall() if cursor.description else []

    return change

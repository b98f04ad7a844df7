"""The bot as a program: what it says where there is nothing to play."""

import os
import socket
import subprocess
import sys

from tests.architecture.source import ROOT

PLAYER = ("--username", "player", "--game", "chinese_poker")


def bot(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "casino.play.bot", *arguments]
    path = {"PATH": os.environ["PATH"]}
    return subprocess.run(command, cwd=ROOT, env=path | environment, capture_output=True, text=True, timeout=120)


def test_where_nothing_listens_it_says_so_and_fails() -> None:
    with socket.socket() as kept:
        kept.bind(("127.0.0.1", 0))  # and does not listen
        url = f"http://127.0.0.1:{kept.getsockname()[1]}"
        done = bot("--url", url, *PLAYER, BOT_PASSWORD="player-demo")
    assert (done.returncode, done.stdout, done.stderr) == (1, "", f"no casino answers at {url}\n")


def test_help_needs_no_password() -> None:
    done = bot("--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert "--table" in done.stdout
    assert bot(*PLAYER).stderr == "BOT_PASSWORD is not set\n"

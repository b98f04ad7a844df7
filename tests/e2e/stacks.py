"""Stacks of their own for tests: a copy of the checkout, started as ``make run`` starts it, after its virtual environment."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import psutil

from casino.embedded.folders import Folders
from casino.embedded.processes import IDENTITY_VARIABLE
from tests.architecture.source import ROOT, text_files

PATIENCE_SECONDS = 300
"""So long is waited for what must come about: only a machine that stands still is slower, and no promise of the service."""
ADDRESS = re.compile(r"^API +(http://[\d.]+:\d+)/", re.MULTILINE)


def checkout_copied(to: Path) -> Path:
    """Copy what git would give a fresh clone, with what is not committed yet."""
    for path in text_files():
        copy = to / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(path.read_bytes())
        copy.chmod(path.stat().st_mode)
    return to


@dataclass
class RunningStack:
    """A started stack, seen from outside."""

    checkout: Path
    process: subprocess.Popen[str]
    output: Path

    def said(self) -> str:
        return self.output.read_text()

    @property
    def address(self) -> str:
        found = ADDRESS.search(self.said())
        assert found, self.said()
        return found[1]

    def healthy(self) -> bool:
        try:
            return httpx.get(f"{self.address}/readyz", timeout=PATIENCE_SECONDS).status_code == httpx.codes.OK
        except httpx.HTTPError:
            return False

    def processes(self) -> list[psutil.Process]:
        """List every process of this stack but the supervisor, however deep, also those that forgot their parents."""
        identity = Folders(self.checkout, "stack").identity
        found = {process for process in psutil.process_iter() if _environment(process).get(IDENTITY_VARIABLE) == identity}
        if self.process.poll() is None:
            found |= set(psutil.Process(self.process.pid).children(recursive=True))
        return [process for process in found if process.pid != self.process.pid]

    def part(self, words: str) -> psutil.Process:
        """Find the supervisor's own child whose command contains the words."""
        children = psutil.Process(self.process.pid).children()
        (found,) = [child for child in children if words in " ".join(child.cmdline())]
        return found

    def books_reconciled(self) -> None:
        """Have the whole ledger and all rounds recounted; they must balance."""
        command = [sys.executable, "manage.py", "reconcile"]
        done = subprocess.run(command, cwd=self.checkout, env={}, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr

    def stop(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(PATIENCE_SECONDS)


def _environment(process: psutil.Process) -> dict[str, str]:
    try:
        return dict(process.environ())
    except psutil.Error:
        return {}


def wait_until(
    holds: Callable[[], bool], otherwise: Callable[[], str] = lambda: "", *, within_seconds: float = PATIENCE_SECONDS
) -> float:
    """Wait for something to come about in other processes; hand back how many seconds it took."""
    started = time.monotonic()
    while not holds():
        assert time.monotonic() - started < within_seconds, otherwise()
        time.sleep(0.05)
    took = time.monotonic() - started
    assert took < within_seconds, otherwise()
    return took


def start(checkout: Path, port: int = 8000) -> RunningStack:
    """Start the stack of a checkout and wait until it says where it is."""
    output = checkout.parent / f"{checkout.name}.{time.monotonic_ns()}.out"
    with output.open("w") as file:
        process = subprocess.Popen(
            [sys.executable, "-m", "casino.embedded", "run", "--port", str(port)],
            cwd=checkout,
            env={"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/")},
            stdout=file,
            stderr=subprocess.STDOUT,
            text=True,
        )
    stack = RunningStack(checkout, process, output)
    wait_until(lambda: process.poll() is not None or "Ctrl-C stops everything" in stack.said(), stack.said)
    assert process.poll() is None, stack.said()
    return stack


@contextmanager
def running(checkout: Path, port: int = 8000) -> Iterator[RunningStack]:
    stack = start(checkout, port)
    try:
        yield stack
    finally:
        if stack.process.poll() is None:
            stack.stop()


def cleaned(checkout: Path) -> None:
    """Remove what a stack has left in and outside its checkout."""
    subprocess.run([sys.executable, "-m", "casino.embedded", "clean"], cwd=checkout, check=True)

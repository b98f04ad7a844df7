"""Keep the parts of the stack running: start, restart with a growing delay, stop in order."""

import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from casino.embedded.folders import EmbeddedError
from casino.embedded.processes import group_end

FIRST_DELAY_SECONDS = 0.5
LONGEST_DELAY_SECONDS = 30.0
STABLE_AFTER_SECONDS = 30.0
STOP_TIMEOUT_SECONDS = 10.0
POLL_SECONDS = 0.1


class StopRequested(BaseException):
    """Somebody pressed Ctrl-C or sent a signal to stop."""


def say(text: str) -> None:
    print(text, flush=True)


@dataclass
class Part:
    """One program of the stack and what is known of its process."""

    name: str
    start: Callable[[], subprocess.Popen[bytes]]
    log: Path
    before_start: Callable[[], None] = lambda: None
    stop_signal: signal.Signals = signal.SIGTERM
    is_service: bool = False
    process: subprocess.Popen[bytes] | None = field(default=None, init=False)
    failures: int = field(default=0, init=False)
    started_at: float = field(default=0.0, init=False)
    start_at: float = field(default=0.0, init=False)

    def launch(self) -> None:
        self.before_start()
        self.process = self.start()
        self.started_at = time.monotonic()

    def watch(self) -> None:
        """Notice a death, clear what it left, and start again when its delay is over."""
        if self.process is None:
            if time.monotonic() >= self.start_at:
                self.launch()
                say(f"{self.name}: started again")
        elif self.process.poll() is not None:
            self._died(self.process)

    def _died(self, process: subprocess.Popen[bytes]) -> None:
        group_end(process.pid)
        if time.monotonic() - self.started_at > STABLE_AFTER_SECONDS:
            self.failures = 0
        delay_seconds = min(FIRST_DELAY_SECONDS * 2**self.failures, LONGEST_DELAY_SECONDS)
        self.failures += 1
        self.process = None
        self.start_at = time.monotonic() + delay_seconds
        say(f"{self.name}: ended {_how(process.returncode)}; starting again in {delay_seconds:g} s (log: {self.log})")

    def ask_to_stop(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(self.stop_signal)

    def stopped(self, deadline: float) -> None:
        """Wait for the end; kill what does not listen, and whatever is left of its group."""
        if self.process is None:
            return
        try:
            self.process.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            say(f"{self.name}: does not stop; killed")
        group_end(self.process.pid)
        self.process.wait()
        self.process = None


class Supervisor:
    """The parts; those that use the services are stopped before them."""

    def __init__(self) -> None:
        self.parts: list[Part] = []

    def start(self, part: Part) -> Part:
        self.parts.append(part)
        part.launch()
        return part

    def wait_until(self, ready: Callable[[], bool], parts: Sequence[Part], timeout_seconds: float) -> None:
        """Wait for readiness; a part that dies meanwhile, or takes too long, ends the start."""
        deadline = time.monotonic() + timeout_seconds
        while not ready():
            for part in parts:
                if (part.process and part.process.poll() is not None) or time.monotonic() > deadline:
                    raise EmbeddedError(f"{part.name} does not start; the end of {part.log}:\n{log_end(part.log)}")
            time.sleep(POLL_SECONDS / 2)

    def watch(self) -> None:
        """Keep all parts running, for ever."""
        while True:
            for part in self.parts:
                part.watch()
            time.sleep(POLL_SECONDS)

    def stop(self) -> None:
        for tier in ([part for part in self.parts if not part.is_service], [part for part in self.parts if part.is_service]):
            deadline = time.monotonic() + STOP_TIMEOUT_SECONDS
            for part in tier:
                part.ask_to_stop()
            for part in tier:
                part.stopped(deadline)


def stop_on_signals() -> None:
    """Let the first signal stop the stack in order; further ones are ignored meanwhile."""

    def request_stop(number: int, frame: object) -> None:
        for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(each, signal.SIG_IGN)
        raise StopRequested(signal.Signals(number).name)

    for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(each, request_stop)


def log_end(log: Path, lines: int = 15) -> str:
    return "\n".join(log.read_text(errors="replace").splitlines()[-lines:]) if log.exists() else ""


def _how(return_code: int) -> str:
    return f"by {signal.Signals(-return_code).name}" if return_code < 0 else f"with status {return_code}"

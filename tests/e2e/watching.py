"""Clients of streams: one connection after another, each resumed where the one before was cut."""

import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx

from casino.play.events import EventReader
from tests.e2e.stacks import wait_until

SILENCE_SECONDS_MAX = 30


@dataclass(frozen=True)
class Told:
    """One event."""

    event: str
    seq: int | None
    data: Any


def events_of(lines: Iterator[str]) -> Iterator[Told]:
    """Read events as they come; comments and pauses between them say nothing."""
    reader = EventReader()
    for line in lines:
        if event := reader.read(line):
            yield Told(event.name, int(event.id) if event.id else None, json.loads(event.data))


@dataclass
class Watcher:
    """Somebody who watches one stream in a thread, and comes again after every interruption unless it is the end."""

    url: str
    token: str
    resumes: bool = True
    told: list[Told] = field(default_factory=list)
    connections: int = 0
    refused: httpx.Response | None = None
    is_over: bool = False
    stopped: threading.Event = field(default_factory=threading.Event)

    def watch(self) -> None:
        with httpx.Client(timeout=SILENCE_SECONDS_MAX, verify=False) as http:  # noqa: S501 nothing here is encrypted
            while not (self.is_over or self.refused or self.stopped.is_set()):
                try:
                    self._watch_once(http)
                except httpx.TransportError:
                    self.stopped.wait(0.05)
                if not self.resumes:
                    self.is_over = True

    def _watch_once(self, http: httpx.Client) -> None:
        headers = {"Authorization": f"Bearer {self.token}"} | ({"Last-Event-ID": str(self.last_seq)} if self.told else {})
        with http.stream("GET", self.url, headers=headers) as answer:
            if answer.status_code != 200:
                answer.read()
                self.refused = answer
                return
            self.connections += 1
            for told in events_of(answer.iter_lines()):
                if told.event == "end":
                    self.is_over = True
                else:
                    self.told.append(told)
                if self.stopped.is_set() or self.cuts():
                    return

    def cuts(self) -> bool:
        """Say whether to hang up now."""
        return False

    @property
    def last_seq(self) -> int:
        return self.told[-1].seq or 0

    @property
    def steps(self) -> dict[int, Any]:
        return {told.seq: told.data for told in self.told if told.event == "step" and told.seq is not None}

    def wait_for(self, seq: int) -> float:
        return wait_until(lambda: bool(self.told) and self.last_seq >= seq, lambda: str(self.told))


@contextmanager
def watching(watcher: Watcher) -> Iterator[Watcher]:
    """Watch meanwhile; at the end the watcher has ended by itself, or is stopped by the next thing it hears."""
    thread = threading.Thread(target=watcher.watch, daemon=True)
    thread.start()
    try:
        yield watcher
    finally:
        watcher.stopped.set()


def deviations(told: Sequence[Told], last_seq: int) -> list[str]:
    """Say what is missing, doubled or out of order in what one client heard of a round, over all its connections.

    A position that comes again under the last number tells of deadlines that an outage has moved.
    """
    before = [None, *(each.seq for each in told)]
    again = [each.event == "position" and each.seq == last for each, last in zip(told, before, strict=False)]
    numbers = [each.seq for each, is_again in zip(told, again, strict=True) if not is_again]
    wanted = list(range(numbers[0] or 0, last_seq + 1)) if numbers else ["something"]
    return [] if numbers == wanted else [f"{numbers} heard, {wanted} happened"]

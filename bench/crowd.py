"""(h) Many tables at once, over HTTP and streams: how late a move is told to the seats beside it, and how many there can be.

Everybody watches their table's round by a stream of their own, and who is to act is known from it. Moves are due by the clock,
whoever is late; a move's time runs from when it was due until each other seat has read its event.
"""

import asyncio
import json
import logging
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from statistics import quantiles
from typing import Any
from urllib.parse import urlsplit

import httpx

from bench.scale import Scale
from bench.table import Line, per_second
from casino.play.policies import choose_randomly
from tests.e2e.stacks import RunningStack, checkout_copied, cleaned, running

SEATS = 4
SECONDS_PER_MOVE = 2
LATEST_MILLISECONDS = 100
PEOPLE = """
import json
from knox.models import AuthToken
from games.halls.models import Hall
from tests.table_builders import Game, convention
hall = Hall.objects.get(code="first")
agreed = convention("ukrainian_poker", bid_timeout_seconds=3600, play_timeout_seconds=3600)
games = [Game.opened(hall, {seats}, game="ukrainian_poker", convention=agreed) for _ in range({tables})]
print(json.dumps([[str(game.row.public_id), [AuthToken.objects.create(user)[1] for user in game.players]] for game in games]))
"""


@dataclass
class Seat:
    """One person at a table: the token, and the newest document of the round that the stream has told."""

    token: str
    document: dict[str, Any] = field(default_factory=dict)


@dataclass
class Table:
    """A table's round: its seats, and when each move that became a step was due, and whose it was."""

    round_id: str
    seats: list[Seat]
    due: dict[int, tuple[float, Seat]] = field(default_factory=dict)
    moved_from: int = -1
    moved: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def seq(self) -> int:
        return max(seat.document.get("seq", -1) for seat in self.seats)

    def to_act(self) -> Seat | None:
        """The seat that may act by what the newest step said; none while the last move's own step has not been told."""
        newest = self.seq
        if newest <= self.moved_from:
            return None
        return next((s for s in self.seats if s.document.get("seq") == newest and s.document["legal_actions"]), None)


@dataclass
class Crowd:
    """Everybody who plays, and how late what was told came."""

    stack: RunningStack
    tables: list[Table]
    late_seconds: list[float] = field(default_factory=list)
    moves: int = 0
    not_ready: int = 0
    """Moves that could not be made when they were due, since nobody had been told that it was their turn."""

    async def watch(self, table: Table, seat: Seat, url: str) -> None:
        """Read a seat's stream for as long as the bench lasts; an event's time is taken before it is parsed."""
        parts = urlsplit(url)
        reader, writer = await asyncio.open_connection(parts.hostname, parts.port, limit=2**20)
        writer.write(f"GET {parts.path} HTTP/1.1\r\nHost: {parts.netloc}\r\nAuthorization: Bearer {seat.token}\r\n\r\n".encode())
        while True:
            event = await reader.readuntil(b"\n\n")
            heard = time.perf_counter()
            _, found, data = event.partition(b"\ndata: ")
            if not found or b"event: end" in event:
                continue
            seat.document = json.loads(data)
            seq = seat.document["seq"]
            due, mover = table.due.get(seq, (0.0, seat))
            if mover is not seat:
                self.late_seconds.append(heard - due)
            table.moved.set()

    async def move(self, http: httpx.AsyncClient, table: Table, chance: Random, due: float) -> bool:
        """Make the next move of a table, and have the others' time counted from when it was due."""
        seat = table.to_act()
        if seat is None:
            self.not_ready += 1
            return False
        document = seat.document
        table.moved_from = document["seq"]
        table.due[document["seq"] + 1] = due, seat
        body = {"turn": document["turn"], "action": choose_randomly(document, chance)}
        headers = {"Authorization": f"Bearer {seat.token}", "Idempotency-Key": str(chance.getrandbits(64))}
        answer = await http.post(f"/api/v1/rounds/{table.round_id}/actions", json=body, headers=headers)
        assert answer.status_code == httpx.codes.OK, answer.text
        self.moves += 1
        return True

    async def by_the_clock(self, http: httpx.AsyncClient, seconds: float) -> None:
        """Let each table move every two seconds, the tables one after another."""
        chance, started = Random(1), time.perf_counter() + 0.5
        interval, number, tasks = SECONDS_PER_MOVE / len(self.tables), 0, []
        while (due := started + number * interval) < started + seconds:
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            tasks.append(asyncio.create_task(self.move(http, self.tables[number % len(self.tables)], chance, due)))
            number += 1
        await asyncio.gather(*tasks)

    async def as_fast_as_told(self, http: httpx.AsyncClient, seconds: float) -> None:
        """Let each table move as soon as the next seat knows that it is to act."""

        async def play(table: Table, chance: Random, until: float) -> None:
            while time.perf_counter() < until:
                table.moved.clear()
                if not await self.move(http, table, chance, time.perf_counter()):
                    await asyncio.wait_for(table.moved.wait(), seconds)

        until = time.perf_counter() + seconds
        await asyncio.gather(*(play(table, Random(number), until) for number, table in enumerate(self.tables)))


def crowd_lines(scale: Scale) -> Iterator[Line]:
    """Measure on a stack of its own, started as ``make run`` starts it. **Errors** RuntimeError when its books do not balance."""
    logging.getLogger("httpx").setLevel(logging.WARNING)
    with tempfile.TemporaryDirectory() as folder:
        checkout = checkout_copied(Path(folder) / "checkout")
        try:
            with running(checkout) as stack:
                clocked, most = asyncio.run(_measured(stack, scale))
                _manage(stack, "reconcile")
        finally:
            cleaned(checkout)
    missing = clocked.moves * (SEATS - 1) - len(clocked.late_seconds)
    cuts = [1e3 * each for each in quantiles(clocked.late_seconds, n=100)]
    rate, what = len(clocked.tables) / SECONDS_PER_MOVE, f"{SEATS * len(clocked.tables)} people"
    counts = f"{missing} not told, {clocked.not_ready} late"
    yield Line("h", f"{what}, {rate:.0f} moves/s: p50 of move to event; {counts}", f"{cuts[49]:.1f} ms", "", 0, "")
    yield Line("h", f"{what}, {rate:.0f} moves/s: p99", f"{cuts[98]:.1f} ms", "", LATEST_MILLISECONDS / cuts[98], "≥ 1")
    yield Line("h", f"{what}, as fast as they are told", per_second(most), "", 0, "")


async def _measured(stack: RunningStack, scale: Scale) -> tuple[Crowd, float]:
    """Return what came by the clock, and how many moves a second there can be."""
    code = PEOPLE.format(seats=SEATS, tables=scale.tables)
    games = json.loads(_manage(stack, "shell", "--no-imports", "--command", code))
    tables = [Table(round_id, [Seat(token) for token in tokens]) for round_id, tokens in games]
    crowd = Crowd(stack, tables)
    async with AsyncExitStack() as leaving:
        http = await leaving.enter_async_context(httpx.AsyncClient(base_url=stack.address, timeout=30))
        watching = [asyncio.create_task(work) for work in await _watches(http, crowd)]
        await _until(lambda: all(seat.document for table in tables for seat in table.seats))
        await crowd.by_the_clock(http, scale.crowd_seconds)
        await asyncio.sleep(1)
        clocked = replace(crowd, late_seconds=[*crowd.late_seconds])
        await crowd.as_fast_as_told(http, scale.crowd_seconds / 2)
        for task in watching:
            task.cancel()
        await asyncio.gather(*watching, return_exceptions=True)
    return clocked, (crowd.moves - clocked.moves) / (scale.crowd_seconds / 2)


async def _watches(http: httpx.AsyncClient, crowd: Crowd) -> list[Any]:
    works = []
    for table in crowd.tables:
        headers = {"Authorization": f"Bearer {table.seats[0].token}"}
        shown = (await http.get(f"/api/v1/rounds/{table.round_id}", headers=headers)).json()
        works += [crowd.watch(table, seat, shown["stream_url"]) for seat in table.seats]
    return works


async def _until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not holds():
            await asyncio.sleep(0.05)


def _manage(stack: RunningStack, *arguments: str) -> str:
    done = subprocess.run([sys.executable, "manage.py", *arguments], cwd=stack.checkout, env={}, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stdout + done.stderr)
    return done.stdout

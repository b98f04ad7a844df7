"""``python -m tests.e2e.crowd``: many rounds are played by the clock and watched by many; how late is each event?

The players act over HTTP at a fixed rate, whoever is slow. Each round is watched by its player and by auditors. Lateness is from
a step's own time, which is before its commit, until the watcher has read the event; beside it stands the same of the answers that
the players themselves get.
"""

import argparse
import asyncio
import json
import queue
import random
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.client import HTTPConnection
from multiprocessing import get_context
from pathlib import Path
from statistics import quantiles
from typing import Any
from urllib.parse import urlsplit

from tests.e2e.load import chosen
from tests.e2e.stacks import RunningStack, checkout_copied, cleaned, running

AUDITORS_STREAMS = 15
PLAYING_THREADS = 8
PEOPLE = """
import json
from knox.models import AuthToken
from casino.permissions import Role
from games.halls.models import Hall
from tests import playing
hall = Hall.objects.get(code="first")
players = [playing.player(hall, 10**8) for _ in range({players})]
auditors = [playing.user_with(Role.AUDITOR) for _ in range({auditors})]
tokens = [[AuthToken.objects.create(user)[1] for user in users] for users in (players, auditors)]
print(json.dumps([str(hall.public_id), *tokens]))
"""


@dataclass
class Crowd:
    """What was heard: how late each event and answer was once all had come, and which steps each watcher missed."""

    counted_from: float
    late_seconds: list[float] = field(default_factory=list)
    answers_late_seconds: list[float] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)
    moves: int = 0
    streams: int = 0
    cpu_share: float = 0
    """How much of one core the streams' process has used."""

    def summary(self) -> str:
        counts = f"{self.streams} streams at once, {self.moves} moves, {len(self.late_seconds)} events, {len(self.missed)} missed"
        times = f"events {_spread(self.late_seconds)}; answers {_spread(self.answers_late_seconds)}"
        return f"{counts}; {self.cpu_share:.2f} of a core; {times}"


def _spread(seconds: Sequence[float]) -> str:
    cuts = quantiles(seconds, n=1000)
    return ", ".join(f"{name} {cuts[at] * 1e3:.1f} ms" for name, at in (("p50", 499), ("p99", 989), ("p99.9", 998)))


def _late(server_time: str) -> float:
    return (datetime.now(UTC) - datetime.fromisoformat(server_time.removesuffix("Z")).replace(tzinfo=UTC)).total_seconds()


def play(address: str, hall: str, tokens: Sequence[str], rate: float, seconds: float, again: bool, opened: Any) -> None:
    """Act by the clock, each time in the round that has waited longest; say of each round when it opens and how far it went.

    ``again`` lets another round follow each that has ended; else the run ends with the last of them.
    """
    waiting: queue.Queue[tuple[str, Any]] = queue.Queue()
    for token in tokens:
        waiting.put((token, None))
    started = time.monotonic() + 1

    def work(number: int) -> None:
        chance, turn = random.Random(number), number
        with closing(HTTPConnection(urlsplit(address).netloc)) as http:
            while (due := started + turn / rate) < started + seconds:
                time.sleep(max(0.0, due - time.monotonic()))
                try:
                    token, shown = waiting.get(timeout=1)
                except queue.Empty:
                    break
                shown = _moved(http, hall, token, shown, chance, opened)
                if again or shown["status"] == "open":
                    waiting.put((token, shown))
                turn += PLAYING_THREADS

    threads = [threading.Thread(target=work, args=(number,)) for number in range(PLAYING_THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    while not waiting.empty():
        _, shown = waiting.get()
        if shown is not None and shown["status"] == "open":
            opened.put(("left", shown["id"], shown["seq"]))
    opened.put(None)


def _moved(http: HTTPConnection, hall: str, token: str, shown: Any, chance: random.Random, opened: Any) -> Any:
    def post(path: str, body: Any) -> Any:
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        http.request("POST", f"/api/v1{path}", json.dumps(body), headers | {"Idempotency-Key": str(chance.getrandbits(64))})
        answer = http.getresponse()
        content = answer.read()
        assert answer.status < 300, content
        return json.loads(content)

    if shown is None or shown["status"] != "open":
        made = post("/commitments", {"hall_id": hall, "game": "russian_poker"})
        boxes = [{"box": box, "ante_minor": 100, "bonus_minor": 10} for box in (1, 2, 4, 5)]
        body = {"game": "russian_poker", "hall_id": hall, "round_id": made["round_id"], "boxes": boxes}
        shown = post("/rounds", body)
        opened.put(("opened", shown["stream_url"], token))
        return shown
    unhurried = [spec for spec in shown["legal_actions"] if spec["type"] in ("exchange", "sixth_card")]
    offered = chance.choice(unhurried or [spec for spec in shown["legal_actions"] if spec["type"] != "fold"])
    action, _ = chosen(offered, chance)
    shown = post(f"/rounds/{shown['id']}/actions", {"turn": shown["turn"], "action": action})
    opened.put(("acted", _late(shown["server_time"])))
    if shown["status"] != "open":
        opened.put(("left", shown["id"], shown["seq"]))
    return shown


async def watch(crowd: Crowd, url: str, token: str, last: dict[str, int], over: asyncio.Event) -> None:
    """Watch one round to its end, or to the end of all. Events are not parsed: what that takes would count as their lateness."""
    parts = urlsplit(url)
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port, limit=2**20)
    writer.write(f"GET {parts.path} HTTP/1.1\r\nHost: {parts.netloc}\r\nAuthorization: Bearer {token}\r\n\r\n".encode())
    numbers: list[int] = []
    round_id = parts.path.split("/")[-2]
    ending = asyncio.create_task(over.wait())
    while True:
        reading = asyncio.create_task(reader.readuntil(b"\n\n"))
        await asyncio.wait({reading, ending}, return_when=asyncio.FIRST_COMPLETED)
        if not reading.done() or reading.exception():
            reading.cancel()
            break
        event = reading.result()
        if number := re.search(rb"^id: (\d+)$", event, re.M):
            numbers.append(int(number[1]))
            is_counted = b"event: step\n" in event and time.monotonic() > crowd.counted_from
            if is_counted and (at := re.search(rb'"server_time":"([^"]+)Z"', event)):
                crowd.late_seconds.append(_late(at[1].decode()))
        if b"event: end\n" in event:
            break
    ending.cancel()
    writer.close()
    if not numbers or numbers != list(range(numbers[0], last.get(round_id, numbers[-1]) + 1)):
        crowd.missed.append(f"{round_id}: {numbers} of {last.get(round_id)}")


async def gather(stack: RunningStack, *, rounds: int, watchers: int, rate: float, seconds: float, again: bool = True) -> Crowd:
    """Let everybody play and watch."""
    code = PEOPLE.format(players=rounds, auditors=-(-rounds * (watchers - 1) // AUDITORS_STREAMS))
    shell = [sys.executable, "manage.py", "shell", "--no-imports", "--command", code]
    made = subprocess.run(shell, cwd=stack.checkout, env={}, capture_output=True, text=True, check=True)
    hall, players, auditors = json.loads(made.stdout)
    crowd = Crowd(time.monotonic() + 2 * rounds / rate)
    last, over, tasks = dict[str, int](), asyncio.Event(), set[asyncio.Task[None]]()
    processes = get_context("fork")
    opened = processes.Queue()
    playing = processes.Process(target=play, args=(stack.address, hall, players, rate, seconds, again, opened), daemon=True)
    playing.start()
    loop, place = asyncio.get_running_loop(), 0
    while (said := await loop.run_in_executor(None, opened.get)) is not None:
        if said[0] == "left":
            last[said[1]] = said[2]
        if said[0] == "acted" and time.monotonic() > crowd.counted_from:
            crowd.answers_late_seconds.append(said[1])
        if said[0] != "opened":
            continue
        _, url, token = said
        for each in (token, *(auditors[(place + n) % len(auditors)] for n in range(watchers - 1))):
            tasks.add(asyncio.create_task(watch(crowd, url, each, last, over)))
        place += watchers - 1
        crowd.streams = max(crowd.streams, sum(not task.done() for task in tasks))
    used = sum(each.cpu_times().user + each.cpu_times().system for each in stack.part("asgi").children())
    crowd.cpu_share = used / seconds
    await asyncio.sleep(2)
    over.set()
    await asyncio.gather(*tasks)
    crowd.moves = len(crowd.answers_late_seconds)
    return crowd


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.e2e.crowd", description=__doc__)
    parser.add_argument("--rounds", type=int, default=125)
    parser.add_argument("--watchers", type=int, default=4)
    parser.add_argument("--rate", type=float, default=62)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--once", dest="again", action="store_false", help="each player plays one round; its streams stay open")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        checkout = checkout_copied(Path(folder) / "checkout")
        try:
            with running(checkout) as stack:
                crowd = asyncio.run(gather(stack, **vars(arguments)))
        finally:
            cleaned(checkout)
    print("\n".join([crowd.summary(), *crowd.missed]))
    return bool(crowd.missed)


if __name__ == "__main__":
    sys.exit(main())

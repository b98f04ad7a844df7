"""Whole games among bots on a running stack, over HTTP and streams: undisturbed, with parts killed, with silent players."""

import asyncio
import os
import random
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import pytest

from casino.play.bot import Bot, find_hall
from casino.play.client import Client, Document
from casino.play.policies import POLICIES
from games.verify import verify
from tests.architecture.source import ROOT
from tests.e2e.stacks import PATIENCE_SECONDS, RunningStack
from tests.e2e.witness import Person

pytestmark = [pytest.mark.xdist_group("stack")]
PASSWORD = "sits-at-many-tables"
CONVENTIONS: dict[str, dict[str, Any]] = {
    "chinese_poker": {"target": 15, "point_price_minor": 1, "arrange_timeout_seconds": 600, "compare_timeout_seconds": 600},
    "rapira": {"entry_minor": 10, "max_cycles": 2, "hand_timeout_seconds": 600, "bonus_timeout_seconds": 600},
    "ukrainian_poker": {"ante_minor": 10, "bid_timeout_seconds": 600, "play_timeout_seconds": 600},
}
"""With time enough that on no machine anybody is played for who is not silent."""
PARTS = ("casino.wsgi", "casino.asgi", "--queues celery", "celery --app casino beat", "valkey", "postgres")


@dataclass
class Room:
    """The first hall of a stack, and those who serve and audit it."""

    stack: RunningStack
    staff: dict[str, Person]
    hall: Any

    def newcomer(self) -> str:
        """Make a player with money; return the name."""
        name = f"bot-{uuid4().hex[:12]}"
        made = self.staff["admin"].http.post("/users", json={"username": name, "password": PASSWORD, "role": "player"})
        assert made.status_code == 201, made.text
        money = {"hall_id": self.hall["id"], "username": name, "amount_minor": 100_000, "currency": "EUR"}
        paid = self.staff["cashier"].http.post("/deposits", json=money, headers={"Idempotency-Key": name})
        assert paid.status_code == 201, paid.text
        return name

    def check(self, round_id: str) -> Document:
        """The round ended settled, its record verifies offline, and the books balance; return the record."""
        answer = self.staff["auditor"].http.get(f"/rounds/{round_id}/record")
        assert answer.status_code == 200, answer.text
        assert verify(answer.content).status == "settled"
        self.stack.books_reconciled()
        record: Document = answer.json()
        return record


@pytest.fixture(scope="module")
def room(stack: RunningStack) -> Iterator[Room]:
    names = ("admin", "cashier", "auditor")
    with (
        Person.at(stack.address, "admin") as admin,
        Person.at(stack.address, "cashier") as cashier,
        Person.at(stack.address, "auditor") as auditor,
    ):
        people = dict(zip(names, (admin, cashier, auditor), strict=True))
        halls = admin.http.get("/halls").json()["results"]
        yield Room(stack, people, next(hall for hall in halls if hall["code"] == "first"))


async def met(
    room: Room, leaving: AsyncExitStack, names: Sequence[str], game: str, seats: int | None = None, **changes: Any
) -> tuple[list[Bot], Document]:
    """Log bots in and make a table for all of them, or for fewer."""
    bots = []
    for number, name in enumerate(names):
        client = await leaving.enter_async_context(Client(room.stack.address))
        await client.login(name, PASSWORD)
        bots.append(Bot(client, policy=POLICIES["sensible"], chance=random.Random(number)))
    hall = await find_hall(bots[0].client, "first")
    convention = {**CONVENTIONS[game], **changes}
    body = {"game": game, "hall_id": hall["id"], "seats": seats or len(bots), "convention": convention}
    return bots, await bots[0].client.post("tables", body)


async def game_of(room: Room, names: Sequence[str], game: str, beside: Callable[[], Awaitable[None]] | None = None) -> str:
    """Have bots play one game at a table, something else going on beside; return the round's id."""
    async with AsyncExitStack() as leaving:
        bots, table = await met(room, leaving, names, game)
        works = [bot.play_at_table(table, 1) for bot in bots]
        other = asyncio.create_task(beside()) if beside else None
        played = await asyncio.gather(*works)
        if other:
            other.cancel()
        assert len({tuple(rounds) for rounds in played}) == 1
        return played[0][0]


@pytest.mark.parametrize("game", ["chinese_poker", "rapira", pytest.param("ukrainian_poker", marks=pytest.mark.slow)])
def test_four_bots_play_a_whole_game(room: Room, game: str) -> None:
    names = [room.newcomer() for _ in range(4)]
    record = room.check(asyncio.run(game_of(room, names, game)))
    assert record["head"]["game"] == game
    assert len(record["result"]["seats"]) == 4
    assert sum(seat["net_minor"] for seat in record["result"]["seats"]) == 0
    assert {step["origin"] for step in record["steps"]} == {"system", "player"}


def test_bots_that_sit_down_during_others_round_play_the_next_one(room: Room) -> None:
    """Who left plays on beside; nothing but the round's end tells the newcomers that they may be ready."""

    async def play(names: Sequence[str]) -> tuple[str, list[list[str]]]:
        async with AsyncExitStack() as leaving:
            bots, table = await met(room, leaving, names, "rapira", seats=2)
            path, first, (old, new) = f"tables/{table['id']}", table["next_commitment"]["round_id"], (bots[:2], bots[2:])
            for bot in old:
                await bot.client.post(f"{path}/sit", {})
                table = await bot.client.post(f"{path}/ready", {"round_id": first})
            assert table["is_playing"]
            for bot in old:
                await bot.client.post(f"{path}/leave", {})
            waiting = [asyncio.create_task(bot.play_at_table(table, 1)) for bot in new]
            while (await old[0].client.get(path))["free_seats"]:
                await asyncio.sleep(0.1)
            await asyncio.sleep(1)
            await asyncio.gather(*(bot.play_round(first) for bot in old))
            async with asyncio.timeout(45):
                return first, await asyncio.gather(*waiting)

    first, played = asyncio.run(play([room.newcomer() for _ in range(4)]))
    assert played[0] == played[1] != [first]
    for round_id in (first, *played[0]):
        room.check(round_id)


def test_a_bot_plays_against_the_house(room: Room) -> None:
    async def play() -> list[str]:
        async with Client(room.stack.address) as client:
            await client.login(room.newcomer(), PASSWORD)
            bot = Bot(client, policy=POLICIES["random"], chance=random.Random(5))
            return await bot.play_alone(await find_hall(client, "first"), 3)

    for round_id in asyncio.run(play()):
        room.check(round_id)


def test_a_bot_that_waits_tells_the_command_that_another_needs(room: Room) -> None:
    """The second program is the first one's words, with a name and a password."""
    first, second = (room.newcomer() for _ in range(2))
    environment = {**os.environ, "BOT_PASSWORD": PASSWORD}

    async def made() -> Document:
        async with AsyncExitStack() as leaving:
            return (await met(room, leaving, [first], "chinese_poker", seats=2, target=1))[1]

    table = asyncio.run(made())["id"]
    seat = ["--url", room.stack.address, "--username", first, "--game", "chinese_poker", "--table", table]
    command = [sys.executable, "-m", "casino.play.bot", *seat]
    waiting = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    with waiting:
        assert waiting.stderr is not None and waiting.stdout is not None
        assert waiting.stderr.readline() == f"waiting at table {table} for 1 more to sit down, such as by\n"
        told = waiting.stderr.readline().removeprefix("BOT_PASSWORD=… ").replace("NAME", second).split()
        done = subprocess.run(told, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=PATIENCE_SECONDS)
        assert (done.returncode, done.stderr) == (0, "")
        assert waiting.stdout.read() == done.stdout
    assert waiting.returncode == 0
    room.check(done.stdout.strip())


@pytest.mark.slow
def test_a_game_survives_the_death_of_every_part(room: Room, stack: RunningStack) -> None:
    killed = []

    async def kill() -> None:
        for words in PARTS:
            await asyncio.sleep(2)
            stack.part(words).kill()
            killed.append(words)

    names = [room.newcomer() for _ in range(4)]
    record = room.check(asyncio.run(game_of(room, names, "ukrainian_poker", kill)))
    assert killed == list(PARTS)
    assert sum(seat["net_minor"] for seat in record["result"]["seats"]) == 0


@pytest.mark.slow
def test_seats_that_are_silent_are_played_for(room: Room) -> None:
    async def play(names: Sequence[str]) -> str:
        async with AsyncExitStack() as leaving:
            bots, table = await met(room, leaving, names, "rapira", hand_timeout_seconds=1, bonus_timeout_seconds=1)
            path, round_id = f"tables/{table['id']}", table["next_commitment"]["round_id"]
            for bot in bots:
                await bot.client.post(f"{path}/sit", {})
                table = await bot.client.post(f"{path}/ready", {"round_id": round_id})
            assert table["is_playing"]
            await bots[3].client.post(f"{path}/leave", {})
            await asyncio.gather(*(bot.play_round(round_id) for bot in bots[:2]))
            return str(round_id)

    record = room.check(asyncio.run(play([room.newcomer() for _ in range(4)])))
    by_clock = {step["seat"] for step in record["steps"] if step["origin"] == "timeout"}
    assert {2, 3} <= by_clock

"""A bot that plays any of the games through the public API: ``python -m casino.play.bot --help``.

Against the house it opens rounds with the least stake. Among players it takes a seat at a fitting table, or makes one, says that
it is ready, and follows the round by its stream.
"""

import argparse
import asyncio
import os
import sys
from collections.abc import Callable, Sequence
from http import HTTPStatus
from random import Random
from typing import Any

from casino.play.client import Client, Document, Refusal
from casino.play.policies import POLICIES, Policy

OVERTAKEN = frozenset({"turn_already_played", "not_your_turn", "deadline_passed", "round_closed", "turn_not_reached"})
"""Refusals of an action that only say that the round has moved on."""
ALONE = "russian_poker"


class Bot:
    """One player. ``think_seconds`` is the least and the most time it takes for an action; ``say`` hears what it waits for."""

    def __init__(
        self,
        client: Client,
        *,
        policy: Policy,
        chance: Random,
        think_seconds: tuple[float, float] = (0.0, 0.0),
        say: Callable[[str], None] = lambda text: None,
    ) -> None:
        self.client = client
        self.say = say
        self.policy = policy
        self.chance = chance
        self.think_seconds = think_seconds

    async def play_alone(self, hall: Document, games: int) -> list[str]:
        """Play rounds of Russian poker on one box, and return their ids."""
        offer = await self.client.get(f"halls/{hall['id']}/games/{ALONE}")
        boxes = [{"box": 1, "ante_minor": offer["minimum_stakes_minor"]["ante"]}]
        return [await self._round_alone(hall, boxes) for _ in range(games)]

    async def play_at_table(self, table: Document, games: int) -> list[str]:
        """Sit down at a table, play rounds with whoever sits there, get up, and return the rounds' ids."""
        table = await self.client.post(f"tables/{table['id']}/sit", {})
        played: list[str] = []
        while len(played) < games:
            round_id = await self._round_at(table)
            await self.play_round(round_id)
            played.append(round_id)
        await self.client.post(f"tables/{table['id']}/leave", {})
        return played

    async def play_round(self, round_id: str) -> Document:
        """Act in a round whenever it is the bot's turn, until it is over; return it as it ended."""
        document = await self.client.get(f"rounds/{round_id}")
        acted: set[int] = set()
        async for update in self.client.updates(document["stream_url"]):
            document = update.document
            if document["legal_actions"] and document["turn"] not in acted:
                acted.add(document["turn"])
                await self.act(document)
        return document

    async def act(self, document: Document) -> Document | None:
        """Choose and play one action; None when the round has moved on in the meantime."""
        await asyncio.sleep(self.chance.uniform(*self.think_seconds))
        action = self.policy(document, self.chance)
        try:
            return await self.client.post(f"rounds/{document['id']}/actions", {"turn": document["turn"], "action": action})
        except Refusal as refusal:
            if refusal.code not in OVERTAKEN:
                raise
            return None

    async def _round_alone(self, hall: Document, boxes: list[dict[str, Any]]) -> str:
        commitment = await self.client.post("commitments", {"hall_id": hall["id"], "game": ALONE})
        opening = {"game": ALONE, "hall_id": hall["id"], "round_id": commitment["round_id"], "boxes": boxes}
        document = await self.client.post("rounds", opening)
        while document["status"] == "open":
            document = await self.act(document) or await self.client.get(f"rounds/{document['id']}")
        return str(document["id"])

    async def _round_at(self, table: Document) -> str:
        """Wait until all are ready for the table's next round, or find that one is played with the bot in it; return its id."""
        path, said = f"tables/{table['id']}", None
        async for _ in self.client.updates(table["stream_url"]):
            table = await self._ready(await self.client.get(path))
            if table["free_seats"] and table["free_seats"] != said:
                said = table["free_seats"]
                self.say(self._invitation(table))
            if table["is_playing"] and await self._takes_part(table["round_id"]):
                return str(table["round_id"])
        raise ConnectionError("the table has closed")

    def _invitation(self, table: Document) -> str:
        seat = f"--url {self.client.url} --username NAME --game {table['game']} --table {table['id']} --games 1"
        return (
            f"waiting at table {table['id']} for {table['free_seats']} more to sit down, such as by\n"
            f"BOT_PASSWORD=… {sys.executable} -m casino.play.bot {seat}"
        )

    async def _ready(self, table: Document) -> Document:
        commitment = table["next_commitment"]
        if table["is_playing"] or commitment is None:
            return table
        try:
            return await self.client.post(f"tables/{table['id']}/ready", {"round_id": commitment["round_id"]})
        except Refusal as refusal:
            if refusal.code not in ("round_open", "commitment_mismatch"):
                raise
            return await self.client.get(f"tables/{table['id']}")

    async def _takes_part(self, round_id: str) -> bool:
        try:
            return (await self.client.get(f"rounds/{round_id}"))["seat"] is not None
        except Refusal as refusal:
            if refusal.status != HTTPStatus.NOT_FOUND:
                raise
            return False


async def find_hall(client: Client, code: str) -> Document:
    """Find a hall by its code. **Errors** LookupError."""
    halls = (await client.get("halls", page_size=100))["results"]
    found: Document | None = next((hall for hall in halls if hall["code"] == code), None)
    if found is None:
        raise LookupError(f"there is no hall {code}")
    return found


async def make_table(client: Client, hall: Document, game: str, seats: int) -> Document:
    """Make a table with the hall's least stake for a game, and its usual convention."""
    offer = await client.get(f"halls/{hall['id']}/games/{game}")
    ((kind, least),) = offer["minimum_stakes_minor"].items()
    convention = {f"{kind}_minor": least}
    body = {"game": game, "hall_id": hall["id"], "seats": seats, "allows_spectators": True, "convention": convention}
    return await client.post("tables", body)


async def run(arguments: argparse.Namespace, password: str) -> list[str]:
    """Play as the command's arguments say, and return the ids of the rounds."""
    async with Client(arguments.url) as client:
        await client.login(arguments.username, password)
        chance = Random(arguments.seed)
        think = (arguments.think / 2, arguments.think)
        bot = Bot(client, policy=POLICIES[arguments.policy], chance=chance, think_seconds=think, say=_say)
        hall = await find_hall(client, arguments.hall)
        if arguments.game == ALONE:
            return await bot.play_alone(hall, arguments.games)
        return await bot.play_at_table(await _table(client, hall, arguments), arguments.games)


async def seat_kept(client: Client, hall: Document, game: str) -> Document | None:
    """Find an open table where the user sits already, as after a restart."""
    me = (await client.get("me"))["id"]
    tables = (await client.get("tables", hall_id=hall["id"], game=game, page_size=100))["results"]
    found: Document | None = next((table for table in tables if me in [each["player_id"] for each in table["players"]]), None)
    return found


async def _table(client: Client, hall: Document, arguments: argparse.Namespace) -> Document:
    if arguments.table:
        return await client.get(f"tables/{arguments.table}")
    kept = await seat_kept(client, hall, arguments.game)
    if kept is not None:
        return kept
    if not arguments.host:
        try:
            return await client.post("tables/quick-seat", {"hall_id": hall["id"], "game": arguments.game})
        except Refusal as refusal:
            if refusal.code != "no_free_seat":
                raise
    return await make_table(client, hall, arguments.game, arguments.seats)


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def read_arguments(arguments: Sequence[str]) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m casino.play.bot", description=__doc__)
    parser.add_argument("--url", default="http://127.0.0.1:8000", help="where the casino's API is")
    parser.add_argument("--username", required=True, help="a player; the password is read from BOT_PASSWORD")
    parser.add_argument("--game", required=True, help="russian_poker, chinese_poker, ukrainian_poker, rapira, …")
    parser.add_argument("--hall", default="first", help="the hall's code")
    parser.add_argument("--table", help="the id of a table to sit at; by default any that fits, or a new one")
    parser.add_argument("--host", action="store_true", help="make a table and wait there")
    parser.add_argument("--seats", type=int, default=2, help="seats of a table that it makes")
    parser.add_argument("--games", type=int, default=1, help="how many rounds to play")
    parser.add_argument("--policy", choices=sorted(POLICIES), default="sensible", help="how it chooses")
    parser.add_argument("--think", type=float, default=0.0, help="the most seconds that it takes for an action")
    parser.add_argument("--seed", type=int, help="makes its choices repeatable")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str]) -> int:
    """Play, and print the rounds' ids."""
    read = read_arguments(arguments)
    password = os.environ.get("BOT_PASSWORD", "")
    if not password:
        _say("BOT_PASSWORD is not set")
        return 1
    try:
        for round_id in asyncio.run(run(read, password)):
            print(round_id)
    except (Refusal, LookupError, ConnectionError) as error:
        _say(str(error))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

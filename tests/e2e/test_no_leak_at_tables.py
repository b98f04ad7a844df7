"""While rounds are open at tables nothing tells a seat's hidden cards, the decks or the seeds: no other seat, nothing else."""

import random
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import pytest

from casino.play.policies import choose_randomly
from tests.e2e.asking import everything_asked_for
from tests.e2e.leaks import Secret, leaks, secrets_at_table
from tests.e2e.stacks import RunningStack
from tests.e2e.witness import Person, Witness

pytestmark = [pytest.mark.xdist_group("stack")]
STAFF = ("operator", "cashier", "supervisor", "auditor", "admin")
SEATS = 3
MOVES_EACH = {"chinese_poker": 1, "rapira": 2, "ukrainian_poker": 2}
"""So few that no game can end."""
PASSWORD = "keeps-cards-close"
CONVENTIONS: dict[str, dict[str, Any]] = {
    "chinese_poker": {"target": 1000, "point_price_minor": 1, "arrange_timeout_seconds": 600, "compare_timeout_seconds": 600},
    "rapira": {"entry_minor": 10, "hand_timeout_seconds": 600, "bonus_timeout_seconds": 600},
    "ukrainian_poker": {"ante_minor": 10, "bid_timeout_seconds": 600, "play_timeout_seconds": 600},
}


@dataclass
class Seated:
    """A table with an open round: who sits there, in the order of the seats, and how the round stands."""

    players: list[Person]
    shown: Any


@dataclass
class Found:
    """What was taken while the rounds were open, and, known only afterwards, what they hid from whom."""

    taken: dict[str, list[bytes]]
    tables: dict[str, Seated]
    secrets: dict[str, dict[int | None, Secret]]
    records: dict[str, bytes]


def newcomer(leaving: ExitStack, staff: dict[str, Person], address: str, hall: Any) -> Person:
    name = f"leak-{uuid4().hex[:12]}"
    made = staff["admin"].http.post("/users", json={"username": name, "password": PASSWORD, "role": "player"})
    assert made.status_code == 201, made.text
    money = {"hall_id": hall["id"], "username": name, "amount_minor": 100_000, "currency": "EUR"}
    paid = staff["cashier"].http.post("/deposits", json=money, headers={"Idempotency-Key": name})
    assert paid.status_code == 201, paid.text
    return leaving.enter_context(Person.at(address, name, PASSWORD))


def seated(players: list[Person], hall: Any, game: str, chance: random.Random) -> Seated:
    """Sit players down, and let each of them move a few times."""
    terms = {"game": game, "hall_id": hall["id"], "seats": SEATS, "convention": CONVENTIONS[game], "allows_spectators": True}
    table = players[0].http.post("/tables", json=terms, headers={"Idempotency-Key": uuid4().hex}).json()
    path, round_id = f"/tables/{table['id']}", table["next_commitment"]["round_id"]
    for player in players:
        assert player.http.post(f"{path}/sit", json={}).status_code == 200
    for player in players:
        ready = player.http.post(f"{path}/ready", json={"round_id": round_id, "client_seed": player.name})
        assert ready.status_code == 200, ready.text
    for player in players * MOVES_EACH[game] * SEATS:
        shown = player.http.get(f"/rounds/{round_id}").json()
        if shown["legal_actions"] and shown["turn"] < MOVES_EACH[game]:
            body = {"turn": shown["turn"], "action": choose_randomly(shown, chance)}
            assert player.http.post(f"/rounds/{round_id}/actions", json=body).status_code == 200
    places = {player.http.get(f"/rounds/{round_id}").json()["seat"]: player for player in players}
    return Seated([places[seat] for seat in range(SEATS)], players[0].http.get(f"/rounds/{round_id}").json())


@pytest.fixture(scope="module")
def found(stack: RunningStack) -> Iterator[Found]:
    with ExitStack() as leaving:
        staff = {name: leaving.enter_context(Person.at(stack.address, name)) for name in (*STAFF, "")}
        hall = next(hall for hall in staff["admin"].http.get("/halls").json()["results"] if hall["code"] == "first")
        chance = random.Random(7)
        seats = {game: [newcomer(leaving, staff, stack.address, hall) for _ in range(SEATS)] for game in CONVENTIONS}
        spectator = newcomer(leaving, staff, stack.address, hall)
        players = {player.name: player for game in seats.values() for player in game} | {spectator.name: spectator}
        witness = Witness(stack, staff | players)
        with witness.listening():
            tables = {game: seated(there, hall, game, chance) for game, there in seats.items()}
            standing = [table.shown for table in tables.values()]
            everything_asked_for(staff | players, stack.address, standing, players.values())
            for person in (staff | players).values():
                for shown in standing:
                    seen = person.http.get(f"/rounds/{shown['id']}").json()
                    person.watch(shown["stream_url"], seen.get("seq", 1))  # everybody counts what they see
            taken = witness.everything()
        records, secrets = {}, {}
        for game, table in tables.items():
            round_id = table.shown["id"]
            voided = staff["supervisor"].http.post(f"/rounds/{round_id}/void", json={"reason": "seen enough"})
            assert voided.status_code == 200, voided.text
            record = staff["auditor"].http.get(f"/rounds/{round_id}/record")
            last_played = record.json()["steps"][-2]["seq"]
            records[game], secrets[game] = record.content, secrets_at_table(record.json(), last_played)
        yield Found(taken, tables, secrets, records)


def test_nothing_tells_anybody_else_the_decks_or_the_seeds(found: Found) -> None:
    of_players = {f"api as {player.name}" for table in found.tables.values() for player in table.players}
    elsewhere = {place: texts for place, texts in found.taken.items() if place not in of_players}
    assert {
        "api as auditor",
        "api as nobody",
        "valkey messages",
        "table public.rounds_roundstep",
        "log streams.log",
    } <= elsewhere.keys()
    assert leaks(elsewhere, [of_seats[None] for of_seats in found.secrets.values()]) == []


def test_a_seat_is_told_no_order_of_cards_that_it_does_not_see(found: Found) -> None:
    for game, table in found.tables.items():
        for seat, player in enumerate(table.players):
            place = f"api as {player.name}"
            others = [of_seats[None] for other, of_seats in found.secrets.items() if other != game]
            assert leaks({place: found.taken[place]}, [found.secrets[game][seat], *others]) == []


def test_everybody_was_told_of_every_round(found: Found) -> None:
    """A spectator is shown the rounds and their streams; what was searched is not empty."""
    for table in found.tables.values():
        assert table.shown["status"] == "open"
        for place in ("api as auditor", f"api as {table.players[0].name}", "valkey messages"):
            assert any(table.shown["id"].encode() in text for text in found.taken[place])


@pytest.mark.parametrize("game", CONVENTIONS)
def test_control_the_public_record_would_be_a_leak(found: Found, game: str) -> None:
    """Seed and order are found once they are there: the record of a closed round has the one, a deck laid open the other."""
    secret = found.secrets[game][None]
    assert leaks({"record": [found.records[game]]}, [secret])
    (run, *_) = secret.runs
    laid = ",".join(card.text for card in run).encode()
    assert leaks({"log": [laid]}, [secret])

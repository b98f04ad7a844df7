"""While rounds are open nothing that leaves the service, or is stored anywhere, tells their seeds or hidden cards."""

import base64
import json
import random
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import celery
import pytest

from casino.embedded.postgres import Postgres
from casino.embedded.secrets import DATABASE
from casino.embedded.valkey import Valkey
from games.core.shuffle import commitment
from tests.e2e.asking import everything_asked_for
from tests.e2e.leaks import Secret, hidden_cards, leaks, secret_of, shown_cards
from tests.e2e.stacks import RunningStack, wait_until
from tests.e2e.witness import GAME, Heard, Person, Witness

pytestmark = [pytest.mark.xdist_group("stack")]
ROLES = ("player", "player2", "operator", "cashier", "supervisor", "auditor", "admin")
PHASES = ("deciding", "insuring", "buying")
SWEEPS_SEEN = 2
MONEY_MINOR = 100_000_000


def mistakes_made(people: dict[str, Person], standing: list[Any], halls: list[Any]) -> None:
    """Call forth every kind of refusal about the open rounds."""
    for shown in standing:
        path = f"/rounds/{shown['id']}"
        turn = shown["turn"]
        bodies: list[Any] = [
            {"turn": turn, "action": {"type": "exchange", "box": 5, "cards": ["As"]}},
            {"turn": turn, "action": {"type": "bet", "box": 9}},
            {"turn": turn, "action": {"type": "no_such_action"}},
            {"turn": turn + 1, "action": {"type": "open_dealer"}},
            {"turn": 0, "action": {"type": "open_dealer"}},
            {"turn": 1, "action": {"type": "fold", "box": 5}},
            [],
        ]
        for person in (people[name] for name in ("player", "player2", "auditor", "")):
            for body in bodies:
                person.http.post(f"{path}/actions", json=body)
            person.http.post(f"{path}/actions", content=b'{"turn": NaN', headers={"Content-Type": "application/json"})
            person.http.get(f"{path}/record")
            person.http.post(f"/commitments/{shown['id']}/discard", json={"reason": "x"})
            person.http.post(f"{path}/void", json={"reason": ""})
            for hall in halls:
                body = {"game": GAME, "hall_id": hall["id"], "round_id": shown["id"], "boxes": [{"box": 1, "ante_minor": 2500}]}
                person.http.post("/rounds", json=body, headers={"Idempotency-Key": uuid4().hex})


@dataclass
class Found:
    """What was taken while rounds were open, and, known only afterwards, what they hid."""

    taken: dict[str, list[bytes]]
    with_planted: dict[str, list[bytes]]
    standing: list[Any]
    heard: list[Heard]
    secrets: list[Secret]
    hidden: dict[str, set[str]]


PLANTED_LOG = """
import structlog
structlog.get_logger("planted").warning("dealt", deck={deck!r})
"""
STATE = """
import json
from games.rounds import cipher
from games.rounds.models import Round
row = Round.objects.get(commitment_id="{round_id}")
print(json.dumps(cipher.unseal(row.public_id, f"state {{row.seq}}", row.state_secret)["state"]))
"""


@contextmanager
def planted(witness: Witness, round_id: str) -> Iterator[None]:
    """Let the service leak one round everywhere: in a log, a task, a key and a table."""
    state = json.loads(witness.shell(STATE.format(round_id=round_id)))
    seed = bytes.fromhex(state["seed"]["server_seed"])
    cards = [state["deck"][at : at + 2] for at in range(0, len(state["deck"]), 2)]
    witness.shell(PLANTED_LOG.format(deck=cards))
    with celery.Celery(broker=Valkey(witness.folders).url) as app:
        app.send_task("planted", kwargs={"seed": list(seed)}, queue="planted")
    with closing(witness.valkey()) as client:
        client.hset("planted", "state", base64.b64encode(json.dumps(state).encode()))
    person = witness.people["player"]
    person.heard.append(Heard(f"/api/v1/rounds/{round_id}", 200, b"json", json.dumps({"dealer": cards[0]}).encode()))
    with Postgres(witness.folders).connect(DATABASE) as connection:
        connection.execute("CREATE TABLE planted AS SELECT %b::bytea AS seed, %s AS state", [seed, json.dumps(state)])
        try:
            yield
        finally:
            connection.execute("DROP TABLE planted")
            person.heard.pop()


@pytest.fixture(scope="module")
def found(stack: RunningStack) -> Iterator[Found]:
    with ExitStack() as leaving:
        people = {name: leaving.enter_context(Person.at(stack.address, name)) for name in (*ROLES, "")}
        yield found_by(stack, people, random.Random(5))


def found_by(stack: RunningStack, people: dict[str, Person], chance: random.Random) -> Found:
    """Let rounds stand open, take everything, plant leaks and take everything again, and close the rounds."""
    halls = people["admin"].http.get("/halls").json()["results"]
    money = {"hall_id": halls[0]["id"], "username": "player", "amount_minor": MONEY_MINOR, "currency": "EUR"}
    paid = people["cashier"].http.post("/deposits", json=money, headers={"Idempotency-Key": uuid4().hex})
    assert paid.status_code == 201, paid.text
    witness = Witness(stack, people)
    player = people["player"]
    agreed = {"game": "ukrainian_poker", "hall_id": halls[-1]["id"], "seats": 2, "convention": {"ante_minor": 100}}
    made = [
        player.http.post("/tables", json={**agreed, "hall_id": hall["id"]}, headers={"Idempotency-Key": uuid4().hex})
        for hall in halls
    ]
    assert 201 in [each.status_code for each in made]
    with witness.listening():
        standing = [player.open_until(hall, phase, chance) for hall, phase in zip(halls, PHASES, strict=True)]
        everything_asked_for(people, stack.address, standing)
        for person in people.values():
            for shown in standing:
                person.watch(shown["stream_url"], shown["seq"])
        mistakes_made(people, standing, halls)
        sweeps = lambda: sum(b"deadlines_expire" in message for message in witness.messages)  # noqa: E731
        until = sweeps() + SWEEPS_SEEN
        wait_until(lambda: sweeps() >= until, stack.said)
        taken = witness.everything()
        heard = [each for person in people.values() for each in person.heard]
        with planted(witness, standing[0]["id"]):
            with_planted = witness.everything()
            heard_planted = people["player"].heard[-1]
    secrets, hidden = [], {}
    for shown in standing:
        secrets += closed(player, shown, chance)
        record = player.http.get(f"/rounds/{shown['id']}/record").json()
        hidden[shown["id"]] = hidden_cards(record, shown["seq"])
    return Found(taken, with_planted, standing, [*heard, heard_planted], secrets, hidden)


def closed(player: Person, shown: Any, chance: random.Random) -> Iterator[Secret]:
    """Play a round to its end and discard the next one's commitment; tell what was hidden then."""
    standing_seq, following = shown["seq"], shown["next_commitment"]
    while shown["status"] == "open":
        shown = player.act(shown, chance)
    record = player.http.get(f"/rounds/{shown['id']}/record").json()
    assert commitment(bytes.fromhex(record["server_seed"])) == record["head"]["seed_hash"]
    yield secret_of(record, standing_seq)
    discarded = player.http.post(f"/commitments/{following['round_id']}/discard", json={"reason": "to see its seed"}).json()
    seed = bytes.fromhex(discarded["server_seed"])
    assert commitment(seed) == following["seed_hash"]
    yield Secret(following["round_id"], seed)


def hidden_cards_named(heard: list[Heard], hidden: dict[str, set[str]]) -> list[str]:
    """Find answers about a round that name a card which was hidden when the round stood still."""
    named = []
    for answer in heard:
        for round_id, cards in hidden.items():
            if round_id in answer.path and b"json" in answer.head and (shown := shown_cards(json.loads(answer.body)) & cards):
                named.append(f"{answer.path}: {sorted(shown)}")
    return named


def test_nothing_tells_the_seed_or_the_order_of_hidden_cards(found: Found) -> None:
    assert leaks(found.taken, found.secrets) == []


def test_all_that_can_be_got_hold_of_was_searched(found: Found) -> None:
    """The places are there, and what is public of the open rounds was found in each that should know of it."""
    hashes = {shown["seed_hash"].encode() for shown in found.standing}
    places = {place: b"\n".join(texts) for place, texts in found.taken.items()}
    knows_hashes = {place for place, text in places.items() if all(each in text for each in hashes)}
    assert {"api as auditor", "table public.rounds_commitment", "table public.rounds_round"} <= knows_hashes
    assert any(shown["id"].encode() in places["log web.log"] for shown in found.standing)
    assert b"deadlines_expire" in places["valkey messages"]
    assert all(f"round {shown['id']} {shown['seq']}".encode() in places["valkey messages"] for shown in found.standing)
    streamed = {answer.path for answer in found.heard if b"event: json" in answer.head}
    assert streamed == {f"/api/v1/rounds/{shown['id']}/stream" for shown in found.standing}
    assert {
        "log streams.log",
        "log worker.log",
        "log audit.log",
        "log beat.log",
        "log postgres-stack.log",
        "log valkey-stack.log",
    } <= places.keys()
    assert {shown["view"]["phase"] for shown in found.standing} == set(PHASES)
    statuses = {answer.status for answer in found.heard}
    assert {400, 401, 403, 404, 409, 422} <= statuses


def test_no_answer_about_an_open_round_names_a_hidden_card(found: Found) -> None:
    assert hidden_cards_named(found.heard[:-1], found.hidden) == []


def test_control_every_planted_leak_is_found(found: Found) -> None:
    planted_round = found.standing[0]["id"]
    places = {line.partition(": ")[0] for line in leaks(found.with_planted, found.secrets[:1])}
    assert places == {"log shell.log", "valkey messages", "valkey keys", "table public.planted"}
    (named,) = hidden_cards_named(found.heard, found.hidden)
    assert planted_round in named

"""Nothing is lost and nothing doubled when parts are killed under load, when answers are lost, and when sweeps go astray."""

import random
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any
from uuid import uuid4

import httpx
import psutil
import psycopg
import pytest

from casino.embedded.postgres import Postgres
from casino.embedded.secrets import DATABASE
from tests.e2e.cutting import CuttingProxy, cutting
from tests.e2e.drill import Drill, deviations, drill
from tests.e2e.faults import FAULTS, endured
from tests.e2e.load import GAME, Client
from tests.e2e.stacks import RunningStack, checkout_copied, cleaned, running

pytestmark = [pytest.mark.xdist_group("stack")]


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningStack]:
    checkout = checkout_copied(tmp_path_factory.mktemp("drilled") / "checkout")
    with running(checkout) as started:
        yield started
    cleaned(checkout)


@pytest.fixture(scope="module")
def drilled(stack: RunningStack) -> Iterator[Drill]:
    """People who have been through every fault."""
    with drill(stack, players=3, seed=1) as at_work:
        endured(at_work)
        yield at_work


def test_after_every_fault_no_stake_is_lost_or_doubled_and_every_round_closed(drilled: Drill) -> None:
    assert deviations(drilled) == []
    assert sum(player.timed_out for player in drilled.players) > 0
    assert sum(player.client.retries for player in drilled.players) > 0
    assert drilled.proxy.compared > 0
    assert drilled.answers > 25 * len(FAULTS)


@pytest.mark.slow
def test_faults_for_five_minutes(stack: RunningStack) -> None:
    with drill(stack, players=6, seed=2) as at_work:
        endured(at_work, seconds=300)
        assert deviations(at_work) == []


def database(drilled: Drill) -> psycopg.Connection[Any]:
    """Connect as one who can do what no trigger allows."""
    connection = Postgres(drilled.folders).connect(DATABASE)
    connection.execute("SET session_replication_role = replica")
    return connection


@contextmanager
def planted(drilled: Drill, *statements: str, undone: str) -> Iterator[None]:
    with database(drilled) as connection:
        try:
            for statement in statements:
                connection.execute(statement)
            yield
        finally:
            connection.execute(undone)


def test_control_a_lost_stake_is_found(drilled: Drill) -> None:
    lost = "SELECT id FROM wallets_transfer WHERE code = 'hold.ante' ORDER BY id LIMIT 1"
    with planted(
        drilled,
        f"CREATE TABLE lost AS SELECT * FROM wallets_transfer WHERE id = ({lost})",
        "DELETE FROM wallets_transfer WHERE id IN (SELECT id FROM lost)",
        undone="INSERT INTO wallets_transfer SELECT * FROM lost; DROP TABLE lost",
    ):
        found = "\n".join(deviations(drilled))
        assert "reconcile: " in found
        assert "round_replay --all: " in found
        assert "its transfers deviate in" in found


def test_control_a_balance_that_nobody_paid_is_found(drilled: Drill) -> None:
    account = "SELECT a.id FROM wallets_account a JOIN users_user u ON u.id = a.user_id WHERE u.username = 'drill-1-1'"
    change = f"UPDATE wallets_account SET balance_minor = balance_minor {{}} 1 WHERE id = ({account})"
    with planted(drilled, change.format("-"), undone=change.format("+")):
        found = "\n".join(deviations(drilled))
        assert "reconcile: " in found
        assert "the player knows" in found


def test_control_a_payment_that_was_made_twice_is_found_though_the_ledger_is_whole(drilled: Drill) -> None:
    drilled.counter.pay(7)
    drilled.counter.balance_minor -= 7  # as if the client had been told of one payment, and the server had made two
    try:
        (found,) = deviations(drilled)
        assert "payments expected" in found
    finally:
        drilled.counter.balance_minor += 7


@pytest.fixture
def proxy(stack: RunningStack) -> Iterator[CuttingProxy]:
    with cutting(stack.address) as started:
        yield started


def lost_then_repeated(proxy: CuttingProxy, client: Client, path: str, body: Any, key: str | None) -> httpx.Response:
    """Send a request whose answer is lost after the commit, and then the same one again."""
    headers = {"Idempotency-Key": key} if key else {}
    proxy.cut_next()
    with pytest.raises(httpx.RemoteProtocolError):
        client.http.post(path, json=body, headers=headers)
    again = client.http.post(path, json=body, headers=headers)
    lost = proxy.swallowed[-1]
    assert lost.status in (200, 201), lost
    assert (again.status_code, again.content) == (lost.status, lost.body)
    assert again.headers.get("Idempotency-Replayed") == ("true" if key else None)
    return again


def opening(client: Client, hall: str) -> dict[str, Any]:
    made = client.post("/commitments", {"hall_id": hall, "game": GAME})
    boxes = [{"box": box, "ante_minor": 100} for box in (1, 2)]
    return {"game": GAME, "hall_id": hall, "round_id": made["round_id"], "boxes": boxes}


@pytest.fixture
def person(stack: RunningStack, proxy: CuttingProxy) -> Iterator[Callable[[str], Client]]:
    with ExitStack() as leaving:
        yield lambda name: leaving.enter_context(closing(Client(proxy.address, name, f"{name}-demo", stack.address)))


def hall_of(client: Client, code: str) -> str:
    (found,) = [hall["id"] for hall in client.get("/halls")["results"] if hall["code"] == code]
    return str(found)


def test_an_answer_lost_after_the_commit_is_given_again_byte_for_byte(
    proxy: CuttingProxy, person: Callable[[str], Client]
) -> None:
    player, supervisor = person("player"), person("supervisor")
    hall = hall_of(player, "second")
    before = player.get("/accounts")["results"][0]["available_minor"]
    body = opening(player, hall)
    key = uuid4().hex
    opened = lost_then_repeated(proxy, player, "/rounds", body, key)
    path = f"/rounds/{body['round_id']}"
    actions = [{"turn": 1, "action": {"type": "fold", "box": 1}}, {"turn": 2, "action": {"type": "sixth_card", "box": 2}}]
    by_turn = lost_then_repeated(proxy, player, f"{path}/actions", actions[0], None)
    by_key = lost_then_repeated(proxy, player, f"{path}/actions", actions[1], uuid4().hex)
    voided = lost_then_repeated(proxy, supervisor, f"{path}/void", {"reason": "drill"}, uuid4().hex)
    assert voided.json()["status"] == "voided"
    assert player.get("/accounts")["results"][0]["available_minor"] == before
    # However late, and whatever has happened since.
    assert player.http.post("/rounds", json=body, headers={"Idempotency-Key": key}).content == opened.content
    assert player.http.post(f"{path}/actions", json=actions[0]).content == by_turn.content
    assert player.http.post(f"{path}/actions", json=actions[1]).content == by_key.content


def test_a_payment_whose_answer_was_lost_is_made_once(proxy: CuttingProxy, person: Callable[[str], Client]) -> None:
    player, cashier = person("player2"), person("cashier")
    before = player.get("/accounts")["results"][0]["available_minor"]
    body = {"hall_id": hall_of(player, "first"), "username": "player2", "amount_minor": 300, "currency": "EUR"}
    lost_then_repeated(proxy, cashier, "/deposits", body, uuid4().hex)
    lost_then_repeated(proxy, cashier, "/withdrawals", {**body, "amount_minor": 100}, uuid4().hex)
    assert player.get("/accounts")["results"][0]["available_minor"] == before + 200


def test_a_discarded_commitment_whose_answer_was_lost_is_discarded_once(
    proxy: CuttingProxy, person: Callable[[str], Client]
) -> None:
    player = person("player2")
    body = {"hall_id": hall_of(player, "vip"), "game": GAME}
    made = lost_then_repeated(proxy, player, "/commitments", body, uuid4().hex).json()
    path = f"/commitments/{made['round_id']}/discard"
    discarded = lost_then_repeated(proxy, player, path, {"reason": "drill"}, uuid4().hex).json()
    assert discarded["next_commitment"] in player.get("/commitments")["results"]


def workers_killed(stack: RunningStack) -> None:
    for worker in stack.part("wsgi").children():
        with suppress(psutil.NoSuchProcess):  # it is being replaced since the last time
            worker.kill()


@pytest.mark.parametrize("times", [2, pytest.param(20, marks=pytest.mark.slow)])
def test_a_web_server_killed_inside_voids_leaves_all_or_nothing(
    stack: RunningStack, person: Callable[[str], Client], times: int
) -> None:
    player, supervisor, auditor = person("player"), person("supervisor"), person("auditor")
    hall, chance = hall_of(player, "second"), random.Random(3)
    before = player.get("/accounts")["results"][0]["available_minor"]
    for _ in range(times):
        round_id = player.post("/rounds", opening(player, hall), 201)["id"]
        killer = threading.Timer(chance.uniform(0.0, 0.05), workers_killed, [stack])
        killer.start()
        shown = supervisor.post(f"/rounds/{round_id}/void", {"reason": "drill"}, 200)
        killer.join()
        seat = shown["seats"][0]
        assert (shown["status"], seat["returned_minor"], seat["held_minor"]) == ("voided", seat["staked_minor"], 0)
        assert player.get("/accounts")["results"][0]["available_minor"] == before
        assert auditor.get(f"/audit/rounds/{round_id}/replay")["clean"]
    stack.books_reconciled()


def test_control_the_proxy_notices_an_answer_that_is_not_the_first() -> None:
    class Forgetful(BaseHTTPRequestHandler):
        given = 0

        def do_POST(self) -> None:
            Forgetful.given += 1
            self.send_response_only(200)
            self.end_headers()
            self.wfile.write(b"%d" % Forgetful.given)

    with HTTPServer(("127.0.0.1", 0), Forgetful) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        with cutting(f"http://127.0.0.1:{server.server_address[1]}") as proxy, httpx.Client(base_url=proxy.address) as client:
            proxy.cut_next()
            with pytest.raises(httpx.RemoteProtocolError):
                client.post("/payments")
            client.post("/payments")
        server.shutdown()
    assert len(proxy.differences) == 1

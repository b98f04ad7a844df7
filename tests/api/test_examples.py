"""The reference's examples are what the service answered when this scenario was last recorded.

``EXAMPLES=write pytest tests/api/test_examples.py`` records it again; ids, times and cards are different each time.
"""

import json
import os
import re
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest

from audit.fairness.services import fairness_run
from audit.findings import Severity, finding_raise
from audit.reports.services import report_store
from audit.seals.services import seal_make
from casino.api.document import EXAMPLES
from casino.db import now
from casino.permissions import Role
from casino.users.services import user_create
from games.engines import current_engine
from tests.architecture.source import ROOT
from tests.contract import JSON, Operation, operation_of, operations
from tests.report_builders import yesterday
from tests.user_builders import client

PASSWORD = "a-long-enough-password"
GAME, GAME_AT_TABLES = "russian_poker", "ukrainian_poker"


class Recorder:
    """Talks to the API for several users and keeps the first exchange of each operation."""

    def __init__(self) -> None:
        self.examples: dict[str, dict[str, Any]] = {}
        self.tokens: dict[str, str] = {}

    def call(self, who: str, method: str, path: str, body: Any = None, **headers: str) -> Any:
        caller = client()
        if who:
            caller.credentials(HTTP_AUTHORIZATION=f"Bearer {self.tokens[who]}")
        answer = caller.generic(method, f"/api/v1/{path}", json.dumps(body) if body is not None else "", JSON, headers=headers)
        assert answer.status_code < 300, answer.content
        operation = operation_of(answer.resolver_match, method)
        assert operation is not None, path
        is_json = answer.headers.get("Content-Type") == JSON
        shown = json.loads(answer.content) if is_json else answer.getvalue().decode() or None
        example = {"request": body, "status": str(answer.status_code), "response": shown}
        self.examples.setdefault(operation.id, {name: value for name, value in example.items() if value is not None})
        return {**shown, "etag": answer.headers["ETag"]} if "ETag" in answer.headers else shown

    def get(self, who: str, path: str) -> Any:
        return self.call(who, "GET", path)

    def post(self, who: str, path: str, body: Any, **headers: str) -> Any:
        return self.call(who, "POST", path, body, **{"Idempotency-Key": uuid4().hex}, **headers)

    def log_in(self, who: str) -> None:
        self.tokens[who] = self.post("", "auth/login", {"username": who, "password": PASSWORD})["token"]

    def change_hall(self, path: str, body: Any) -> Any:
        """Change the hall as the admin sees it now."""
        hall = re.match(r"halls/[^/]+", path)
        assert hall is not None
        return self.post("admin", path, body, **{"If-Match": self.get("admin", hall[0])["etag"]})


def users_met(api: Recorder) -> str:
    """Create, change and look at users; hand back the player's id."""
    user_create(actor=None, username="admin", password=PASSWORD, role=Role.ADMIN)
    api.log_in("admin")
    player = api.post("admin", "users", {"username": "player", "password": PASSWORD, "role": "player"})
    api.get("admin", "users")
    api.get("admin", f"users/{player['id']}")
    api.post("admin", f"users/{player['id']}/disable", {"reason": "asked for a pause"})
    api.post("admin", f"users/{player['id']}/enable", {"reason": "the pause is over"})
    api.log_in("player")
    api.get("player", "me")
    api.call("player", "POST", "me/password", {"current_password": PASSWORD, "new_password": f"{PASSWORD}-2"})
    for name in ("cashier", "supervisor", "auditor"):
        api.post("admin", "users", {"username": name, "password": PASSWORD})
        if name != "cashier":
            user = api.get("admin", f"users?username={name}")["results"][0]
            api.post("admin", f"users/{user['id']}/grant-role", {"role": name, "reason": "new in the team"})
        api.log_in(name)
    return str(player["id"])


def hall_made(api: Recorder, cashier: str) -> str:
    """Create, fill, change, close and open a hall with its cashier; hand back its id."""
    made = {"code": "garden", "name": "Garden hall", "currency": "EUR", "time_zone": "Europe/Vienna", "reason": "a new room"}
    path = f"halls/{api.post('admin', 'halls', made)['id']}"
    api.get("admin", "halls")
    etag = api.get("admin", path)["etag"]
    api.call("admin", "PATCH", path, {"name": "The garden hall", "reason": "as on its door"}, **{"If-Match": etag})
    engine, at_tables = current_engine(GAME), current_engine(GAME_AT_TABLES)
    for terms, data in (("limit-sets", at_tables.default_limits["first"]), ("pay-tables", at_tables.default_pay_table)):
        api.change_hall(f"{path}/games/{GAME_AT_TABLES}/{terms}", {"data": data, "reason": "as in the document"})
    for terms, data in (("limit-sets", engine.default_limits["first"]), ("pay-tables", engine.default_pay_table)):
        history = f"{path}/games/{GAME}/{terms}"
        api.change_hall(history, {"data": data, "reason": "as in the document"})
        tomorrow = (now() + timedelta(days=1)).isoformat()
        scheduled = api.change_hall(history, {"data": data, "effective_at": tomorrow, "reason": "for the weekend"})
        api.change_hall(f"{history}/{scheduled['id']}/withdraw", {"reason": "not this weekend"})
        api.get("admin", history)
        if terms == "pay-tables":
            api.get("admin", f"{history}/{scheduled['id']}/figures")
    api.get("admin", f"{path}/edge-bands")
    api.change_hall(f"{path}/open", {"reason": "opening night"})
    api.change_hall(f"{path}/close", {"reason": "end of the night"})
    api.change_hall(f"{path}/open", {"reason": "the next night"})
    api.get("admin", f"{path}/games")
    api.get("admin", f"{path}/games/{GAME}")
    grant = {"role": "cashier", "hall_id": path.removeprefix("halls/"), "reason": "works there"}
    api.post("admin", f"users/{cashier}/grant-role", grant)
    api.post("admin", f"users/{cashier}/revoke-role", grant)
    api.post("admin", f"users/{cashier}/grant-role", grant)
    return path.removeprefix("halls/")


def money_moved(api: Recorder, hall: str, player: str) -> None:
    """Pay in, put a slip right, pay out."""
    over_the_counter = {"hall_id": hall, "player_id": player, "currency": "EUR"}
    api.post("cashier", "deposits", {**over_the_counter, "amount_minor": 50_000, "reference": "receipt 1041"})
    slip = api.post("cashier", "deposits", {**over_the_counter, "amount_minor": 5_000_000, "reference": "receipt 1042"})
    api.post("cashier", f"transfers/{slip['id']}/reversal", {"reason": "50 000.00 instead of 50.00"})
    api.post("cashier", "withdrawals", {**over_the_counter, "amount_minor": 10_000, "reference": "receipt 1043"})
    api.get("cashier", f"players/{player}/accounts")
    account = api.get("player", "accounts")["results"][0]
    api.get("player", f"accounts/{account['id']}/transfers?page_size=2")


def rounds_played(api: Recorder, hall: str) -> None:
    """Play a round to its end, look at it in every way, and have another one annulled."""
    next_one = {"hall_id": hall, "game": GAME}
    first = api.post("player", "commitments", next_one)
    api.get("player", "commitments")
    committed = api.post("player", f"commitments/{first['round_id']}/discard", {"reason": "I want another one"})[
        "next_commitment"
    ]
    opening = {**next_one, "round_id": committed["round_id"], "client_seed": "my own luck"}
    opening["boxes"] = [{"box": 3, "ante_minor": 100, "bonus_minor": 10}]
    shown = api.post("player", "rounds", opening)
    path = f"rounds/{shown['id']}"
    api.get("player", path)
    action = {"type": "bet", "box": 3}
    while shown["status"] == "open":
        shown = api.post("player", f"{path}/actions", {"turn": shown["turn"], "action": action})
        action = {"type": shown["legal_actions"][-1]["type"]} if shown["legal_actions"] else {}
    for suffix in ("steps", "record", f"stream?last_event_id={shown['seq'] - 1}"):
        api.get("player", f"{path}/{suffix}")
    api.get("player", "rounds")
    api.get("player", f"rounds/last-opening?hall_id={hall}&game={GAME}")
    opening["round_id"] = shown["next_commitment"]["round_id"]
    annulled = api.post("player", "rounds", opening)
    api.post("supervisor", f"rounds/{annulled['id']}/void", {"reason": "the table's screen broke"})
    api.get("auditor", f"audit/rounds/{shown['id']}/replay")
    look_into(api, shown["id"])
    (script,) = re.findall(r"^## A script$.*?```json\n(.*?)```", (ROOT / "docs" / "sandbox.md").read_text(), re.M | re.S)
    api.post("player", "sandbox", json.loads(script))


def look_into(api: Recorder, round_id: str) -> None:
    """Look at a closed round step by step, play it otherwise, and export it."""
    path = f"audit/rounds/{round_id}"
    api.get("auditor", path)
    api.get("auditor", f"{path}/steps?page_size=1")
    api.post("auditor", f"{path}/what-if", {"from_seq": 1, "actions": [{"seat": 0, "type": "fold", "box": 3}], "finish": True})
    api.get("auditor", "audit/rounds/export?format=jsonl&game=rapira")
    export = api.get("auditor", "audit/exports")["results"][0]
    api.get("auditor", f"audit/exports/{export['id']}")


def table_played_at(api: Recorder, hall: str) -> None:
    """Make a table, meet another player there, begin a round, get up; and close another table."""
    guest = api.post("admin", "users", {"username": "guest", "password": PASSWORD, "role": "player"})
    api.log_in("guest")
    over_the_counter = {"hall_id": hall, "player_id": guest["id"], "currency": "EUR", "reference": "receipt 1044"}
    api.post("cashier", "deposits", {**over_the_counter, "amount_minor": 20_000})
    made = {"hall_id": hall, "game": GAME_AT_TABLES, "seats": 2, "convention": {"ante_minor": 100}}
    path = f"tables/{api.post('player', 'tables', made)['id']}"
    api.post("player", f"{path}/sit", {"seat": 0})
    seated = api.post("guest", "tables/quick-seat", {"hall_id": hall, "game": GAME_AT_TABLES, "stake_to_minor": 500})
    api.get("player", f"{path}/stream?last_event_id=1")
    api.get("player", f"tables?hall_id={hall}&game={GAME_AT_TABLES}")
    round_id = seated["next_commitment"]["round_id"]
    for who in ("player", "guest"):
        api.post(who, f"{path}/ready", {"round_id": round_id, "client_seed": f"the {who}'s luck"})
    api.get("player", path)
    api.get("player", f"rounds/{round_id}")
    api.post("guest", f"{path}/leave", {})
    api.get("player", f"{path}/events?page_size=4")
    other = api.post("player", "tables", made)
    api.post("admin", f"tables/{other['id']}/close", {"reason": "the hall closes early today"})


def seals_read(api: Recorder) -> None:
    """Seal what was played, and have it proven."""
    seal_make()
    api.get("auditor", "audit/seals")
    api.get("auditor", "audit/seals/consistency")
    api.get("auditor", "audit/seals/export")
    settled = next(each for each in api.get("player", "rounds")["results"] if each["status"] == "settled")
    api.get("player", f"audit/rounds/{settled['id']}/inclusion")
    account = api.get("player", "accounts")["results"][0]
    transfer = api.get("player", f"accounts/{account['id']}/transfers")["results"][-1]
    api.get("player", f"audit/transfers/{transfer['id']}/inclusion")


def finding_met(api: Recorder) -> None:
    """Come upon a finding, look into it, and say what it came to."""
    evidence = {"rows": [{"table": "wallets_account", "key": "7", "expected": "500", "found": "501"}], "rows_in_all": 1}
    check = "account_balance_is_the_sum_of_its_transfers"
    finding_raise(check=check, severity=Severity.CRITICAL, subject=("wallets.account", uuid4()), evidence=evidence)
    api.get("auditor", "audit/reconciliation")
    (found,) = api.get("auditor", "audit/findings?status=open")["results"]
    path = f"audit/findings/{found['id']}"
    api.get("auditor", path)
    api.post("auditor", f"{path}/own", {})
    api.post("auditor", f"{path}/resolve", {"resolution": "Changed by hand in the drill of today; the copy has been dropped."})


def reports_read(api: Recorder, hall: str) -> None:
    """Ask for a report in both formats, and look at one that is kept."""
    asked = f"?hall_id={hall}&month={now():%Y-%m}"
    api.get("auditor", f"reports/game_performance{asked}")
    api.get("auditor", f"reports/rake/csv{asked}")
    report_store(name="liability", hall=None, period=yesterday(), reason="The report of the day.")
    kept = api.get("auditor", "stored-reports")["results"][0]["id"]
    for suffix in ("", "/document", "/csv"):
        api.get("auditor", f"stored-reports/{kept}{suffix}")


def recorded() -> dict[str, Any]:
    """Run the scenario and hand back an example of every operation."""
    api = Recorder()
    player = users_met(api)
    cashier = api.get("admin", "users?username=cashier")["results"][0]["id"]
    hall = hall_made(api, cashier)
    money_moved(api, hall, player)
    rounds_played(api, hall)
    table_played_at(api, hall)
    api.get("auditor", "audit/records?page_size=2")
    api.post("auditor", "audit/manifest/checks", {})
    api.get("auditor", "audit/manifest/checks?page_size=1")
    api.get("auditor", "audit/manifest")
    api.get("auditor", "audit/sightings?page_size=2")
    seals_read(api)
    finding_met(api)
    reports_read(api, hall)
    fairness_run(pack="seats-3", count=2_000, seed="example")
    run = api.get("auditor", "audit/fairness-runs?page_size=1")["results"][0]
    api.get("auditor", f"audit/fairness-runs/{run['id']}")
    api.get("auditor", "audit/returns?window=30_days&with_today=true")
    api.post("player", "auth/logout", {})
    api.post("supervisor", "auth/logout-all", {})
    return dict(sorted(api.examples.items()))


def test_the_scenario_meets_every_operation(db: None) -> None:
    examples = recorded()
    assert set(examples) == set(operations())
    if os.environ.get("EXAMPLES") == "write":
        EXAMPLES.write_text(json.dumps(examples, indent=1) + "\n")


@pytest.mark.parametrize("operation", operations().values(), ids=lambda operation: operation.id)
def test_the_kept_example_is_as_documented(operation: Operation) -> None:
    example = json.loads(EXAMPLES.read_text())[operation.id]
    if "request" in example:
        assert operation.request_errors(example["request"]) == []
    if "response" in example:
        status = int(example["status"])
        media_type, *_ = operation.data["responses"][example["status"]]["content"]
        assert operation.answer_errors(status, media_type, example["response"]) == []

"""Everybody asks for everything that the API's document lists."""

from collections.abc import Collection
from typing import Any
from uuid import UUID

import httpx

from tests.e2e.witness import Person

REPORTS = ("account_summary", "game_performance", "liability", "rake", "significant_events", "terms_changes")
LISTS = {
    "export_id": "/audit/exports",
    "finding_id": "/audit/findings",
    "run_id": "/audit/fairness-runs",
    "stored_report_id": "/stored-reports",
}
"""Where the ids of what the audit keeps are found."""
NOBODYS = UUID(int=0)


def everything_asked_for(people: dict[str, Person], address: str, standing: list[Any], seated: Collection[Person] = ()) -> None:
    """Let everybody GET every path of the API's document, of every open round, table, hall, account and user.

    Those who are seated ask about rounds and tables only, which is what they could be told too much of.
    """
    paths = httpx.get(f"{address}/api/v1/schema", params={"format": "json"}, timeout=30).json()["paths"]
    values = _what_there_is(people, standing)
    gets = [path for path, methods in paths.items() if "get" in methods]
    assert any("{round_id}" in path for path in gets)
    for person in people.values():
        for path in gets if person not in seated else [path for path in gets if "/rounds" in path or "/tables" in path]:
            for filled in _filled(path, values):
                person.http.get(f"{address}{filled}{_asked_with(path, values)}")
        for path in ("/healthz", "/readyz", "/metrics", "/api/v1/rounds/last-opening?game=russian_poker"):
            person.http.get(f"{address}{path}")


def _what_there_is(people: dict[str, Person], standing: list[Any]) -> dict[str, list[Any]]:
    """Return what may stand in a path, by the name of its place."""
    admin, auditor = people["admin"].http, people["auditor"].http
    users, halls, tables = (
        [each["id"] for each in admin.get(path).json()["results"]] for path in ("/users", "/halls", "/tables")
    )
    own = [account for user in users for account in auditor.get(f"/players/{user}/accounts").json().get("results", [])]
    accounts, games = [account["id"] for account in own], sorted({shown["game"] for shown in standing})
    statements = [auditor.get(f"/accounts/{account}/transfers?page_size=5").json()["results"] for account in accounts]
    return {
        "round_id": [shown["id"] for shown in standing],
        "table_id": tables,
        "hall_id": halls,
        "account_id": accounts,
        "player_id": users,
        "user_id": users,
        "game": games,
        "report": list(REPORTS),
        "transfer_id": [transfer["id"] for statement in statements for transfer in statement],
        "pay_table_id": [row["id"] for row in admin.get(f"/halls/{halls[0]}/games/{games[0]}/pay-tables").json()["results"]],
        **{name: [row["id"] for row in admin.get(path).json()["results"]] for name, path in LISTS.items()},
    }


def _asked_with(path: str, values: dict[str, list[str]]) -> str:
    """Return the query without which a path only refuses."""
    if "/reports/" in path:
        return f"?hall_id={values['hall_id'][0]}"
    return "?format=jsonl" if path.endswith("/rounds/export") else ""


def _filled(path: str, values: dict[str, list[Any]]) -> list[str]:
    before, brace, rest = path.partition("{")
    if not brace:
        return [path]
    name, _, after = rest.partition("}")
    return [f"{before}{value}{tail}" for value in values[name] or [NOBODYS] for tail in _filled(after, values)]

"""Everybody asks for everything that the API's document lists."""

from collections.abc import Collection
from typing import Any

import httpx

from tests.e2e.witness import Person


def everything_asked_for(people: dict[str, Person], address: str, standing: list[Any], seated: Collection[Person] = ()) -> None:
    """Let everybody GET every path of the API's document, of every open round, table, hall, account and user.

    Those who are seated ask about rounds and tables only, which is what they could be told too much of.
    """
    paths = httpx.get(f"{address}/api/v1/schema", params={"format": "json"}, timeout=30).json()["paths"]
    admin = people["admin"].http
    users = [user["id"] for user in admin.get("/users").json()["results"]]
    accounts = [
        account["id"]
        for user in users
        for account in people["auditor"].http.get(f"/players/{user}/accounts").json().get("results", [])
    ]
    values = {
        "round_id": [shown["id"] for shown in standing],
        "table_id": [table["id"] for table in admin.get("/tables").json()["results"]],
        "hall_id": [hall["id"] for hall in admin.get("/halls").json()["results"]],
        "account_id": accounts,
        "player_id": users,
        "user_id": users,
        "game": sorted({shown["game"] for shown in standing}),
    }
    gets = [path for path, methods in paths.items() if "get" in methods]
    assert any("{round_id}" in path for path in gets)
    for person in people.values():
        for path in gets if person not in seated else [path for path in gets if "/rounds" in path or "/tables" in path]:
            for filled in _filled(path, values):
                person.http.get(f"{address}{filled}")
        for path in ("/healthz", "/readyz", "/metrics", "/api/v1/rounds/last-opening?game=russian_poker"):
            person.http.get(f"{address}{path}")


def _filled(path: str, values: dict[str, list[str]]) -> list[str]:
    before, brace, rest = path.partition("{")
    if not brace:
        return [path]
    name, _, after = rest.partition("}")
    return [f"{before}{value}{tail}" for value in values[name] for tail in _filled(after, values)]

"""Who may call what: every operation of the URL map, called as everybody, against the table in docs/access.md."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.db import transaction
from django.http import HttpResponse
from django.urls import URLPattern, URLResolver, path
from pytest_django import DjangoDbBlocker
from rest_framework.renderers import JSONRenderer

from casino.api.views import ApiView
from casino.permissions import ANY_USER
from casino.urls import urlpatterns
from tests.api.access_world import (
    CALLERS,
    NOBODY,
    OTHER_PLAYER,
    PLAYER,
    World,
    body_for,
    object_for,
    query_for,
    version_for,
    world_build,
)
from tests.user_builders import code_of, keyed

DOCUMENT = Path(__file__).parent.parent.parent / "docs" / "access.md"
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
COLUMNS = ("nobody", "player", "operator", "cashier", "supervisor", "auditor", "admin")
CELLS = {"yes", "own", "hall", "token", "–"}


def documented() -> dict[str, dict[str, str]]:
    """The table's cells by operation and column."""
    table = {}
    for line in DOCUMENT.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if cells[0] in METHODS:
            table[f"{cells[0]} {cells[1].strip('`')}"] = dict(zip(COLUMNS, cells[2:], strict=True))
    return table


def operations(patterns: list[Any], prefix: str = "/") -> Iterator[tuple[str, list[str]]]:
    """Every path of a URL map and the methods that its view has."""
    pattern: URLPattern | URLResolver
    for pattern in patterns:
        route = prefix + re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", str(pattern.pattern))
        if isinstance(pattern, URLResolver):
            yield from operations(pattern.url_patterns, route)
        else:
            view = vars(pattern.callback)["view_class"]
            yield route, [method for method in METHODS if hasattr(view, method.lower())]


TABLE = documented()
PATHS = dict(operations(urlpatterns))
ALL = [f"{method} {route}" for route, methods in PATHS.items() for method in methods]


@contextmanager
def undone() -> Iterator[None]:
    """Take back what happens inside. Marked as a test's own, so that services may hold their durable transactions in it."""
    with transaction.atomic():
        transaction.get_connection().atomic_blocks[-1]._from_testcase = True
        yield
        transaction.set_rollback(True)


@pytest.fixture(scope="module")
def world(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[World]:
    with django_db_blocker.unblock(), undone():
        yield world_build()


def send(world: World, caller: str, operation: str, method: str = "", content_type: str | None = None, **ids: Any) -> Any:
    """Call an operation so that nothing but its access rules can refuse, and take back what it did."""
    declared, _, route = operation.partition(" ")
    names = re.findall(r"{(\w+)}", route)
    concrete = route.format(**{name: ids.get(name, object_for(operation, name, world)) for name in names})
    headers = keyed(str(uuid4())) | {"HTTP_IF_MATCH": f'"{version_for(operation, world)}"'} if declared != "GET" else {}
    with undone():
        return world.clients[caller].generic(
            method or declared,
            concrete + query_for(operation, world),
            JSONRenderer().render(body_for(operation, world, caller) or {}) if declared != "GET" else b"",
            content_type="application/json" if content_type is None else content_type,
            **headers,
        )


def verdict(response: Any) -> str:
    """What an answer says about access. Whoever gets in is served: every operation is called with what it needs."""
    return {401: "unauthenticated", 403: "forbidden", 404: "not found"}.get(response.status_code) or (
        "served" if response.status_code < 300 else f"{response.status_code} {response.content[:200]!r}"
    )


def expected(cell: str, caller: str) -> set[str]:
    if cell == "token":
        return {"unauthenticated"}
    if cell == "–":
        return {"unauthenticated" if caller == NOBODY else "forbidden"}
    if cell == "own" and caller != PLAYER:
        return {"not found"}
    if cell == "hall" and caller.endswith("elsewhere"):
        return {"forbidden", "not found"}
    return {"served"}


def column(caller: str) -> str:
    return PLAYER if caller == OTHER_PLAYER else caller.removesuffix(" elsewhere")


def deviations(world: World, operation: str, row: dict[str, str]) -> list[str]:
    """Where the answers to everybody differ from a row of the table."""
    found = []
    for caller in CALLERS:
        said, cell = verdict(send(world, caller, operation)), row[column(caller)]
        if said not in expected(cell, caller):
            found.append(f"{operation} as {caller}: {said}, but the table says {cell}")
    return found


def test_the_table_has_a_row_for_every_operation_and_no_other() -> None:
    assert sorted(TABLE) == sorted(ALL)
    assert {cell for row in TABLE.values() for cell in row.values()} <= CELLS


@pytest.mark.parametrize("operation", ALL)
def test_everybody_is_served_or_refused_as_the_table_says(world: World, operation: str) -> None:
    assert deviations(world, operation, TABLE[operation]) == []


@pytest.mark.parametrize("operation", [each for each in ALL if each.startswith("GET")])
def test_head_is_as_closed_as_get(world: World, operation: str) -> None:
    for caller in CALLERS:
        statuses = [send(world, caller, operation, method).status_code for method in ("GET", "HEAD")]
        assert statuses[0] == statuses[1], (operation, caller)


@pytest.mark.parametrize("route", PATHS)
def test_a_method_that_an_operation_does_not_have_is_405(world: World, route: str) -> None:
    operation = f"{PATHS[route][0]} {route}"
    for method in {*METHODS, "OPTIONS", "TRACE"} - set(PATHS[route]):
        for caller in ("admin", PLAYER, NOBODY):
            response = send(world, caller, operation, method)
            allowed = {405} if TABLE[operation][column(caller)] not in ("token", "–") else {401, 403, 405}
            assert response.status_code in allowed, (method, caller, response.content)
            assert code_of(response, response.status_code) in ("method_not_allowed", "unauthenticated", "forbidden")
            if response.status_code == 405:
                assert set(PATHS[route]) <= set(response.headers["Allow"].split(", "))


WRITING = [operation for operation in ALL if not operation.startswith("GET")]
CONTENT_TYPES = ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/xml", "")


@pytest.mark.parametrize("operation", WRITING)
def test_a_body_that_is_not_json_is_415_before_anything_is_done(world: World, operation: str) -> None:
    caller = next(
        each for each in (NOBODY, PLAYER, "operator", "cashier", "admin", "supervisor") if TABLE[operation][each] != "–"
    )
    for content_type in CONTENT_TYPES:
        assert code_of(send(world, caller, operation, content_type=content_type), 415) == "unsupported_media_type"
    assert send(world, caller, operation, content_type="application/json; charset=UTF-8").status_code < 300


class OpenView(ApiView):
    """Open to more than the table would say."""

    roles = ANY_USER
    sees = None

    def get(self, request: Any) -> HttpResponse:
        return HttpResponse(b"{}")


class UndeclaredView(ApiView):
    """Says nothing about who may call it."""

    def get(self, request: Any) -> HttpResponse:
        return HttpResponse(b"{}")


PLANTED = "planted"


class PlantedUrls:
    """The URL map with two more views."""

    urlpatterns = [*urlpatterns, path(PLANTED, OpenView.as_view()), path("undeclared", UndeclaredView.as_view())]


def test_control_an_operation_without_a_row_is_found() -> None:
    planted = [f"{method} {route}" for route, methods in operations(PlantedUrls.urlpatterns) for method in methods]
    assert set(planted) - set(TABLE) == {f"GET /{PLANTED}", "GET /undeclared"}


def test_control_an_operation_more_open_than_its_row_is_found(world: World, settings: Any) -> None:
    settings.ROOT_URLCONF = PlantedUrls
    staff_only = dict.fromkeys(COLUMNS, "yes") | {"nobody": "–", "player": "–"}
    found = deviations(world, f"GET /{PLANTED}", staff_only)
    assert [line.partition(":")[0] for line in found] == [f"GET /{PLANTED} as player", f"GET /{PLANTED} as other player"]


def test_a_view_that_says_nothing_is_closed_to_everybody(world: World, settings: Any) -> None:
    settings.ROOT_URLCONF = PlantedUrls
    assert deviations(world, "GET /undeclared", dict.fromkeys(COLUMNS, "–")) == []

"""What the framework refuses before any view, or in none, is a problem like every other."""

from typing import Any

import pytest
from django.core.exceptions import SuspiciousOperation
from django.http import HttpRequest, HttpResponse
from django.urls import path

from casino.permissions import Role
from casino.urls import handler400, handler403, handler404, handler500, urlpatterns
from tests.user_builders import client, code_of, user

PATHS = (
    "/",
    "/api",
    "/api/v1",
    "/api/v1/",
    "/api/v1/me/",
    "/api/v1/users/not-an-id",
    "/api/v1/users/%00",
    "/api/v1/users/%ff%fe",
    "/api/v1/halls/%E2%82",
    "/api/v1/rounds/%2e%2e/%2e%2e/etc/passwd",
    "/static/../casino/settings.py",
    "/static/%2e%2e/%2e%2e/manage.py",
    "/static/%00",
    "/static/nothing.css",
    "/admin/",
    "//evil.example/",
    "/" + "a" * 5_000,
    "/healthz%0d%0aSet-Cookie:%20x=1",
)
QUERIES = (
    "%ff=1",
    "page_size=%ff",
    "page_size=00000000199999",
    "cursor=%00",
    "cursor=%e2%82",
    "cursor=" + "x" * 8_000,
    "a=1&" * 2_000,
    "=",
    "&&&",
    "%",
)
HEADERS: tuple[dict[str, str], ...] = (
    {"HTTP_HOST": "evil.example"},
    {"HTTP_HOST": "testserver:port"},
    {"HTTP_HOST": "testserver, evil.example"},
    {"HTTP_HOST": "\xff"},
    {"HTTP_HOST": ""},
)


@pytest.mark.parametrize("bad", PATHS)
def test_a_path_that_leads_nowhere_however_it_is_written_is_a_problem(db: None, bad: str) -> None:
    for caller in (client(), client(user("anna", Role.PLAYER))):
        assert code_of(caller.get(bad), 404) == "not_found"
        assert code_of(caller.post(bad, {}), 404) == "not_found"


@pytest.mark.parametrize("query", QUERIES, ids=lambda query: query[:20])
def test_a_query_string_that_makes_no_sense_is_a_problem_or_no_matter(db: None, query: str) -> None:
    response = client(user("anna", Role.ADMIN)).get("/api/v1/users", QUERY_STRING=query)
    if query == "&&&":
        assert response.status_code == 200
    else:
        assert code_of(response, 400) == "invalid_input"


@pytest.mark.parametrize("headers", HEADERS, ids=str)
def test_a_host_that_is_not_ours_is_a_problem_on_every_path(db: None, headers: dict[str, str]) -> None:
    for route in ("/api/v1/me", "/healthz", "/api/v1/auth/login"):
        assert code_of(client(user(f"anna{len(route)}")).post(route, {}, **headers), 400) == "invalid_input"


@pytest.mark.parametrize("length", ["-1", "99999999999999999999"])
def test_a_content_length_that_lies_is_a_problem(db: None, length: str) -> None:
    response = client().generic("POST", "/api/v1/auth/login", b"{}", content_type="application/json", CONTENT_LENGTH=length)
    assert code_of(response, 400) in ("invalid_input", "malformed_json")


def test_many_and_long_headers_do_no_harm(db: None) -> None:
    many = {f"HTTP_X_{number}": "x" * 100 for number in range(500)}
    long = {"HTTP_COOKIE": "a=1; " * 20_000, "HTTP_X_REQUEST_ID": "r" * 50_000, "HTTP_ACCEPT_LANGUAGE": "de," * 20_000}
    for headers in (many, long):
        assert code_of(client().get("/api/v1/me", **headers), 401) == "unauthenticated"


@pytest.mark.parametrize("method", ["PROPFIND", "CONNECT", "TRACE", "OPTIONS", "X" * 300])
def test_a_method_that_nobody_knows_is_405(db: None, method: str) -> None:
    response = client(user("anna", Role.PLAYER)).generic(method, "/api/v1/me")
    assert code_of(response, 405) == "method_not_allowed"


def test_a_method_written_small_is_as_closed_as_written_large(db: None) -> None:
    assert code_of(client(user("anna", Role.PLAYER)).generic("get", "/api/v1/users"), 403) == "forbidden"


def outside(request: HttpRequest) -> HttpResponse:
    """A view that knows nothing of the API's own error handling."""
    raise {"suspicious": SuspiciousOperation("evil"), "broken": KeyError("hidden-card-Ah")}[request.GET["how"]]


class PlantedUrls:
    """The URL map with a view of Django's own kind."""

    urlpatterns = [*urlpatterns, path("outside", outside)]
    handler400, handler403, handler404, handler500 = handler400, handler403, handler404, handler500


def test_an_error_outside_the_api_is_a_problem_that_tells_nothing(db: None, settings: Any) -> None:
    settings.ROOT_URLCONF = PlantedUrls
    assert code_of(client().get("/outside?how=suspicious"), 400) == "invalid_input"
    broken = client().get("/outside?how=broken")
    assert code_of(broken, 500) == "internal_error"
    assert b"hidden-card" not in broken.content


def test_control_without_the_handlers_the_framework_answers_a_page(db: None, settings: Any) -> None:
    settings.ROOT_URLCONF = type("Bare", (), {"urlpatterns": urlpatterns})
    assert client().get("/nowhere").headers["Content-Type"].startswith("text/html")


@pytest.mark.parametrize("name", ["csv", "json", "api"])
def test_a_parameter_named_format_is_unknown_like_any_other(db: None, name: str) -> None:
    response = client(user("auditor1", Role.AUDITOR)).get("/api/v1/audit/findings", {"format": name})
    assert code_of(response, 400) == "invalid_input"
    assert response.json()["details"]["field"] == "format"

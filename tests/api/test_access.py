"""Nothing is open that does not say so, and knowing the caller costs one statement."""

import re
from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any

import pytest
from django.apps import apps
from django.urls import URLPattern, URLResolver
from knox.models import AuthToken

from casino.api.reference import ReferenceAccess, ReferenceView, SchemaView
from casino.api.views import ApiView
from casino.permissions import PUBLIC, STAFF, Role, RolesRequired
from casino.urls import urlpatterns
from casino.users.models import RoleGrant
from casino.users.services import user_disable
from tests.user_builders import bearer, client, code_of, token, user

OPEN = {"/healthz", "/readyz", "/api/v1/auth/login", "/api/v1/schema", "/api/v1/reference"}


def views(patterns: list[Any], prefix: str = "/") -> Iterator[tuple[str, Any]]:
    pattern: URLPattern | URLResolver
    for pattern in patterns:
        path = prefix + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from views(pattern.url_patterns, path)
        else:
            yield path, vars(pattern.callback)["view_class"]


ALL = sorted((found for found in views(urlpatterns) if found[1] is not ReferenceView), key=lambda found: found[0])


@pytest.mark.parametrize(("path", "view"), ALL, ids=lambda part: str(part))
def test_every_view_states_who_may_call_it(path: str, view: Any) -> None:
    assert issubclass(view, ApiView)
    assert "roles" in {name for kind in view.__mro__[: view.__mro__.index(ApiView)] for name in vars(kind)}
    assert list(view.permission_classes) == [ReferenceAccess if view is SchemaView else RolesRequired]
    assert (view.roles == PUBLIC) == (path in OPEN)


@pytest.mark.parametrize("path", [path for path, _ in ALL if path not in OPEN])
@pytest.mark.parametrize("method", ["get", "post", "patch", "put", "delete"])
def test_nobody_gets_in_without_a_token(db: None, path: str, method: str) -> None:
    concrete = path.replace("<uuid:", "<").replace("<slug:", "<")
    parts = ["00000000-0000-0000-0000-000000000000" if part.startswith("<") else part for part in concrete.split("/")]
    assert code_of(getattr(client(), method)("/".join(parts)), 401) == "unauthenticated"


@pytest.mark.parametrize("roles", [(), (Role.PLAYER,), (Role.SUPERVISOR, Role.AUDITOR, Role.ADMIN)], ids=len)
def test_token_user_and_roles_are_read_in_one_statement(
    db: None, django_assert_num_queries: Any, roles: tuple[Role, ...]
) -> None:
    caller = client(user("anna", *roles))
    with django_assert_num_queries(1):
        assert caller.patch("/api/v1/me").status_code == 405


def test_an_expired_token_is_refused(db: None) -> None:
    anna = user("anna")
    text = AuthToken.objects.create(anna, expiry=timedelta(seconds=-1))[1]
    assert code_of(bearer(text).get("/api/v1/me"), 401) == "unauthenticated"


def test_a_token_is_stored_as_a_hash_only(db: None) -> None:
    text = token(user("anna"))
    row = AuthToken.objects.values().get()
    assert text not in str(row)
    assert len(row["token_key"]) * 2 < len(text), "what is stored of it in the clear does not help to guess the rest"


@pytest.mark.parametrize("header", ["Bearer é", "Bearer a b", "Token x", "Bearer " + "x" * 5000, "Bearer \x00"])
def test_an_odd_token_is_refused(db: None, header: str) -> None:
    assert code_of(client().get("/api/v1/me", HTTP_AUTHORIZATION=header), 401) == "unauthenticated"


def test_a_disabled_user_is_refused_at_once(db: None) -> None:
    anna = user("anna", Role.PLAYER)
    caller = client(anna)
    assert caller.get("/api/v1/me").status_code == 200
    user_disable(actor=user("boss", Role.ADMIN), user_id=anna.public_id, reason="test")
    assert code_of(caller.get("/api/v1/me"), 401) == "unauthenticated"


def test_a_role_taken_away_is_gone_with_the_next_request(db: None) -> None:
    anna = user("anna", Role.AUDITOR)
    caller = client(anna)
    assert caller.get("/api/v1/users").status_code == 200
    RoleGrant.objects.filter(user=anna).delete()
    assert code_of(caller.get("/api/v1/users"), 403) == "forbidden"


PLAYERS_OBJECTS = {"user_id", "player_id", "account_id", "round_id", "table_id"}


@pytest.mark.parametrize(("path", "view"), [found for found in ALL if hasattr(found[1], "get")], ids=lambda part: str(part))
def test_every_view_that_is_read_states_what_staff_sees_of_players(path: str, view: Any) -> None:
    """Where the path names something of a player's and staff may read it, it is that thing that is noted."""
    assert "sees" in {name for kind in view.__mro__[: view.__mro__.index(ApiView)] for name in vars(kind)}
    roles = view.roles["GET"] if isinstance(view.roles, Mapping) else view.roles
    named = PLAYERS_OBJECTS & set(re.findall(r"<\w+:(\w+)>", path))
    if named and (roles.any_user or roles.any_of & STAFF):
        assert view.sees is not None and {view.sees.key} == named


@pytest.mark.parametrize("view", [view for _, view in ALL if getattr(view, "sees", None)], ids=lambda view: view.__name__)
def test_what_is_seen_is_named_as_the_trail_and_findings_name_it(view: Any) -> None:
    labels = {model._meta.label_lower for model in apps.get_models()}
    assert view.sees.subject in labels | {"reports.report"}

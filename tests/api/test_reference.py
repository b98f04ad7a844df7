"""The document and its page: served by ourselves, without inline scripts, closable to staff."""

import base64
import json
import re
from typing import Any

import pytest
from django.contrib.staticfiles import finders
from rest_framework import serializers

from casino.api.fields import StrictSerializer
from casino.api.reference import schema_document
from casino.errors import CODES
from casino.permissions import Role
from games.engines import ENGINES
from tests.user_builders import PASSWORD, client, code_of, user


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    parsed: dict[str, Any] = json.loads(schema_document())
    return parsed


def test_the_document_is_openapi_3_1_with_every_error_code(document: dict[str, Any]) -> None:
    assert document["openapi"].startswith("3.1")
    codes = set(CODES) | {code for engine in ENGINES for code in engine.error_codes}
    assert set(document["components"]["schemas"]["Problem"]["properties"]["code"]["enum"]) == codes


def test_every_operation_tells_its_errors_and_who_it_is_for(document: dict[str, Any]) -> None:
    for path, operations in document["paths"].items():
        for operation in operations.values():
            assert operation["responses"]["default"] == {"$ref": "#/components/responses/Problem"}
            is_open = path == "/api/v1/auth/login"
            assert ("security" not in operation) == is_open
            assert ("**For** " in operation.get("description", "")) != is_open


def test_bodies_allow_no_further_keys(document: dict[str, Any]) -> None:
    schemas = {name: document["components"]["schemas"][name] for name in body_names(document)}
    objects = [name for name, schema in schemas.items() if schema.get("properties")]
    assert objects
    assert [name for name in objects if schemas[name].get("additionalProperties") is not False] == []


def test_the_page_comes_from_here_and_has_no_inline_script(db: None) -> None:
    page = client().get("/api/v1/reference", HTTP_ACCEPT="text/html").content.decode()
    sources = re.findall(r"(?:src|href)=\"([^\"]+)\"", page)
    assert len(sources) >= 4
    assert all(source.startswith("/") for source in sources)
    assert all(finders.find(source.removeprefix("/static/")) for source in sources if source.startswith("/static/"))
    assert re.findall(r"<script(?![^>]*src=)", page) == []
    script = client().get(next(source for source in sources if "script=" in source))
    assert script.headers["Content-Type"] == "application/javascript"
    assert b"/api/v1/schema" in script.content


@pytest.mark.parametrize("path", ["/api/v1/reference", "/api/v1/schema"])
def test_a_setting_closes_both_to_staff(db: None, settings: Any, path: str) -> None:
    settings.API_REFERENCE_PUBLIC = False
    response = client().get(path, HTTP_ACCEPT="*/*")
    assert code_of(response, 401) == "unauthenticated"
    assert response.headers["WWW-Authenticate"].startswith("Basic"), "a browser asks for name and password"
    assert code_of(client(user("player1", Role.PLAYER)).get(path), 403) == "forbidden"
    auditor = user("auditor", Role.AUDITOR)
    assert client(auditor).get(path).status_code == 200
    basic = base64.b64encode(f"auditor:{PASSWORD}".encode()).decode()
    assert client().get(path, HTTP_AUTHORIZATION=f"Basic {basic}").status_code == 200
    wrong = base64.b64encode(b"auditor:wrong").decode()
    assert code_of(client().get(path, HTTP_AUTHORIZATION=f"Basic {wrong}"), 401) == "invalid_credentials"


def test_the_sign_of_life_needs_the_database(committed_db: str) -> None:
    assert client().get("/healthz").json() == {"status": "ok"}


def body_names(document: dict[str, Any]) -> set[str]:
    """Name the components that requests can carry, at any depth."""
    operations = [operation for path in document["paths"].values() for operation in path.values()]
    found: set[str] = set()
    pending = [json.dumps(operation.get("requestBody", {})) for operation in operations]
    while pending:
        names = set(re.findall(r"#/components/schemas/(\w+)", pending.pop())) - found
        found |= names
        pending += [json.dumps(document["components"]["schemas"][name]) for name in names]
    return found


def serializer_classes(kind: type[Any] = serializers.BaseSerializer) -> set[type[Any]]:
    return {found for sub in kind.__subclasses__() for found in (sub, *serializer_classes(sub))}


def test_every_body_is_made_of_strict_fields(document: dict[str, Any]) -> None:
    names = body_names(document)
    bodies = {found for found in serializer_classes() if found.__name__.removesuffix("Serializer") in names}
    assert {"LoginBody", "HallCreateBody"} <= {found.__name__ for found in bodies}
    for body in bodies:
        assert issubclass(body, StrictSerializer), body
        for name, field in body().fields.items():
            inner: Any = field
            while isinstance(inner, serializers.ListField | serializers.ListSerializer):
                inner = inner.child
            assert not type(inner).__module__.startswith("rest_framework"), f"{body.__name__}.{name} is lenient"

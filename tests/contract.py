"""Hold every answer against the API's document: its status, headers and body, and the body that was accepted."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.urls import ResolverMatch
from drf_spectacular.generators import SchemaGenerator
from jsonschema import Draft202012Validator, FormatChecker

from casino.streams.responses import StreamResponse

EVENT_STREAM = "text/event-stream"
JSON = "application/json"
PROBLEM = "application/problem+json"
UNDECLARED = frozenset({405, 406, 500})
"""What any path may answer; the document's default response says so once."""
BEGUN_HEADERS = frozenset({"Export-Id", "Export-Rounds"})
"""What tells of something that a HEAD does not begin."""
CONDITIONAL_HEADERS = frozenset({"Idempotency-Replayed", "Retry-After"})


@cache
def document() -> dict[str, Any]:
    """The document as clients get it."""
    generated = SchemaGenerator(urlconf="casino.urls").get_schema(request=None, public=True)
    made: dict[str, Any] = json.loads(json.dumps(generated, default=str))
    return made


@dataclass(frozen=True)
class Operation:
    """One operation of the document."""

    data: Mapping[str, Any]

    @property
    def id(self) -> str:
        return str(self.data["operationId"])

    def answer(self, status: int) -> Mapping[str, Any] | None:
        described = self.data["responses"].get(str(status))
        return resolved(described) if described else None

    def answer_errors(self, status: int, media_type: str, body: Any) -> list[str]:
        answer = self.answer(status)
        if not answer:
            return ["this status is not in the document"]
        told = [body] if media_type != EVENT_STREAM else stream_events(body)
        return [error for one in told for error in errors(answer["content"][media_type]["schema"], one)]

    def request_errors(self, body: Any) -> list[str]:
        return errors(self.data["requestBody"]["content"][JSON]["schema"], body)


def stream_events(text: str) -> list[dict[str, str]]:
    """Take a stream of events apart; the document describes one of them."""
    pieces = [piece.splitlines() for piece in text.split("\n\n") if piece]
    return [fields for lines in pieces if "event" in (fields := dict(line.split(": ", 1) for line in lines))]


def operations() -> dict[str, Operation]:
    """Every operation of the document, by its id."""
    found = [Operation(data) for path in document()["paths"].values() for data in path.values()]
    return {operation.id: operation for operation in found}


def operation_of(match: ResolverMatch | None, method: str) -> Operation | None:
    """The operation that a request met; None for what the document leaves out."""
    path = "/" + re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", match.route) if match else ""
    data = document()["paths"].get(path, {}).get("get" if method == "HEAD" else method.lower())
    return Operation(data) if data else None


def resolved(described: Mapping[str, Any]) -> Mapping[str, Any]:
    """Follow a reference within the document."""
    found: Any = described
    while "$ref" in found:
        name = found["$ref"]
        found = document()
        for step in name.removeprefix("#/").split("/"):
            found = found[step]
    return found  # type: ignore[no-any-return]


ROUND, TABLE, TABLE_EVENT = ({"$ref": f"#/components/schemas/{name}"} for name in ("Round", "Table", "TableEvent"))
STREAMED = {"round": {"position": ROUND, "step": ROUND}, "table": {"position": TABLE, "event": TABLE_EVENT}}
"""The shape of each event of each kind of stream."""


def stream_errors(response: StreamResponse) -> list[str]:
    """What is wrong with the events of a stream, each of which is a whole document; they stay there to be read."""
    content = response.getvalue()
    response.streaming_content = iter([content])
    events = re.findall(rb"^event: (\w+)\n(?:id: .*\n)?data: (\{.+\})$", content, re.M)
    shapes = STREAMED[response.opened.source.name]
    return [error for event, data in events if data != b"{}" for error in errors(shapes[event.decode()], json.loads(data))]


def errors(schema: Mapping[str, Any], body: Any) -> list[str]:
    """What is wrong with a body, by its place."""
    found = _validator(json.dumps(schema, sort_keys=True)).iter_errors(body)
    return [f"{error.json_path}: {error.message[:300]}" for error in found]


@cache
def _validator(schema: str) -> Draft202012Validator:
    return Draft202012Validator({**json.loads(schema), "components": _closed()}, format_checker=FormatChecker())


@cache
def _closed() -> dict[str, Any]:
    """The components without room for keys that the document does not know: clients must bear new ones, tests must not."""
    schemas = document()["components"]["schemas"]
    return {
        "schemas": {
            name: ({"additionalProperties": False} if "properties" in each else {}) | each for name, each in schemas.items()
        }
    }


class Contract:
    """A middleware for tests: an answer that the document does not describe fails the test that caused it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        sent = request.body
        response = self.get_response(request)
        operation = operation_of(request.resolver_match, str(request.method))
        if operation is not None and response.status_code not in UNDECLARED:
            wrong = self.deviations(operation, request, sent, response)
            assert wrong == [], f"{request.method} {request.path} → {response.status_code} is not as documented: {wrong}"
        return response

    def deviations(self, operation: Operation, request: HttpRequest, sent: bytes, response: HttpResponse) -> list[str]:
        described = operation.answer(response.status_code)
        if described is None:
            return [f"the status is undeclared: {response.content[:300]!r}"]
        declared, given = set(described.get("headers", {})), set(response.headers)
        absent = CONDITIONAL_HEADERS | (BEGUN_HEADERS if request.method == "HEAD" else set())
        wrong = [f"header {name} is missing" for name in declared - given - absent]
        wrong += [f"header {name} is undeclared" for name in ({"ETag", "Location"} | CONDITIONAL_HEADERS) & given - declared]
        media_type = response.headers.get("Content-Type", "").partition(";")[0]
        if isinstance(response, StreamResponse) and request.method != "HEAD":
            wrong += stream_errors(response)
        elif isinstance(response, StreamingHttpResponse) and request.method != "HEAD":
            wrong += [] if media_type in described["content"] else [f"{media_type} is undeclared"]
            lines = list(response)
            response.streaming_content = lines
            if "json" in media_type:
                each = b"".join(lines).splitlines(keepends=True)
                wrong += [f"no line of JSON: {line!r}" for line in each if not (line.endswith(b"\n") and json.loads(line))]
        elif "content" in described and request.method != "HEAD":
            body = json.loads(response.content) if media_type in (JSON, PROBLEM) else response.content.decode()
            wrong += operation.answer_errors(response.status_code, media_type, body)
        if response.status_code in (200, 201) and sent:
            wrong += operation.request_errors(json.loads(sent))
        return wrong

"""The finished OpenAPI document: the problem that all errors are, answers that many operations share, examples."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from casino.api.problems import CONTENT_TYPE as PROBLEM_CONTENT_TYPE
from casino.errors import CODES
from games.engines import ENGINES

EXAMPLES = Path(__file__).with_name("examples.json")
"""What the running service answered, by operation; ``tests.api.examples`` writes it and a test holds it to the schema."""


def add_problems(result: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
    """Add the problem, and as every operation's default what any request may meet."""
    components = result.setdefault("components", {})
    components.setdefault("schemas", {})["Problem"] = _problem_schema()
    components.setdefault("responses", {})["Problem"] = {
        "description": "Any other error (RFC 9457). Switch on `code`.",
        "content": {PROBLEM_CONTENT_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }
    for operation in _operations(result):
        operation["responses"]["default"] = {"$ref": "#/components/responses/Problem"}
    return result


def share_refusals(result: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
    """Name the refusals that several operations answer alike by their codes, and refer to them."""
    refusals = [
        (operation["responses"], status, answer)
        for operation in _operations(result)
        for status, answer in operation["responses"].items()
        if PROBLEM_CONTENT_TYPE in answer.get("content", {})
    ]
    times = Counter(answer["description"] for _, _, answer in refusals)
    for responses, status, answer in refusals:
        if times[answer["description"]] > 1:
            name = "Or".join(code.title().replace("_", "") for code in refusal_codes(answer))
            result["components"]["responses"][name] = answer
            responses[status] = {"$ref": f"#/components/responses/{name}"}
    return result


def add_examples(result: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
    """Show for every operation what was really sent and answered."""
    examples = json.loads(EXAMPLES.read_text(encoding="utf-8"))
    for operation in _operations(result):
        example = examples.get(operation["operationId"], {})
        if "request" in example:
            operation["requestBody"]["content"]["application/json"]["example"] = example["request"]
        if "response" in example:
            answer, *_ = operation["responses"][example["status"]]["content"].values()  # of several forms the first is shown
            answer["example"] = example["response"]
    return result


def refusal_codes(answer: dict[str, Any]) -> list[str]:
    """Return the codes of a described refusal."""
    codes: list[str] = answer["content"][PROBLEM_CONTENT_TYPE]["schema"]["allOf"][1]["properties"]["code"]["enum"]
    return codes


def _operations(result: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for path in result["paths"].values():
        yield from path.values()


def _problem_schema() -> dict[str, Any]:
    codes = {code: code.replace("_", " ") for engine in ENGINES for code in engine.error_codes} | CODES
    return {
        "type": "object",
        "description": "What went wrong. Codes:\n\n" + "\n".join(f"* `{code}`: {title}" for code, title in sorted(codes.items())),
        "properties": {
            "type": {"type": "string", "format": "uri"},
            "title": {"type": "string"},
            "status": {"type": "integer", "minimum": 400, "maximum": 599},
            "code": {"type": "string", "enum": sorted(codes)},
            "detail": {"type": "string"},
            "request_id": {"type": ["string", "null"], "description": "Quote it when you ask for help."},
            "details": {"type": "object", "additionalProperties": {}},
        },
        "required": ["type", "title", "status", "code", "detail", "request_id", "details"],
        "additionalProperties": False,
    }

"""How views describe themselves: strict bodies, roles, headers, and the codes of the errors that each operation answers."""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, TypeVar, cast

from drf_spectacular.extensions import OpenApiAuthenticationExtension, OpenApiSerializerFieldExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import ResolvedComponent, force_instance
from drf_spectacular.utils import OpenApiParameter, PolymorphicProxySerializer, extend_schema, inline_serializer
from rest_framework import serializers

from casino.api.fields import EmptyBody, StrictSerializer
from casino.api.pagination import MAX_PAGE_SIZE
from casino.api.problems import CONTENT_TYPE as PROBLEM_CONTENT_TYPE
from casino.api.problems import problem
from casino.errors import CODES
from casino.permissions import Roles

if TYPE_CHECKING:
    from casino.api.views import ApiView

IDEMPOTENCY_KEY = OpenApiParameter(
    "Idempotency-Key",
    {"type": "string", "pattern": "^[A-Za-z0-9._:-]{1,64}$"},
    OpenApiParameter.HEADER,
    description="A new one for each intent; the same one again for a retry, which is answered and not repeated. Kept 120 days.",
)
IDEMPOTENCY_KEY_REQUIRED = OpenApiParameter(
    IDEMPOTENCY_KEY.name, IDEMPOTENCY_KEY.type, OpenApiParameter.HEADER, required=True, description=IDEMPOTENCY_KEY.description
)
IF_MATCH = OpenApiParameter(
    "If-Match", str, OpenApiParameter.HEADER, required=True, description="The ETag that the change is based on."
)
IF_NONE_MATCH = OpenApiParameter(
    "If-None-Match", str, OpenApiParameter.HEADER, description="The ETag that the client has: 304 when it is still the one."
)
PAGE_PARAMETERS = (
    OpenApiParameter("cursor", str, description="From a page's next or previous."),
    OpenApiParameter("page_size", {"type": "integer", "minimum": 1, "maximum": MAX_PAGE_SIZE, "default": 50}),
)
RETRY_AFTER = {"description": "Seconds to wait before the same request is sent again.", "schema": {"type": "integer"}}
_RETRIED = {
    "busy",
    "database_unavailable",
    "idempotency_in_progress",
    "login_locked",
    "streams_full",
    "too_many_exports",
    "too_many_streams",
}
"""Codes that come with a Retry-After."""
ETAG = {"description": "The version that was answered.", "schema": {"type": "string"}}
REPLAYED = {
    "description": "`true` when this is the answer that was given before.",
    "schema": {"type": "string", "enum": ["true"]},
}
ETAG_ANSWERED = OpenApiParameter(
    "ETag", str, OpenApiParameter.HEADER, response=[201], description="The version of what was made."
)
LOCATION_ANSWERED = OpenApiParameter("Location", str, OpenApiParameter.HEADER, response=[201], description="Where to read it.")

Method = TypeVar("Method", bound=Callable[..., Any])


@dataclass(frozen=True)
class Codes:
    """The codes that an operation answers with one status, besides those that follow from its body, roles and headers."""

    names: tuple[str, ...]


def codes(*names: str) -> Codes:
    """Say, as a response of ``extend_schema``, with which codes an operation refuses."""
    return Codes(names)


@cache
def page_of(serializer_class: type[serializers.Serializer[Any]]) -> serializers.Serializer[Any]:
    """Describe one page of rows."""
    return inline_serializer(
        name=serializer_class.__name__.removesuffix("Serializer") + "Page",
        fields={
            "next": serializers.URLField(allow_null=True),
            "previous": serializers.URLField(allow_null=True),
            "results": serializer_class(many=True),
        },
    )


def paged(
    serializer_class: type[serializers.Serializer[Any]],
    *,
    filters: type[serializers.Serializer[Any]] | None = None,
    **kwargs: Any,
) -> Callable[[Method], Method]:
    """Describe a view method that answers ``self.page(…)``."""
    parameters = [*PAGE_PARAMETERS, *([filters] if filters else []), *kwargs.pop("parameters", [])]
    responses = {200: page_of(serializer_class), **kwargs.pop("responses", {})}
    return extend_schema(responses=responses, parameters=parameters, **kwargs)


class TokenScheme(OpenApiAuthenticationExtension):
    """How to send a token."""

    target_class = "casino.users.authentication.TokenAuthentication"
    name = "token"
    priority = 1

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, Any]:
        return {"type": "http", "scheme": "bearer", "description": "The token that POST /api/v1/auth/login answers."}


class ChoiceScheme(OpenApiSerializerFieldExtension):
    """Lists of texts stand where they are used; one that the reader meets again and again has a name."""

    target_class = "rest_framework.serializers.ChoiceField"
    match_subclasses = True

    def map_serializer_field(self, auto_schema: AutoSchema, direction: str) -> dict[str, Any]:
        schema = {"type": "string", "enum": list(self.target.choices)}
        name = getattr(self.target, "component", None)
        if name is None:
            return schema
        component = ResolvedComponent(name=name, type=ResolvedComponent.SCHEMA, schema=schema, object=name)
        auto_schema.registry.register_on_missing(component)
        return component.ref


class Schema(AutoSchema):
    """What the framework cannot see by itself."""

    def get_auth(self) -> list[dict[str, Any]]:
        roles = self._roles()
        return [] if roles is not None and roles.public else super().get_auth()

    def get_tags(self) -> list[str]:
        """Group by app: ``casino.users.views`` is about users."""
        package, app, *_ = f"{type(self.view).__module__}.".split(".")
        return [app if package in ("casino", "games") else package]

    def get_summary(self) -> str:
        summary, _, _ = self._text().partition(". ")
        return summary.rstrip(".")

    def get_description(self) -> str:  # type: ignore[override]
        _, _, text = self._text().partition(". ")
        roles = self._roles()
        if roles is None or roles.public:
            return text
        names = "any user" if roles.any_user else ", ".join(sorted(roles.any_of))
        return f"{text}\n\n**For** {names}.".strip()

    def _text(self) -> str:
        return " ".join((super().get_description() or "").split())

    def _roles(self) -> Roles | None:
        roles: Roles | Mapping[str, Roles] = cast("ApiView", self.view).roles
        return roles.get(self.method) if isinstance(roles, Mapping) else roles

    def _headers(self) -> dict[str, bool]:
        """The headers that the operation takes, each with whether it must be there."""
        parameters = self._get_parameters()
        return {each["name"]: each.get("required", False) for each in parameters if each["in"] == "header"}

    def _get_request_body(self, direction: Any = "request") -> dict[str, Any] | None:
        body: dict[str, Any] | None = super()._get_request_body(direction)
        return body if body is None or self.get_request_serializer() is EmptyBody else body | {"required": True}

    def _get_response_bodies(self, direction: Any = "response") -> dict[str, Any]:
        bodies: dict[str, Any] = super()._get_response_bodies(direction)
        for status, names in self._usual_codes().items():
            bodies.setdefault(str(status), refusal(status, names))
        if IF_NONE_MATCH.name in self._headers():
            bodies["304"] = {"description": "The client has this version.", "headers": {"ETag": ETAG}}
        return dict(sorted(bodies.items()))

    def _get_response_for_code(
        self, serializer: Any, status_code: Any, media_types: Any = None, direction: Any = "response"
    ) -> dict[str, Any]:
        if isinstance(serializer, Codes):
            return refusal(int(status_code), [*self._usual_codes().get(int(status_code), []), *serializer.names])
        described: dict[str, Any] = super()._get_response_for_code(serializer, status_code, media_types, direction)
        return described | {"description": HTTPStatus(int(status_code)).phrase}

    def _get_response_headers_for_code(self, status_code: Any, direction: Any = "response") -> dict[str, Any]:
        headers: dict[str, Any] = super()._get_response_headers_for_code(status_code, direction)
        taken = self._headers()
        if IF_NONE_MATCH.name in taken or IF_MATCH.name in taken:
            headers["ETag"] = ETAG
        if IDEMPOTENCY_KEY.name in taken:
            headers["Idempotency-Replayed"] = REPLAYED
        return headers

    def _usual_codes(self) -> dict[int, list[str]]:
        """The codes that follow from roles, path, body and headers, by status."""
        roles, headers = self._roles(), self._headers()
        usual: dict[int, list[str]] = {400: ["invalid_input"], 503: ["busy", "database_unavailable"]}
        if self.method in ("POST", "PATCH", "PUT"):
            usual |= {400: ["invalid_input", "malformed_json"], 413: ["body_too_large"], 415: ["unsupported_media_type"]}
        if roles is not None and not roles.public:
            usual[401] = ["unauthenticated"]
            usual |= {} if roles.any_user else {403: ["forbidden"]}
        if "{" in self.path:
            usual[404] = ["not_found"]
        if IDEMPOTENCY_KEY.name in headers:
            usual[400] += ["idempotency_key_invalid"] + ["idempotency_key_required"] * headers[IDEMPOTENCY_KEY.name]
            usual |= {409: ["idempotency_in_progress"], 422: ["idempotency_key_reused"]}
        if IF_MATCH.name in headers:
            usual |= {412: ["precondition_failed"], 428: ["precondition_required"]}
        return usual

    def _map_basic_serializer(self, serializer: Any, direction: str) -> dict[str, Any]:
        schema: dict[str, Any] = super()._map_basic_serializer(serializer, direction)
        if direction == "request" and isinstance(force_instance(serializer), StrictSerializer):
            schema["additionalProperties"] = False
        if direction == "response" and schema.get("properties"):
            schema["required"] = sorted(schema["properties"])  # an answer is always whole, and may grow
        return schema

    def _get_serializer_name(self, serializer: Any, direction: str, bypass_extensions: bool = False) -> str:
        name: str = super()._get_serializer_name(serializer, direction, bypass_extensions)
        is_ours = isinstance(serializer, StrictSerializer | PolymorphicProxySerializer)
        return name.removesuffix("Request") if is_ours else name


def refusal(status: int, names: Iterable[str]) -> dict[str, Any]:
    """Describe the problem that an operation answers with this status and one of these codes."""
    known = sorted(set(names))
    schema = {"allOf": [{"$ref": "#/components/schemas/Problem"}, {"properties": {"code": {"enum": known}}}]}
    described = {
        "description": "\n".join(f"* `{name}`: {CODES.get(name, name.replace('_', ' '))}" for name in known),
        "content": {PROBLEM_CONTENT_TYPE: {"schema": schema, "example": json.loads(problem(status, known[0]).content)}},
    }
    headers: dict[str, Any] = {}
    if set(known) & _RETRIED:
        headers["Retry-After"] = RETRY_AFTER
    if "idempotency_key_reused" in known:
        headers["Idempotency-Replayed"] = REPLAYED
    return described | ({"headers": headers} if headers else {})

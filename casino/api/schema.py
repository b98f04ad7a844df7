"""The OpenAPI 3.1 document: strict bodies, roles, headers and one problem for every error."""

from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar, cast

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import force_instance
from drf_spectacular.utils import OpenApiParameter, extend_schema, inline_serializer
from rest_framework import serializers

from casino.api.fields import StrictSerializer
from casino.api.pagination import MAX_PAGE_SIZE
from casino.errors import CODES
from casino.permissions import Roles
from games.engines import ENGINES

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

Method = TypeVar("Method", bound=Callable[..., Any])


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
    return extend_schema(responses={200: page_of(serializer_class)}, parameters=parameters, **kwargs)


class TokenScheme(OpenApiAuthenticationExtension):
    """How to send a token."""

    target_class = "casino.users.authentication.TokenAuthentication"
    name = "token"
    priority = 1

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, Any]:
        return {"type": "http", "scheme": "bearer", "description": "The token that POST /api/v1/auth/login answers."}


class Schema(AutoSchema):
    """What the framework cannot see by itself."""

    def get_auth(self) -> list[dict[str, Any]]:
        roles = self._roles()
        return [] if roles is not None and roles.public else super().get_auth()

    def get_description(self) -> str:  # type: ignore[override]
        roles = self._roles()
        text = super().get_description() or ""
        if roles is None or roles.public:
            return text
        names = "any user" if roles.any_user else ", ".join(sorted(roles.any_of))
        return f"{text}\n\nFor: {names}.".strip()

    def _roles(self) -> Roles | None:
        roles: Roles | Mapping[str, Roles] = cast("ApiView", self.view).roles
        return roles.get(self.method) if isinstance(roles, Mapping) else roles

    def _map_basic_serializer(self, serializer: Any, direction: str) -> dict[str, Any]:
        schema: dict[str, Any] = super()._map_basic_serializer(serializer, direction)
        if isinstance(force_instance(serializer), StrictSerializer):
            schema["additionalProperties"] = False
        if direction == "response" and schema.get("properties"):
            schema["required"] = sorted(schema["properties"])  # an answer is always whole
        return schema

    def _get_serializer_name(self, serializer: Any, direction: str, bypass_extensions: bool = False) -> str:
        name: str = super()._get_serializer_name(serializer, direction, bypass_extensions)
        return name.removesuffix("Request") if isinstance(serializer, StrictSerializer) else name


def add_problems(result: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
    """Give every operation the one answer that all errors share, with every code there is."""
    components = result.setdefault("components", {})
    components.setdefault("schemas", {})["Problem"] = _problem_schema()
    components.setdefault("responses", {})["Problem"] = {
        "description": "Any error (RFC 9457). Switch on `code`.",
        "headers": {
            "Retry-After": {"description": "With 429 and 503: seconds to wait.", "schema": {"type": "integer"}},
        },
        "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }
    for path in result["paths"].values():
        for operation in path.values():
            operation["responses"].setdefault("default", {"$ref": "#/components/responses/Problem"})
            if any(parameter["name"] == IF_NONE_MATCH.name for parameter in operation.get("parameters", ())):
                operation["responses"]["304"] = {"description": "The client has it."}
    return result


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

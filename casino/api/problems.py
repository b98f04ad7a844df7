"""Every error of the API as RFC 9457 problem details; clients switch on ``code``."""

import json
import logging
import sys
from itertools import islice
from typing import Any

import structlog
from django.core.exceptions import BadRequest, PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse
from rest_framework import exceptions, status

from casino import errors
from casino.api.parsing import MalformedJson
from casino.errors import CODES, DomainError

logger = logging.getLogger(__name__)

CONTENT_TYPE = "application/problem+json"
FAULTS_TOLD = 20
STATUS_BY_KIND: dict[type[DomainError], int] = {
    errors.InvalidInput: status.HTTP_400_BAD_REQUEST,
    errors.Unauthenticated: status.HTTP_401_UNAUTHORIZED,
    errors.Forbidden: status.HTTP_403_FORBIDDEN,
    errors.NotFound: status.HTTP_404_NOT_FOUND,
    errors.Conflict: status.HTTP_409_CONFLICT,
    errors.PreconditionFailed: status.HTTP_412_PRECONDITION_FAILED,
    errors.Refused: status.HTTP_422_UNPROCESSABLE_ENTITY,
    errors.PreconditionRequired: status.HTTP_428_PRECONDITION_REQUIRED,
    errors.RateLimited: status.HTTP_429_TOO_MANY_REQUESTS,
    errors.Busy: status.HTTP_503_SERVICE_UNAVAILABLE,
}
CODE_BY_STATUS = {
    400: "invalid_input",
    401: "unauthenticated",
    403: "forbidden",
    404: "not_found",
    405: "method_not_allowed",
    406: "not_acceptable",
    413: "body_too_large",
    415: "unsupported_media_type",
    500: "internal_error",
    503: "database_unavailable",
}


def problem(
    status_code: int, code: str, *, detail: str = "", details: dict[str, Any] | None = None, headers: dict[str, str] | None = None
) -> HttpResponse:
    """Make the answer to a request that failed.

    **Rule** ASCII only, so that no text a client sent can make the answer itself fail.
    """
    title = CODES.get(code, code.replace("_", " "))
    body = {
        "type": f"urn:casino:problem:{code}",
        "title": title,
        "status": status_code,
        "code": code,
        "detail": detail or title,
        "request_id": structlog.contextvars.get_contextvars().get("request_id"),
        "details": details or {},
    }
    content = json.dumps(body, separators=(",", ":"), default=str).encode()
    return HttpResponse(content, status=status_code, content_type=CONTENT_TYPE, headers=headers)


def domain_problem(error: DomainError) -> HttpResponse:
    """Answer a refusal of the domain with the status of its kind."""
    status_code = next(STATUS_BY_KIND[kind] for kind in type(error).__mro__ if kind in STATUS_BY_KIND)
    headers = {}
    if status_code in (409, 429, 503) and (status_code != 409 or "retry_after_seconds" in error.details):
        headers["Retry-After"] = str(error.details.get("retry_after_seconds", 1))
    if status_code == status.HTTP_401_UNAUTHORIZED:
        headers["WWW-Authenticate"] = "Bearer"
    return problem(status_code, error.code, detail=str(error), details=error.details, headers=headers)


def exception_handler(error: Exception, context: dict[str, Any]) -> HttpResponse:
    """Turn whatever a view raised into a problem; nothing of an unforeseen error leaks."""
    if isinstance(error, DomainError):
        return domain_problem(error)
    if isinstance(error, exceptions.ValidationError):
        return _validation_problem(error)
    if isinstance(error, exceptions.APIException):
        return _framework_problem(error)
    if isinstance(error, RequestDataTooBig):
        return problem(413, CODE_BY_STATUS[413])
    if isinstance(error, Http404):
        return problem(404, CODE_BY_STATUS[404])
    if isinstance(error, PermissionDenied):
        return problem(403, CODE_BY_STATUS[403])
    if isinstance(error, BadRequest | SuspiciousOperation):
        return problem(400, CODE_BY_STATUS[400])
    return _unforeseen_problem(error)


def _unforeseen_problem(error: BaseException | None) -> HttpResponse:
    if isinstance(error, OperationalError | InterfaceError):
        logger.warning("database unavailable", exc_info=error)
        return domain_problem(errors.Busy("database_unavailable", retry_after_seconds=1))
    logger.error("unforeseen error", exc_info=error)
    return problem(500, CODE_BY_STATUS[500])


def _framework_problem(error: exceptions.APIException) -> HttpResponse:
    headers = {}
    if challenge := getattr(error, "auth_header", None):
        headers["WWW-Authenticate"] = challenge
    is_json_fault = isinstance(error, MalformedJson | exceptions.ParseError)
    code = "malformed_json" if is_json_fault else CODE_BY_STATUS.get(error.status_code, "invalid_input")
    return problem(error.status_code, code, detail=str(error.detail), headers=headers)


def _validation_problem(error: exceptions.ValidationError) -> HttpResponse:
    faults = faults_of(error)
    first = faults[0]
    detail = f"{first['field']}: {first['message']}" if first["field"] else first["message"]
    return problem(400, "invalid_input", detail=detail, details={"field": first["field"], "errors": faults})


def faults_of(error: exceptions.ValidationError) -> list[dict[str, str]]:
    """Tell the first faults of an input: field, code and message of each."""
    return list(islice(_faults(error.get_full_details(), ""), FAULTS_TOLD))


def _faults(details: Any, path: str) -> Any:
    """Flatten the framework's nested errors to (dotted path, code, message)."""
    if isinstance(details, dict) and set(details) == {"message", "code"} and isinstance(details["code"], str):
        yield {"field": path, "code": details["code"], "message": str(details["message"])}
    elif isinstance(details, dict):
        for name, inner in details.items():
            yield from _faults(inner, path if name == "non_field_errors" else f"{path}.{name}".lstrip("."))
    else:
        for index, inner in enumerate(details):
            is_fault = isinstance(inner, dict) and set(inner) == {"message", "code"}
            yield from _faults(inner, path if is_fault else f"{path}.{index}".lstrip("."))


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer what the web server side of Django refuses."""
    return problem(400, CODE_BY_STATUS[400])


def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer what a middleware forbids."""
    return problem(403, CODE_BY_STATUS[403])


def page_not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer a path that leads nowhere."""
    return problem(404, CODE_BY_STATUS[404])


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer an error outside the API's views, with 503 when the database is the cause."""
    return _unforeseen_problem(sys.exc_info()[1])

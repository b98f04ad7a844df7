"""ETags and what clients say about them."""

import hashlib
import re
from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest
from rest_framework.request import Request

from casino.api.rendering import render_json
from casino.errors import PreconditionFailed, PreconditionRequired

_ETAG = re.compile(r'(?:W/)?"[^"]*"')


def etag_of(data: Any) -> str:
    """Derive the ETag of the viewer's own body.

    **Rule** ``server_time`` at the top level is left out: it changes while nothing does.
    """
    if isinstance(data, Mapping):
        data = {name: value for name, value in data.items() if name != "server_time"}
    return f'"{hashlib.sha256(render_json(data)).hexdigest()[:32]}"'


def none_match(request: Request | HttpRequest, etag: str) -> bool:
    """Tell whether the client lacks this version (so that it must be sent)."""
    header = request.headers.get("If-None-Match", "")
    known = {tag.removeprefix("W/") for tag in _ETAG.findall(header)}
    return header.strip() != "*" and etag.removeprefix("W/") not in known


def if_match(request: Request | HttpRequest) -> str:
    """Read the version that the client saw.

    **Errors** PreconditionRequired when it does not say.
    """
    header = request.headers.get("If-Match", "").strip()
    if not header:
        raise PreconditionRequired("precondition_required")
    return header


def version_check(seen: str, etag: str) -> None:
    """Compare what the client saw with what is there; call it under the object's lock.

    **Errors** PreconditionFailed when they differ; ``*`` and weak tags match nothing, since they name no version.
    """
    if etag not in _ETAG.findall(seen):
        raise PreconditionFailed("precondition_failed")

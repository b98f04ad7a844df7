"""ETags and what clients say about them."""

import hashlib
import re
from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest
from rest_framework.request import Request

from casino.api.rendering import render_json

_ETAG = re.compile(r'(?:W/)?"[^"]*"')
_VERSION_ETAG = re.compile(r'"([1-9][0-9]{0,17})"', re.ASCII)


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


def version_etag(version: int) -> str:
    """Make the ETag of something that counts its versions, from 1."""
    return f'"{version}"'


def version_seen(request: Request | HttpRequest) -> int | None:
    """Read from If-Match the version that the client saw: None when it does not say.

    **Rule** ``*`` and weak tags name no version: they are 0, which nothing has.
    """
    header = request.headers.get("If-Match", "").strip()
    if not header:
        return None
    seen = _VERSION_ETAG.fullmatch(header)
    return int(seen[1]) if seen else 0

"""One way from data to bytes, so that an answer given again is the same to the byte."""

from typing import Any

from rest_framework.renderers import JSONRenderer

CONTENT_TYPE = "application/json"


def render_json(data: Any) -> bytes:
    """Render an answer's data as the API sends it."""
    return JSONRenderer().render(data)

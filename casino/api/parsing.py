"""Bodies are strict JSON: one reading, whoever reads it."""

import json
from collections.abc import Callable, Mapping
from copy import copy
from functools import cache
from typing import IO, Any, Never

from rest_framework import serializers, status
from rest_framework.exceptions import APIException, UnsupportedMediaType
from rest_framework.parsers import BaseParser
from rest_framework.utils.mediatypes import _MediaType

MAX_BODY_BYTES = 256 * 1024
MAX_DEPTH = 32


class BodyTooLarge(APIException):
    """More bytes than any request of this API needs."""

    status_code = status.HTTP_413_REQUEST_ENTITY_TOO_LARGE


class MalformedJson(APIException):
    """Not one strict JSON value; the message says where it goes wrong."""

    status_code = status.HTTP_400_BAD_REQUEST


class StrictJSONParser(BaseParser):
    """Parse UTF-8 JSON without duplicate keys, NaN, Infinity or bottomless nesting.

    Floats pass here and are refused by the fields, which can name themselves.
    """

    media_type = "application/json"

    def parse(self, stream: IO[bytes], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None) -> Any:
        charset = _MediaType(media_type or "").params.get("charset", "utf-8")
        if charset.lower() not in ("utf-8", "utf8"):
            raise UnsupportedMediaType(media_type or "")
        content = stream.read(MAX_BODY_BYTES + 1)
        if len(content) > MAX_BODY_BYTES:
            raise BodyTooLarge(f"At most {MAX_BODY_BYTES} bytes.")
        return parse_json(content)


def parse_json(content: bytes) -> Any:
    """Read one JSON value.

    **Errors** MalformedJson, with the reason.
    """
    try:
        value = json.loads(content.decode(), object_pairs_hook=_object, parse_constant=_refuse_constant)
    except UnicodeDecodeError as error:
        raise MalformedJson("The body is not UTF-8.") from error
    except RecursionError as error:
        raise MalformedJson("The body is nested too deep.") from error
    except ValueError as error:
        raise MalformedJson(f"The body is not JSON: {error}.") from error
    if _is_deeper(value, MAX_DEPTH):
        raise MalformedJson("The body is nested too deep.")
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        raise ValueError("a key appears twice")
    return result


def _refuse_constant(name: str) -> Never:
    raise ValueError(f"{name} is not a number")


def _is_deeper(value: Any, limit: int) -> bool:
    level = [value]
    for _ in range(limit):
        level = [
            inner
            for outer in level
            if isinstance(outer, dict | list)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
        if not level:
            return False
    return True


def validated(serializer_class: Callable[..., serializers.BaseSerializer[Any]], data: Any) -> dict[str, Any]:
    """Read a body by its serializer.

    **Errors** 400 naming the field.
    """
    serializer = copy(_prepared(serializer_class))
    serializer.initial_data = data
    serializer.is_valid(raise_exception=True)
    return dict(serializer.validated_data)


@cache
def _prepared(serializer_class: Callable[..., serializers.BaseSerializer[Any]]) -> serializers.BaseSerializer[Any]:
    """Make a body's fields once: they keep nothing of what they read, and making them takes longer than reading by them."""
    serializer = serializer_class(data=None)
    _ = getattr(serializer, "fields", None)
    return serializer

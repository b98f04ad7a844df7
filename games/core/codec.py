"""JSON in one spelling: RFC 8785 with integers only, and strict reading of what comes from outside.

Hashes are taken over this spelling, so two programs that agree on a value agree on its hash. Python's encoder writes exactly the
RFC's text for what ``parse`` lets through: keys in ASCII, whole numbers up to 2^53 - 1, no half surrogate pairs.
"""

import hashlib
import json
from collections.abc import Mapping
from typing import Any, NoReturn

from games.core.errors import InvalidData

MAX_INTEGER = 2**53 - 1
"""The largest whole number that every JSON reader keeps exactly."""

quoted = json.encoder.encode_basestring
"""Return the canonical JSON of a text."""
_encoder = json.JSONEncoder(ensure_ascii=False, check_circular=False, allow_nan=False, sort_keys=True, separators=(",", ":"))


def _pieces_of(value: Any, level: int) -> tuple[str]:
    """Write a value where Python comes without its encoder in C."""
    return (_encoder.encode(value),)


_make = json.encoder.c_make_encoder  # type: ignore[attr-defined]
_pieces = _make(None, _encoder.default, quoted, None, ":", ",", True, False, False) if _make else _pieces_of
"""What ``JSONEncoder.encode`` makes anew at every call and then calls, to the same text."""


def canonical(value: Any) -> bytes:
    """Return the one spelling of a value that ``parse`` read or an engine dumped.

    Floats and large numbers are kept out where values enter, not looked for again here: a step is hashed several times.

    **Errors** InvalidData for text that is not Unicode, or for nesting too deep to write.
    """
    try:
        return "".join(_pieces(value, 0)).encode()
    except (UnicodeEncodeError, RecursionError):
        raise InvalidData("", "holds half of a surrogate pair or is nested too deep") from None


def digest(value: Any) -> str:
    """Return the SHA-256 of a value's canonical JSON, in lower-case hex."""
    return hashlib.sha256(canonical(value)).hexdigest()


def parse(text: bytes) -> Any:
    """Read JSON strictly.

    **Errors** InvalidData for anything but JSON in UTF-8, a key twice or not ASCII, a fraction or exponent, a number beyond
    2^53 - 1, a minus zero, half a surrogate pair, or nesting that exhausts the reader.
    """
    try:
        source = text.decode()
        value = json.loads(source, object_pairs_hook=_object, parse_float=_fraction, parse_int=_integer, parse_constant=_fraction)
    except UnicodeDecodeError:
        raise InvalidData("", "is not UTF-8") from None
    except json.JSONDecodeError as error:
        raise InvalidData("", f"is not JSON: {error}") from None
    except RecursionError:
        raise InvalidData("", "is nested too deep") from None
    if "\\u" in source:
        canonical(value)
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise InvalidData("", f"has a key twice: {', '.join(key for key, _ in pairs)}")
    if not "".join(value).isascii():
        raise InvalidData("", "has a key that is not ASCII")
    return value


def _integer(text: str) -> int:
    if len(text) > 17 or text == "-0":
        raise InvalidData("", f"{text[:20]} is not a whole number within 2^53 - 1")
    value = int(text)
    if not -MAX_INTEGER <= value <= MAX_INTEGER:
        raise InvalidData("", f"{text} is not a whole number within 2^53 - 1")
    return value


def _fraction(text: str) -> NoReturn:
    raise InvalidData("", f"{text[:20]} is not a whole number")


class Fields:
    """Read a JSON object strictly, key by key; ``end`` refuses the keys that nothing asked for.

    **Errors** InvalidData names the field by its dotted path.
    """

    __slots__ = ("_data", "_path", "_unread")

    def __init__(self, data: object, path: str = "") -> None:
        if not isinstance(data, (dict, Mapping)):
            raise InvalidData(path, "must be an object")
        self._data: Mapping[str, Any] = data
        self._path = path
        self._unread = set(data)

    def path(self, key: str) -> str:
        """Return the dotted path of a key."""
        return f"{self._path}.{key}" if self._path else key

    def __contains__(self, key: str) -> bool:
        return key in self._data

    def value(self, key: str) -> Any:
        """Return what stands under a key that must be there."""
        self._unread.discard(key)
        try:
            return self._data[key]
        except KeyError:
            raise InvalidData(self.path(key), "is missing") from None

    def integer(self, key: str, least: int, most: int = MAX_INTEGER, *, default: int | None = None) -> int:
        """Return a whole number within bounds, or the default of a key that may be left out; true and false are not numbers."""
        if default is not None and key not in self._data:
            return default
        value = self.value(key)
        if type(value) is not int:
            raise InvalidData(self.path(key), "must be a whole number")
        if not least <= value <= most:
            raise InvalidData(self.path(key), f"must be from {least} to {most}")
        return value

    def text(self, key: str, longest: int = 64) -> str:
        """Return a text of at most ``longest`` characters."""
        value = self.value(key)
        if type(value) is not str or len(value) > longest:
            raise InvalidData(self.path(key), f"must be a text of at most {longest} characters")
        return value

    def items(self, key: str, least: int, most: int) -> list[Any]:
        """Return a list of ``least`` to ``most`` items."""
        value = self.value(key)
        if not isinstance(value, (list, tuple)) or not least <= len(value) <= most:
            raise InvalidData(self.path(key), f"must be a list of {least} to {most}")
        return list(value)

    def fields(self, key: str) -> "Fields":
        """Return the object under a key, to read in turn."""
        return Fields(self.value(key), self.path(key))

    def others(self, key: str) -> dict[str, Any]:
        """Return the object without one key, for another reader."""
        return {name: value for name, value in self._data.items() if name != key}

    def end(self) -> None:
        """Refuse keys that nothing has read."""
        if self._unread:
            raise InvalidData(self.path(min(map(str, self._unread))), "is not known here")

"""Fields that take a JSON value of their own type and nothing that merely resembles it."""

import re
import unicodedata
import uuid
from collections.abc import Collection
from datetime import datetime
from typing import Any, Never

from django.core.validators import RegexValidator
from rest_framework import serializers

MAX_SAFE_INTEGER = 2**53 - 1
REASON_LENGTH_MAX = 500
_BIDI_CONTROLS = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_UUID_TEXT = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.ASCII)
_INTEGER_TEXT = re.compile(r"0|-?[1-9][0-9]{0,15}", re.ASCII)
_MOMENT_TEXT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?(Z|[+-]\d\d:\d\d)", re.ASCII)


class StrictIntegerField(serializers.IntegerField):
    """A JSON integer that every client can hold exactly: not ``"5"``, ``5.0`` or ``true``."""

    def __init__(self, *, min_value: int = -MAX_SAFE_INTEGER, max_value: int = MAX_SAFE_INTEGER, **kwargs: Any) -> None:
        super().__init__(min_value=min_value, max_value=max_value, **kwargs)

    def to_internal_value(self, data: Any) -> int:
        if type(data) is not int:
            self.fail("invalid")
        return data


class MinorAmountField(StrictIntegerField):
    """A positive amount in the currency's minor unit."""

    def __init__(self, *, min_value: int = 1, **kwargs: Any) -> None:
        super().__init__(min_value=min_value, **kwargs)


class StrictBooleanField(serializers.BooleanField):
    """``true`` or ``false``."""

    def to_internal_value(self, data: Any) -> bool:
        if type(data) is not bool:
            self.fail("invalid", input=data)
        return data


class QueryBooleanField(serializers.BooleanField):
    """``true`` or ``false`` in a query string, where all is text."""

    def to_internal_value(self, data: Any) -> bool:
        if data not in ("true", "false"):
            self.fail("invalid", input=data)
        return bool(data == "true")


class QueryIntegerField(StrictIntegerField):
    """An integer in a query string, where all is text; written as JSON writes it."""

    def to_internal_value(self, data: Any) -> int:
        if type(data) is not str or not _INTEGER_TEXT.fullmatch(data):
            self.fail("invalid")
        return int(data)


class TextField(serializers.CharField):
    """Text of bounded length that shows what it is: no control characters, lone surrogates or bidirectional overrides.

    It is kept as it came: texts that a hash covers must not be normalised. Spaces alone are no text where there must be one.
    """

    default_error_messages = {"unprintable": "Control characters and broken Unicode are not allowed."}

    def __init__(self, *, max_length: int, **kwargs: Any) -> None:
        super().__init__(max_length=max_length, trim_whitespace=False, **kwargs)

    def to_internal_value(self, data: Any) -> str:
        if type(data) is not str:
            self.fail("invalid")
        if any(unicodedata.category(c) in ("Cc", "Cs") or c in _BIDI_CONTROLS for c in data):
            self.fail("unprintable")
        if not (self.allow_blank or data.strip()):
            self.fail("blank")
        return super().to_internal_value(data)

    def run_validation(self, data: Any = serializers.empty) -> Any:
        if data is not serializers.empty and data is not None and type(data) is not str:
            self.fail("invalid")
        return super().run_validation(data)


class CodeField(TextField):
    """Text of one pattern, such as a short name in a path."""

    def __init__(self, pattern: str, *, message: str, **kwargs: Any) -> None:
        super().__init__(validators=[RegexValidator(pattern, message)], **kwargs)


class CurrencyField(CodeField):
    """An ISO 4217 code in capitals."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__("^[A-Z]{3}$", message="A currency is three capital letters.", max_length=3, **kwargs)


class HashField(serializers.RegexField):
    """A SHA-256 in lower-case hexadecimal."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__("^[0-9a-f]{64}$", **kwargs)


class ReasonField(TextField):
    """Why; it goes into the audit trail."""

    def __init__(self, **kwargs: Any) -> None:
        one_line = RegexValidator(r"^\S(.*\S)?$", "One line of text, without spaces around it.")
        super().__init__(max_length=REASON_LENGTH_MAX, validators=[one_line], **kwargs)


class StrictUUIDField(serializers.UUIDField):
    """A UUID in its lower-case text form."""

    def to_internal_value(self, data: Any) -> uuid.UUID:
        if type(data) is not str or not _UUID_TEXT.fullmatch(data):
            self.fail("invalid", value=data)
        return uuid.UUID(data)


class StrictChoiceField(serializers.ChoiceField):
    """One of the listed texts, spelled as listed; ``component`` names the list in the reference."""

    default_error_messages = {"invalid_choice": '"{input}" is none of: {permitted}.'}

    def __init__(self, *, component: str | None = None, **kwargs: Any) -> None:
        self.component = component
        super().__init__(**kwargs)

    def to_internal_value(self, data: Any) -> Any:
        if type(data) is not str or data not in self.choices:
            self.fail("invalid_choice", input=data, permitted=", ".join(map(str, self.choices)))
        return data


class MomentField(serializers.DateTimeField):
    """An instant: date, time and offset from UTC, RFC 3339."""

    def to_internal_value(self, value: Any) -> datetime:
        if type(value) is not str or not _MOMENT_TEXT.fullmatch(value):
            self.fail("invalid", format="YYYY-MM-DDThh:mm:ss[.ffffff]Z")
        return super().to_internal_value(value)


class StrictJSONField(serializers.JSONField):
    """A JSON object whose shape a game's own schema fixes; numbers in it are integers all the same."""

    default_error_messages = {
        "not_object": "This must be an object.",
        "number": "Numbers must be integers within 2^53.",
        "text": "Control characters and broken Unicode are not allowed.",
    }

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        if not isinstance(data, dict):
            self.fail("not_object")
        self._check(data, ())
        return data

    def _check(self, value: Any, path: tuple[str, ...]) -> None:
        if isinstance(value, dict):
            for key, inner in value.items():
                self._check(key, path)
                self._check(inner, (*path, key))
        elif isinstance(value, list):
            for index, inner in enumerate(value):
                self._check(inner, (*path, str(index)))
        elif isinstance(value, float) or (isinstance(value, int) and abs(value) > MAX_SAFE_INTEGER):
            self._refuse("number", path)
        elif isinstance(value, str) and any(unicodedata.category(c) in ("Cc", "Cs") for c in value):
            self._refuse("text", path)

    def _refuse(self, code: str, path: tuple[str, ...]) -> Never:
        """Nest the message under its path, as a serializer's errors are nested."""
        detail: Any = [self.error_messages[code]]
        for key in reversed(path):
            detail = {key: detail}
        raise serializers.ValidationError(detail, code=code)


class BoundedListField(serializers.ListField):
    """A list whose length is looked at before its items are."""

    def to_internal_value(self, data: Any) -> list[Any]:
        if isinstance(data, list) and self.max_length is not None and len(data) > self.max_length:
            self.fail("max_length", max_length=self.max_length)
        return super().to_internal_value(data)


class StrictSerializer(serializers.Serializer[Any]):
    """A body whose every key is known; an unknown one is refused by name, at any depth."""

    default_error_messages = {"unknown": "Unknown field."}

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, dict):
            unknown = [key for key in data if key not in self.fields or self.fields[key].read_only]
            if unknown:
                message = self.error_messages["unknown"]
                raise serializers.ValidationError({key: [message] for key in unknown}, code="unknown")
        return super().to_internal_value(data)


class ReasonBody(StrictSerializer):
    """Why; it goes into the audit trail."""

    reason = ReasonField()


class EmptyBody(StrictSerializer):
    """A body with nothing in it."""


def tags(known: Collection[str]) -> StrictChoiceField:
    """Make the field that tells several bodies apart."""
    return StrictChoiceField(choices=sorted(known))


def tag_of(data: Any, name: str, field: StrictChoiceField) -> str:
    """Return which of several bodies this is, by the text under one name. **Errors** 400 names it."""
    if not isinstance(data, dict):
        raise serializers.ValidationError("This must be an object.")
    try:
        tag: str = field.run_validation(data.get(name, serializers.empty))
    except serializers.ValidationError as error:
        raise serializers.ValidationError({name: error.detail}) from error
    return tag

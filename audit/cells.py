"""What a CSV file is called and what its cells say: no spreadsheet takes a text for a formula, and all can be had back."""

import json
from datetime import datetime
from typing import Any
from unicodedata import category, normalize

from games.rounds.records import iso

CSV = "text/csv"
CSV_CONTENT_TYPE = f"{CSV}; charset=utf-8; header=present"
"""RFC 4180: the first line names what stands below it."""
_FORMULA = frozenset("=+-@")
"""What begins a formula, in its wide forms too; some spreadsheets drop blanks, control and format characters before it."""
_MARKED = ("\t", "\r", "\n", "'")
"""What else is marked; the mark itself, so that it can be undone."""


def cell(value: Any) -> str | int:
    """Return what a CSV cell says of a value: numbers as they are, texts disarmed, times in UTC, anything else as JSON.

    **Rule** A text that begins like a formula, be it behind blanks, or with an apostrophe of its own, gets an apostrophe in
    front: taking one away, where a cell begins with one, gives the text back.
    """
    if value is None:
        return ""
    if type(value) is int:
        return value
    if isinstance(value, datetime):
        return iso(value)
    is_plain = not isinstance(value, (bool, dict, list, tuple))
    text = str(value) if is_plain else json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return f"'{text}" if text.startswith(_MARKED) or _is_formula(text) else text


def _is_formula(text: str) -> bool:
    seen = next((character for character in text if not (character.isspace() or category(character) in ("Cc", "Cf"))), "")
    return normalize("NFKC", seen)[:1] in _FORMULA

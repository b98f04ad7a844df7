"""Reports as text: the same figures in both formats, and no cell that a spreadsheet would carry out."""

import csv
import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.cells import cell
from audit.reports.formats import csv_text

JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


def uncell(text: str) -> str:
    """Take the mark away, as docs/reports.md says it is done."""
    return text.removeprefix("'")


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("=1+1", "'=1+1"),
        ("+49", "'+49"),
        ("-2+3", "'-2+3"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("\t=1", "'\t=1"),
        ("\r=1", "'\r=1"),
        ("＝1", "'＝1"),
        ("﹢1", "'﹢1"),
        (" =1+1", "' =1+1"),
        ("\u00a0+1", "'\u00a0+1"),
        ("\u3000＠x", "'\u3000＠x"),
        ("\u200b-1", "'\u200b-1"),
        ("\ufeff=1", "'\ufeff=1"),
        ("\x00=1", "'\x00=1"),
        (" plain", " plain"),
        ("", ""),
        ("'quoted", "''quoted"),
        ("plain = text", "plain = text"),
        (-500, -500),
        (True, "true"),
        (None, ""),
        ({"b": 1, "a": "="}, '{"a":"=","b":1}'),
        (["-1"], '["-1"]'),
    ],
)
def test_text_that_looks_like_a_formula_is_marked_and_numbers_are_not(value: Any, shown: Any) -> None:
    assert cell(value) == shown


@given(st.text(max_size=30))
def test_a_mark_can_be_taken_away_again(text: str) -> None:
    shown = cell(text)
    assert uncell(shown) == text
    assert shown == "" or shown[0] not in "=+-@\t\r\n＝＋－＠"
    assert not str(shown).strip().startswith(tuple("=+-@＝＋－＠"))


def document(rows: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "format": "casino-report/1",
        "header": {"title": "=A", "hall": None, "interval": {"kind": "day"}},
        "columns": [{"name": "text", "type": "text"}, {"name": "n", "type": "integer"}, {"name": "any", "type": "data"}],
        "rows": rows,
        "totals": [{"currency": "EUR", "n": sum(row["n"] for row in rows)}] if rows else [],
        "checks": [{"check": "c", "currency": None, "expected": -1, "found": -1, "agrees": True}],
    }


@given(st.lists(st.fixed_dictionaries({"text": st.text(max_size=20), "n": st.integers(-(2**53), 2**53), "any": JSON_VALUES})))
def test_what_is_read_from_the_csv_is_what_was_written(rows: list[dict[str, Any]]) -> None:
    text = csv_text(document(rows))
    read = list(csv.reader(io.StringIO(text, newline="")))
    assert read[:2] == [["header", "value"], ["format", "casino-report/1"]]
    assert ["title", "'=A"] in read
    begin, end = (
        read.index(["rows", "text", "n", "any"]) + 1,
        len(read) - 1 - read[::-1].index(["totals", *(["currency", "n"] if rows else [])]),
    )
    back = [(uncell(line[1]), int(line[2]), uncell(line[3])) for line in read[begin : end - 1]]
    assert back == [(row["text"], row["n"], as_text(row["any"])) for row in rows]


def as_text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))

"""A body is taken as it is meant or refused by the name of the field; nothing is guessed."""

import json
from typing import Any

import pytest

from casino.api.parsing import MAX_DEPTH
from tests.user_builders import client, code_of

pytestmark = pytest.mark.urls("tests.api.probe")

REFUSED: list[tuple[str, str]] = [
    ("amount_minor", '"5"'),
    ("amount_minor", "5.0"),
    ("amount_minor", "1e400"),
    ("amount_minor", "true"),
    ("amount_minor", "null"),
    ("amount_minor", '"٥"'),
    ("amount_minor", "0"),
    ("amount_minor", "-5"),
    ("amount_minor", "9007199254740992"),
    ("amount_minor", "[5]"),
    ("offset", "-9007199254740992"),
    ("currency", '"eur"'),
    ("currency", '"EURO"'),
    ("currency", '"ЕUR"'),
    ("currency", '"EUR\\n"'),
    ("flag", '"true"'),
    ("flag", "1"),
    ("text", "5"),
    ("text", "false"),
    ("text", "[]"),
    ("text", '""'),
    ("text", '"   "'),
    ("text", '"longer than ten"'),
    ("text", '"a\\u0000b"'),
    ("text", '"a\\nb"'),
    ("text", '"\\ud800"'),
    ("text", '"\\u202eabc"'),
    ("uuid", "5"),
    ("uuid", '"00000000000000000000000000000000"'),
    ("uuid", '"urn:uuid:00000000-0000-0000-0000-000000000000"'),
    ("moment", '"2030-01-01"'),
    ("moment", '"2030-01-01T00:00:00"'),
    ("moment", '"2030-13-01T00:00:00Z"'),
    ("moment", "1893456000"),
    ("choice", "1"),
    ("choice", '"b"'),
    ("data", "[]"),
    ("data.limit", '{"limit": 5.0}'),
    ("data.list.1", '{"list": [1, 9007199254740992]}'),
    ("data.deep.text", '{"deep": {"text": "\\ud800"}}'),
    ("inner.amount_minor", '{"amount_minor": "5"}'),
    ("inner.surplus", '{"amount_minor": 5, "surplus": 1}'),
    ("items.0.surplus", '[{"amount_minor": 5, "surplus": 1}]'),
    ("surplus", "1"),
]


def post(raw: Any) -> Any:
    return client().generic("POST", "/echo", raw, content_type="application/json")


@pytest.mark.parametrize(("path", "value"), REFUSED, ids=lambda part: part)
def test_what_merely_resembles_is_refused_by_name(db: None, path: str, value: str) -> None:
    response = post(f'{{"{path.split(".")[0]}": {value}}}')
    assert code_of(response, 400) == "invalid_input"
    details = response.json()["details"]
    assert details["field"] == path
    assert {fault["field"] for fault in details["errors"]} == {path}


@pytest.mark.parametrize(
    "body",
    [
        {"amount_minor": 1},
        {"amount_minor": 2**53 - 1},
        {"offset": -5},
        {"currency": "EUR"},
        {"flag": False},
        {"text": "Zoë 👩‍🚀"},
        {"moment": "2030-01-01T00:00:00.5+01:00"},
        {"uuid": "00000000-0000-0000-0000-000000000000"},
        {"choice": "1"},
        {"data": {"ante": {"min": 10, "steps": [1, 2]}}},
        {"items": [{"amount_minor": 5}]},
        {},
    ],
    ids=str,
)
def test_what_is_meant_is_taken(db: None, body: dict[str, Any]) -> None:
    response = client().post("/echo", body)
    assert response.status_code == 200, response.content
    assert set(response.json()) == set(body)


def test_several_faults_are_told_at_once(db: None) -> None:
    response = client().post("/echo", {"amount_minor": "5", "currency": "eur"})
    assert [fault["field"] for fault in response.json()["details"]["errors"]] == ["amount_minor", "currency"]


@pytest.mark.parametrize(
    "raw",
    [
        b'{"amount_minor": 5, "amount_minor": 6}',
        b'{"inner": {"amount_minor": 5, "amount_minor": 5}}',
        b'{"amount_minor": NaN}',
        b'{"amount_minor": -Infinity}',
        b'{"amount_minor": 05}',
        b'{"amount_minor": ' + b"9" * 5000 + b"}",
        b"{'amount_minor': 5}",
        b'{"amount_minor": 5,}',
        b'{"amount_minor": 5} {}',
        b'\xef\xbb\xbf{"amount_minor": 5}',
        b'{"text": "\xff"}',
        b"[" * 100_000,
        b'{"data": ' * (MAX_DEPTH + 1) + b"1" + b"}" * (MAX_DEPTH + 1),
    ],
    ids=lambda raw: raw[:40].decode(errors="replace"),
)
def test_what_is_not_one_strict_json_value_is_refused(db: None, raw: bytes) -> None:
    assert code_of(post(raw), 400) == "malformed_json"


@pytest.mark.parametrize("raw", ["[]", "5", "null", '"text"'])
def test_what_is_not_an_object_is_refused(db: None, raw: str) -> None:
    assert code_of(post(raw), 400) == "invalid_input"


def test_an_unknown_key_that_cannot_be_written_is_refused_all_the_same(db: None) -> None:
    response = post('{"\\ud800": 1}')
    assert code_of(response, 400) == "invalid_input"
    assert json.loads(response.content)["details"]["field"] == "\ud800"

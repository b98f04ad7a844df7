"""One spelling of JSON, and strict reading."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.core.codec import MAX_INTEGER, Fields, canonical, digest, parse
from games.core.errors import InvalidData

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-MAX_INTEGER, MAX_INTEGER) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(st.characters(max_codepoint=127)), inner, max_size=4),
    max_leaves=12,
)


def test_canonical_follows_rfc_8785():
    value = {"b": 1, "a": [True, None, '\x1f\x7f"\\\n/é€😀'], "aa": {}, "A": -5}
    assert canonical(value) == '{"A":-5,"a":[true,null,"\\u001f\x7f\\"\\\\\\n/é€😀"],"aa":{},"b":1}'.encode()


@given(JSON)
def test_canonical_writes_what_pythons_own_encoder_writes(value):
    assert canonical(value).decode() == json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def test_canonical_refuses_what_is_no_json():
    with pytest.raises(TypeError, match="not JSON serializable"):
        canonical({"a": {1}})
    with pytest.raises(InvalidData):
        canonical("\ud800")


def test_digest_is_over_the_canonical_text():
    assert digest({}) == "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"


def test_parse_reads_back_what_canonical_wrote():
    value = {"n": MAX_INTEGER, "m": -MAX_INTEGER, "t": "жѣ\\u", "l": [[], {}, False]}
    assert parse(canonical(value)) == value


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"nothing",
        b"\xff",
        b"\xef\xbb\xbf{}",
        b'{"a":1,"a":1}',
        b'{"a":{"b":1,"b":2}}',
        '{"ключ":1}'.encode(),
        b"1.0",
        b"1e3",
        b"-0",
        b"NaN",
        b"-Infinity",
        str(MAX_INTEGER + 1).encode(),
        str(-MAX_INTEGER - 1).encode(),
        b"1" * 5000,
        b'"\\ud800"',
        b'["\\udc00\\ud800"]',
        b'"\t"',
        b"[" * 100_000,
        b"[" * 100_000 + b"]" * 100_000,
        b"[1] [2]",
        "٥".encode(),
    ],
)
def test_parse_refuses_what_is_not_strict_json(text):
    with pytest.raises(InvalidData):
        parse(text)


def test_fields_read_an_object_key_by_key():
    fields = Fields(parse(b'{"n":3,"t":"x","l":[1,2],"o":{"k":1}}'), "top")
    assert (fields.integer("n", 1), fields.text("t"), fields.items("l", 1, 2)) == (3, "x", [1, 2])
    inner = fields.fields("o")
    assert inner.integer("k", 0, 1) == 1
    inner.end()
    fields.end()


@pytest.mark.parametrize(
    ("read", "field"),
    [
        (lambda f: f.integer("absent", 0), "top.absent"),
        (lambda f: f.integer("flag", 0), "top.flag"),
        (lambda f: f.integer("text", 0), "top.text"),
        (lambda f: f.integer("n", 4), "top.n"),
        (lambda f: f.integer("n", 0, 2), "top.n"),
        (lambda f: f.text("n"), "top.n"),
        (lambda f: f.text("text", longest=1), "top.text"),
        (lambda f: f.items("text", 0, 9), "top.text"),
        (lambda f: f.items("l", 0, 1), "top.l"),
        (lambda f: f.fields("o").integer("k", 2), "top.o.k"),
        (lambda f: f.fields("n"), "top.n"),
        (lambda f: f.end(), "top.flag"),
    ],
)
def test_fields_name_what_they_refuse(read, field):
    fields = Fields(json.loads('{"n":3,"text":"12","flag":true,"l":[1,2],"o":{"k":1}}'), "top")
    with pytest.raises(InvalidData) as refused:
        read(fields)
    assert refused.value.field == field

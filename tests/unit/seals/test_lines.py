"""Lines of an export as they are read, before anything is checked."""

import pytest

from audit.seals.lines import line_read


def test_whole_numbers_and_texts_are_read() -> None:
    assert line_read('{"id":9007199254740993,"name":"Київ"}\n'.encode()) == {"id": 2**53 + 1, "name": "Київ"}


@pytest.mark.parametrize(
    "text",
    [
        b'{"amount_minor":1,"amount_minor":100}',
        b'{"leaf":{"id":1,"id":1}}',
        b'{"amount_minor":1.0}',
        b'{"amount_minor":NaN}',
        b'{"name":"\\ud800"}',
        b'{"name":"\xff"}',
        b"\xef\xbb\xbf{}",
        b"[" * 100_000,
    ],
)
def test_what_two_readers_may_read_differently_is_refused(text: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        line_read(text)

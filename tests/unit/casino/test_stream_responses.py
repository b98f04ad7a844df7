"""A server that keeps no stream open tells all that there is, and its end only after everything else."""

import re

import pytest

from tests.unit.casino.stream_log import Log, opened


def told(log: Log, after: int) -> tuple[list[int], bool]:
    """Return the numbers of the events that a client gets, and whether it hears of the end after them."""
    text = b"".join(opened(log, after).so_far()).decode()
    return [int(number) for number in re.findall(r"^id: (\d+)$", text, re.M)], text.endswith("event: end\ndata: {}\n\n")


@pytest.mark.parametrize("is_over", [False, True])
def test_who_lacks_many_portions_gets_them_all_and_the_end_only_then(is_over: bool) -> None:
    log = Log()
    log.written, log.closed = 13, is_over
    assert told(log, 0) == (list(range(1, 14)), is_over)
    assert told(log, 13) == ([], is_over)


def test_who_resumes_is_told_the_position_where_things_may_have_changed_without_a_message() -> None:
    log = Log()
    log.written = 3
    assert b"position" not in b"".join(opened(log, 1).so_far())
    log.changes = 1
    assert b"".join(opened(log, 1).so_far()).endswith(b"id: 3\ndata: {}\n\nevent: position\nid: 3\ndata: 1\n\n")
    assert b"position" not in b"".join(opened(log, 1, epoch=1).so_far())
    log.closed = True
    assert b"position" not in b"".join(opened(log, 1).so_far())

"""Limit sets of games among players: bounds of the stake, and the rake of their tables."""

import pytest

from games.core.errors import InvalidData
from games.core.limits import NO_STAKE_LIMIT, TableLimits, parse_table_limits
from games.core.pot import NO_RAKE, Rake

BOUNDS = {"min_minor": 10, "max_minor": 100, "step_minor": 10}


def test_limits_of_a_table_are_read_as_they_are_written():
    limits = parse_table_limits({"stakes": {"ante": BOUNDS}, "rake": {"basis_points": 250, "cap_minor": 9}}, "ante")
    assert limits.rake == Rake(250, 9)
    assert limits.dump()["stakes"] == {"ante": BOUNDS}
    assert parse_table_limits(limits.dump(), "ante") == limits


def test_without_a_rake_there_is_none():
    assert parse_table_limits({"stakes": {"ante": BOUNDS}}, "ante").rake == NO_RAKE
    assert TableLimits("ante").stake == NO_STAKE_LIMIT


@pytest.mark.parametrize(
    ("data", "field"),
    [
        ({}, "limits.stakes"),
        ({"stakes": {"entry": BOUNDS}}, "limits.stakes.ante"),
        ({"stakes": {"ante": BOUNDS, "entry": BOUNDS}}, "limits.stakes.entry"),
        ({"stakes": {"ante": BOUNDS | {"min_minor": 110}}}, "limits.stakes.ante.max_minor"),
        ({"stakes": {"ante": BOUNDS}, "rake": {}}, "limits.rake.basis_points"),
        ({"stakes": {"ante": BOUNDS}, "tip": 1}, "limits.tip"),
    ],
)
def test_limits_that_make_no_sense_are_refused(data, field):
    with pytest.raises(InvalidData) as refused:
        parse_table_limits(data, "ante", "limits")
    assert refused.value.field == field

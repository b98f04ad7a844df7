"""Rake and pots."""

import pytest

from games.core.codec import Fields
from games.core.engine import Move
from games.core.errors import InvalidData
from games.core.pot import NO_RAKE, Rake, parse_rake, pot_moves
from games.core.record import escrow_balance


def test_the_rake_is_rounded_down_and_capped():
    assert Rake(250).of(999) == 24
    assert Rake(250, 20).of(999) == 20
    assert Rake(250, 0).of(999) == 0
    assert NO_RAKE.of(10**12) == 0


def test_the_rake_comes_before_sharing_and_odd_units_go_to_the_lowest_winner():
    assert pot_moves(101, 5, [4, 1, 2], Rake(100)) == (
        Move("rake", 1, 5, "rake"),
        Move("release", 1, 168, "pot"),
        Move("release", 2, 166, "pot"),
        Move("release", 4, 166, "pot"),
    )


def test_a_move_of_nothing_is_not_made():
    assert pot_moves(10, 2, [1], NO_RAKE) == (Move("release", 1, 20, "pot"),)
    assert pot_moves(10, 2, [0, 1], Rake(10_000)) == (Move("rake", 0, 20, "rake"),)


def test_a_pot_is_paid_to_the_unit():
    for seats in range(2, 7):
        for winners in range(1, seats + 1):
            for stake in (1, 7, 100):
                moves = pot_moves(stake, seats, range(winners), Rake(333, 5))
                assert escrow_balance([*(Move("hold", seat, stake, "ante") for seat in range(seats)), *moves]) == 0


def test_a_rake_is_read_as_it_is_written():
    assert parse_rake(Fields({})) == NO_RAKE
    assert parse_rake(Fields({"rake": {"basis_points": 5}})) == Rake(5)
    assert parse_rake(Fields({"rake": Rake(5, 9).dump()})) == Rake(5, 9)


@pytest.mark.parametrize(
    "wrong", [{}, {"basis_points": 10_001}, {"basis_points": 1, "cap_minor": -1}, {"basis_points": 1, "x": 1}]
)
def test_a_rake_that_makes_no_sense_is_refused(wrong):
    with pytest.raises(InvalidData, match="rake"):
        parse_rake(Fields({"rake": wrong}))

"""CP-5: settlement."""

import pytest

from games.chinese_poker.engine.scoring import differences
from games.chinese_poker.engine.settlement import accounts, paid_out, stakes_held
from games.core.record import build_result, escrow_balance, seat_totals

from .table import ENGINE, PRICE, ROYAL, Table
from .test_cp_1_table import LOSER, WINNER, setup


def settled(scores, **changes):
    """All moves of a game that ends with these scores."""
    made = setup(seats=len(scores), **changes)
    moves = (*stakes_held(made), *paid_out(made, accounts(made, scores)))
    assert escrow_balance(moves) == 0
    return moves


def nets(moves, seats):
    return [total.returned_minor - total.staked_minor for total in seat_totals(moves, seats)]


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ((51, 40, 35, 20), (58, 14, -6, -66)),
        ((57, 40, 35, 20), (76, 8, -12, -72)),
        ((60, 51, 0), (69, 42, -111)),
        ((9, 9), (0, 0)),
        ((0, 81), (-81, 81)),
    ],
)
def test_cp_5_1_everybody_settles_with_everybody(scores, expected):
    by_pairs = tuple(sum(mine - theirs for theirs in scores) for mine in scores)
    assert differences(scores) == expected == by_pairs
    assert nets(settled(scores), len(scores)) == [100 * points for points in expected]


def test_cp_5_1_what_was_lost_is_staked_and_what_was_won_returned():
    moves = settled((51, 40, 35, 20), point_price_minor=10)
    totals = seat_totals(moves, 4)
    assert [total.staked_minor for total in totals] == [0, 0, 60, 660]
    assert [total.returned_minor for total in totals] == [580, 140, 0, 0]
    result = build_result(moves=moves, seats=4, outcome={})
    assert [seat["net_minor"] for seat in result["seats"]] == [580, 140, -60, -660]


def test_cp_5_1_scores_are_not_cut_to_the_target():
    table = Table([ROYAL, LOSER], target=20).arrange()
    assert table.over and table.scores == [31, 0]
    assert table.net() == [31 * PRICE, -31 * PRICE]
    assert table.event("game_settled") == {
        "type": "game_settled",
        "ending": "target",
        "scores": [31, 0],
        "net_minor": [3100, -3100],
        "rake_minor": [0, 0],
    }


def test_cp_5_1_the_smallest_win_is_paid():
    assert nets(settled((5, 4), point_price_minor=1), 2) == [1, -1]


def rake(basis_points, cap_minor=None):
    return {"basis_points": basis_points, "cap_minor": cap_minor}


@pytest.mark.parametrize(
    ("rule", "taken"),
    [
        (rake(0), [0, 0]),
        (rake(500), [29, 7]),
        (rake(333), [19, 4]),
        (rake(500, 10), [10, 7]),
        (rake(500, 0), [0, 0]),
        (rake(10_000), [580, 140]),
    ],
)
def test_cp_5_2_rake_of_each_winning_seat(rule, taken):
    moves = settled((51, 40, 35, 20), point_price_minor=10, rake=rule)
    assert [(move.seat, move.amount_minor) for move in moves if move.kind == "rake"] == [
        (seat, amount) for seat, amount in enumerate(taken) if amount
    ]
    assert nets(moves, 4) == [580 - taken[0], 140 - taken[1], -60, -660]


def test_cp_5_2_the_rake_is_shown_with_the_convention_and_the_result():
    table = Table([WINNER, LOSER], target=7, rake=rake(250, 1000))
    assert table.view(None)["rake"] == rake(250, 1000)
    table.arrange()
    assert table.net() == [700 - 17, -700]
    assert table.view(None)["result"]["seats"] == [
        {"seat": 0, "score": 7, "won_minor": 700, "rake_minor": 17, "net_minor": 683},
        {"seat": 1, "score": 0, "won_minor": -700, "rake_minor": 0, "net_minor": -700},
    ]
    assert table.money() == [
        ("release", 0, ENGINE.exposure(table.setup).seats_minor[0], "unplaced"),
        ("release", 1, ENGINE.exposure(table.setup).seats_minor[1] - 700, "unplaced"),
        ("rake", 0, 17, "rake"),
        ("release", 0, 683, "win"),
    ]

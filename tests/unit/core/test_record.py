"""Totals, escrow and voids of a round's moves."""

import pytest

from games.core.engine import UNPLACED, Move
from games.core.record import build_result, escrow_balance, seat_totals, void_moves


def test_money_held_and_never_staked_is_neither_staked_nor_returned():
    moves = [
        Move("hold", 0, 5, "ante"),
        Move("hold", 0, 10, "bet"),
        Move("release", 0, 10, UNPLACED),
        Move("collect", 0, 5, "ante"),
    ]
    (total,) = seat_totals(moves, 1)
    assert (total.staked_minor, total.returned_minor) == (5, 0)
    assert build_result(moves=moves, seats=1, outcome={})["seats"] == [
        {"seat": 0, "staked_minor": 5, "returned_minor": 0, "net_minor": -5}
    ]


VOIDS = {
    "a stake comes back": ([Move("hold", 0, 30, "ante")], 1, [("release", 0, 30)]),
    "the house gives back what it collected": (
        [Move("hold", 0, 30, "ante"), Move("hold", 0, 10, "exchange_fee"), Move("collect", 0, 10, "exchange_fee")],
        1,
        [("fund", 0, 10), ("release", 0, 40)],
    ),
    "a paid win stays and the rest goes to the house": (
        [
            Move("hold", 0, 30, "ante"),
            Move("hold", 0, 10, "bonus"),
            Move("fund", 0, 250, "bonus"),
            Move("release", 0, 260, "bonus"),
        ],
        1,
        [("collect", 0, 30)],
    ),
    "each seat gets its own stake": (
        [Move("hold", 0, 30, "entry"), Move("hold", 1, 20, "entry"), Move("rake", 0, 5, "rake")],
        2,
        [("fund", 0, 5), ("release", 0, 30), ("release", 1, 20)],
    ),
    "what another seat has won stays won": (
        [Move("hold", 0, 30, "entry"), Move("hold", 1, 30, "entry"), Move("release", 1, 50, "pot")],
        2,
        [("fund", 0, 20), ("release", 0, 30)],
    ),
    "nothing left, nothing moved": ([Move("hold", 0, 5, "ante"), Move("release", 0, 5, "ante")], 1, []),
}


@pytest.mark.parametrize(("moves", "seats", "expected"), VOIDS.values(), ids=VOIDS)
def test_void_returns_every_stake_once(moves, seats, expected):
    voids = void_moves(moves, seats)
    assert [(move.kind, move.seat, move.amount_minor) for move in voids] == expected
    assert escrow_balance([*moves, *voids]) == 0
    assert void_moves([*moves, *voids], seats) == ()


def test_a_voided_round_has_no_outcome():
    moves = [Move("hold", 0, 30, "ante")]
    result = build_result(moves=[*moves, *void_moves(moves, 1)], seats=1, outcome=None)
    assert result["status"] == "voided"
    assert result["seats"][0]["net_minor"] == 0

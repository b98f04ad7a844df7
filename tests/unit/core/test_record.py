"""Totals, escrow and voids of a round's moves."""

import pytest

from games.core.codec import canonical, digest
from games.core.engine import UNPLACED, Move
from games.core.record import (
    build_result,
    build_step,
    escrow_balance,
    seat_totals,
    step_text,
    transfer_json,
    transfer_text,
    void_moves,
)


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


def test_texts_written_at_once_are_those_of_the_documents():
    move = Move("fund", 1, 250, "bonus")
    place = {"seq": 3, "index": 0, "id": "0b0e7f1c-0000-4000-8000-000000000000", "move": move}
    assert transfer_text(**place, currency=canonical("E€\n").decode()).encode() == canonical(
        transfer_json(**place, currency="E€\n")
    )
    for seat, turn in ((0, 7), (None, None)):
        content = {
            "seq": 3,
            "at": "2026-01-01T00:00:00.000000Z",
            "seat": seat,
            "turn": turn,
            "origin": "player",
            "action": {"type": "fold", "box": 1},
            "events": [{"type": "box_folded", "box": 1}],
            "moves": [move, Move("release", 0, 1, 'a "quoted" code')],
            "state_hash": "a" * 64,
            "previous_hash": "b" * 64,
        }
        step = build_step(**content)
        text, found = step_text(**content)
        assert text == canonical(step)
        assert found == step["hash"] == digest({key: value for key, value in step.items() if key != "hash"})

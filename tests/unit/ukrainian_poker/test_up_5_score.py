"""UP-5: points, and the score table."""

import pytest

from games.ukrainian_poker.engine.schedule import Kind
from games.ukrainian_poker.engine.scoring import points

from .table import ENGINE, Table


@pytest.mark.parametrize("kind", [kind for kind in Kind if kind.has_bids])
def test_up_5_1_exact_under_and_over(kind):
    for bid in range(10):
        for taken in range(10):
            expected = taken if taken > bid else -10 * (bid - taken) if taken < bid else (10 * bid if bid else 5)
            assert points(kind, bid, taken) == expected


def test_up_5_2_minimum_and_maximum_count_every_trick():
    for taken in range(10):
        assert points(Kind.MINIMUM, None, taken) == -10 * taken
        assert points(Kind.MAXIMUM, None, taken) == 10 * taken


def test_up_5_2_these_rounds_total_ninety():
    rows = Table(seats=4).play_out().view()["scores"]
    assert [sum(seat["points"] for seat in row["seats"]) for row in rows[-2:]] == [-90, 90]
    assert [[seat["bid"] for seat in row["seats"]] for row in rows[-2:]] == [[None] * 4] * 2


def test_up_5_3_the_score_is_a_table():
    table = Table("2c Kc 4d", "5d Ad 3d 6d 7s").bid(0, 0)
    assert table.view()["scores"] == []
    table.play("2c Kc")
    first = {
        "round": 1,
        "kind": "climb",
        "cards_per_hand": 1,
        "seats": [
            {"bid": 0, "taken": 1, "points": 1, "total": 1},
            {"bid": 0, "taken": 0, "points": 5, "total": 5},
        ],
    }
    assert table.view()["scores"] == [first]
    assert table.event("round_scored") == {
        "type": "round_scored",
        "round": 1,
        "bids": [0, 0],
        "taken": [1, 0],
        "points": [1, 5],
        "totals": [1, 5],
    }
    table.bid(2, 2).play("5d Ad").play("6d 3d")
    rows = table.view(None)["scores"]
    assert rows[0] == first
    assert rows[1]["seats"] == [
        {"bid": 2, "taken": 0, "points": -20, "total": -19},
        {"bid": 2, "taken": 2, "points": 20, "total": 25},
    ]
    assert [seat["total"] for seat in table.view()["seats"]] == [column["total"] for column in rows[1]["seats"]]


@pytest.mark.parametrize("seats", [2, 3, 6])
def test_up_5_3_the_table_is_complete_at_the_end_and_its_dump_stays_small(seats):
    table = Table(seats=seats).play_out()
    view, result = table.view(), ENGINE.result(table.state)
    assert view["phase"] == "over" and view["acting_seat"] is None and view["trick"] is None
    assert [row["round"] for row in view["scores"]] == list(range(1, 21 + seats))
    assert view["scores"] == result["scores"]
    assert view["winners"] == result["winners"]
    assert result["totals"] == [column["total"] for column in view["scores"][-1]["seats"]]
    assert sum(result["shares_minor"]) + result["rake_minor"] == result["pot_minor"] == 100 * seats
    assert len(str(ENGINE.dump(table.state)["scores"])) < 26 * (2 * 6 + 4) + 2

"""CP-3: scoring a deal."""

import pytest

from games.chinese_poker.engine.scoring import Position, points_of, prize
from games.core.cards import card
from games.core.ranking import strength

from .table import PRICE, ROYAL, Table
from .test_cp_1_table import LOSER, WINNER


def value(text):
    return strength([card(each) for each in text.split()])


@pytest.mark.parametrize(
    ("ranks", "expected"),
    [
        ((2, 1), (2, 0)),
        ((1, 1), (1, 1)),
        ((3, 2, 1), (4, 2, 0)),
        ((3, 3, 1), (3, 3, 0)),
        ((2, 2, 2), (2, 2, 2)),
        ((4, 3, 2, 1), (6, 4, 2, 0)),
        ((4, 4, 4, 1), (4, 4, 4, 0)),
        ((1, 4, 4, 2), (0, 5, 5, 2)),
        ((1, 1, 1, 1), (3, 3, 3, 3)),
    ],
)
def test_cp_3_1_two_points_for_the_stronger_one_each_when_equal(ranks, expected):
    for position in Position:
        values = [[(rank,) for rank in ranks]] * (position + 1)
        assert points_of(position, values).comparison == expected


@pytest.mark.parametrize(
    ("position", "text", "points"),
    [
        ("FIRST", "Ah Kh Qh Jh Th", 10),
        ("FIRST", "Kh Qh Jh Th 9h", 4),
        ("FIRST", "Ah 2h 3h 4h 5h", 4),
        ("FIRST", "9s 9h 9d 9c 2s", 3),
        ("FIRST", "9s 9h 9d 2c 2s", 0),
        ("FIRST", "As Ah Ad 9c 2s", 0),
        ("SECOND", "Ah Kh Qh Jh Th", 10),
        ("SECOND", "6h 5h 4h 3h 2h", 4),
        ("SECOND", "9s 9h 9d 9c 2s", 3),
        ("SECOND", "9s 9h 9d 2c 2s", 1),
        ("SECOND", "Ah 9h 8h 7h 2h", 0),
        ("SECOND", "As Ah Ad 9c 2s", 0),
        ("THIRD", "As Ah Ad", 10),
        ("THIRD", "Ks Kh Kd", 2),
        ("THIRD", "2s 2h 2d", 2),
        ("THIRD", "As Ah Kd", 0),
        ("THIRD", "Qh Kh Ah", 0),
    ],
)
def test_cp_3_2_prizes_for_strength(position, text, points):
    assert prize(Position[position], value(text)) == points


def test_cp_3_2_once_for_a_hand_whether_it_wins_or_not():
    better, worse = value("As Ks Qs Js Ts"), value("9s 9h 9d 9c 2s")
    points = points_of(Position.FIRST, [[better, worse, worse, worse]])
    assert points.prize == (10, 3, 3, 3)


def test_cp_3_2_three_aces_in_third_bring_ten_points_and_other_threes_two():
    """Worked by hand: the aces lose First and Second to both others, and win the deal by their prize."""
    aces = "Kd Td 8d 7d 3d | 9s 8s 7c 6h 5h | As Ah Ac"
    twos = "Qs Qh Qd 6s 6d | Ks Js Ts 5s 4s | 2s 2h 2c"
    pair = "Jd Jh Jc 9d 9h | 3s 3h 3c Kh Kc | 4d 4h Qc"
    table = Table([aces, twos, pair], target=14).arrange()
    opened = [table.opened(position) for position in ("first", "second", "third")]
    assert [event["comparison_points"] for event in opened] == [[0, 4, 2], [0, 2, 4], [4, 2, 0]]
    assert [event["prize_points"] for event in opened] == [[0, 0, 0], [0, 0, 1], [10, 2, 0]]
    assert [event["two_positions_points"] for event in opened] == [[0, 0, 0], [0, 1, 1], [0, 1, 0]]
    assert [event["scores"] for event in opened] == [[0, 4, 2], [0, 7, 8], [14, 12, 8]]
    assert table.over and table.net() == [8 * PRICE, 2 * PRICE, -10 * PRICE]


WON = {(0, 0, 0): (0, 0), (1, 1, 1): (1, 0), (1, 1, -1): (1, 0), (1, -1, 1): (1, 0), (-1, 1, 1): (1, 0), (1, 0, 1): (1, 0)}
LOST = {tuple(-each for each in outcome): points[::-1] for outcome, points in WON.items()}
NEITHER = {(1, 0, 0): (0, 0), (1, -1, 0): (0, 0), (0, 0, -1): (0, 0)}


@pytest.mark.parametrize(("outcome", "expected"), [*WON.items(), *LOST.items(), *NEITHER.items()])
def test_cp_3_3_a_point_for_each_opponent_beaten_twice(outcome, expected):
    values = [[(each,), (0,)] for each in outcome]
    given = [points_of(position, values).two_positions for position in Position]
    assert tuple(map(sum, zip(*given, strict=True))) == expected


def test_cp_3_3_the_point_comes_with_the_second_position_won():
    values = [[(1,), (0,)]] * 3
    assert [points_of(position, values).two_positions for position in Position] == [(0, 0), (1, 0), (0, 0)]
    assert points_of(Position.THIRD, [[(1,), (0,)], [(0,), (1,)], [(1,), (0,)]]).two_positions == (1, 0)


def test_cp_3_3_opponent_by_opponent():
    values = [[(3,), (2,), (1,)], [(3,), (1,), (2,)], [(1,), (3,), (2,)]]
    given = [points_of(position, values).two_positions for position in Position]
    assert given == [(0, 0, 0), (2, 0, 0), (0, 1, 0)]


def test_cp_3_4_positions_open_one_after_another_for_all():
    table = Table([WINNER, LOSER], ()).arrange()
    opened = [event for event in table.events() if event["type"] == "position_opened"]
    assert [event["position"] for event in opened] == ["first", "second", "third"]
    assert [event["scores"] for event in opened] == [[2, 0], [5, 0], [7, 0]]
    assert opened[1]["hands"] == [part.split() for part in (WINNER.split(" | ")[1], LOSER.split(" | ")[1])]
    table = Table([ROYAL, LOSER], target=12).arrange()
    assert [event["position"] for event in table.events() if event["type"] == "position_opened"] == ["first"]
    assert [each["position"] for each in table.view(None)["deal"]["positions"]] == ["first"]


def test_cp_3_4_the_next_view_still_shows_the_deal_before():
    table = Table([WINNER, LOSER], ()).arrange()
    view = table.view(None)
    assert (view["deal"]["number"], view["last_deal"]["number"]) == (2, 1)
    assert [each["position"] for each in view["last_deal"]["positions"]] == ["first", "second", "third"]
    assert view["deal"]["positions"] == []

"""CP-1: table."""

from itertools import product
from random import Random

import pytest

from games.chinese_poker.engine.scoring import MOST_PRIZES, PRIZES, Position, points_of
from games.chinese_poker.engine.setup import MOST_TARGET, most_deals, most_lost_points
from games.core.cards import DECK_52
from games.core.errors import InvalidData
from games.core.limits import stake_errors
from games.core.shuffle import Seed

from .table import ENGINE, PRICE, ROYAL, Table, padded

WINNER = "As Ah Kd Qc Js | Ks Kh 9d 8s 7s | Qs Qh 6d"
LOSER = "9c 8d 7h 5c 4d | 8c 7d 6h 4c 3d | 5h 4h 2c"
"""The winner beats it in every position, without a prize: 7 points to none."""


def setup(**changes):
    data = {"seats": 2, "point_price_minor": 100, **changes}
    return ENGINE.parse_setup({key: value for key, value in data.items() if value is not None})


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_cp_1_1_thirteen_cards_each_in_seat_order(seats):
    seed = Seed("00000000-0000-4000-8000-000000000000", bytes(32), ("a",) * seats)
    state = ENGINE.start(setup(seats=seats), seed).state
    deck = seed.shuffled(DECK_52, 0)
    assert state.deal.hands == tuple(deck[13 * seat : 13 * seat + 13] for seat in range(seats))
    assert state.rest == deck[13 * seats :]


def test_cp_1_1_deal_d_is_shuffle_d_less_1():
    seed = Seed("00000000-0000-4000-8000-000000000000", bytes(32), ("", ""))
    state = ENGINE.start(setup(target=1000), seed).state
    for number in range(1, 5):
        assert state.deal.number == number
        assert state.deal.hands[0] == seed.shuffled(DECK_52, number - 1)[:13]
        for seat in (0, 1):
            (spec,) = ENGINE.legal_actions(state, seat)
            state = ENGINE.apply(state, seat, ENGINE.parse_action(spec.suggestions[0])).state


@pytest.mark.parametrize("seats", [0, 1, 5, "2", True, None])
def test_cp_1_1_other_numbers_of_seats_are_refused(seats):
    with pytest.raises(InvalidData) as refused:
        setup(seats=seats)
    assert refused.value.field == "seats"


def test_cp_1_2_deals_follow_until_the_target():
    table = Table([WINNER, LOSER], [LOSER, WINNER], [WINNER, LOSER], target=14)
    assert table.arrange().scores == [7, 0]
    assert table.types() == ["hand_arranged"] + 3 * ["position_opened"] + ["deal_scored", "deal_started"] + 2 * ["hand_dealt"]
    assert table.arrange().scores == [7, 7]
    assert table.arrange().scores == [14, 7]
    assert table.over and table.state.deal.number == 3


@pytest.mark.parametrize("price", [1, 100, 12_345])
def test_cp_1_2_a_point_is_worth_its_price(price):
    table = Table([WINNER, LOSER], target=7, point_price_minor=price)
    table.arrange()
    assert table.over
    assert table.net() == [7 * price, -7 * price]


def test_cp_1_3_what_is_left_out_is_as_the_rules_say():
    assert ENGINE.dump_setup(setup()) == {
        "seats": 2,
        "target": 51,
        "point_price_minor": 100,
        "arrange_timeout_seconds": 120,
        "compare_timeout_seconds": 15,
        "rake": {"basis_points": 0, "cap_minor": None},
        "limits": {
            "stakes": {"point_price": {"min_minor": 1, "max_minor": 2**53 - 1, "step_minor": 1}},
            "rake": {"basis_points": 0, "cap_minor": None},
        },
        "pay_table": {},
    }


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"target": 0}, "target"),
        ({"target": MOST_TARGET + 1}, "target"),
        ({"target": "51"}, "target"),
        ({"point_price_minor": None}, "point_price_minor"),
        ({"point_price_minor": 0}, "point_price_minor"),
        ({"point_price_minor": 2**50}, "point_price_minor"),
        ({"arrange_timeout_seconds": 0}, "arrange_timeout_seconds"),
        ({"compare_timeout_seconds": 0}, "compare_timeout_seconds"),
        ({"compare_timeout_seconds": 367 * 86_400}, "compare_timeout_seconds"),
        ({"rake": {"basis_points": 10_001, "cap_minor": None}}, "rake.basis_points"),
        ({"rake": {"basis_points": 1, "cap_minor": -1}}, "rake.cap_minor"),
        ({"limits": {"stakes": {}}}, "limits.stakes.point_price"),
        ({"limits": {"stakes": {"point_price": {"min_minor": 5, "max_minor": 4, "step_minor": 1}}}}, None),
        ({"pay_table": {"royal": 1}}, "pay_table.royal"),
        ({"speed": 1}, "speed"),
    ],
)
def test_cp_1_3_settings_out_of_bounds_are_refused(changes, field):
    with pytest.raises(InvalidData) as refused:
        setup(**changes)
    assert refused.value.field == (field or "limits.stakes.point_price.max_minor")


@pytest.mark.parametrize("name", ["arrange_timeout_seconds", "compare_timeout_seconds"])
def test_cp_1_3_neither_time_is_empty(name):
    with pytest.raises(InvalidData):
        ENGINE.parse_setup({"seats": 2, "point_price_minor": 1, name: None})


@pytest.mark.parametrize(
    ("hall", "accepted", "refused"),
    [
        ("first", [1, 37, 100], [101]),
        ("second", [10, 370, 1000], [9, 15, 1010]),
        ("vip", [250, 500, 10_000], [100, 300, 10_250]),
    ],
)
def test_cp_1_3_a_hall_bounds_the_price_of_a_point(hall, accepted, refused):
    rules = ENGINE.default_limits[hall]
    for prices, errors in ((accepted, 0), (refused, 1)):
        for price in prices:
            assert len(stake_errors(ENGINE.stakes(setup(point_price_minor=price, limits=rules)), rules)) == errors


@pytest.mark.parametrize(
    ("seats", "target", "points"),
    [(2, 51, 81), (3, 51, 169), (4, 51, 264), (2, 1, 31), (4, 1, 114), (4, 10_000, 30_111)],
)
def test_cp_1_4_the_start_holds_the_largest_possible_loss(seats, target, points):
    assert points == (seats - 1) * (target + 23) + 7 * seats * (seats - 1) // 2
    made = setup(seats=seats, target=target)
    seed = Seed("00000000-0000-4000-8000-000000000000", bytes(32), ("",) * seats)
    moves = ENGINE.start(made, seed).moves
    held = [(move.kind, move.seat, move.amount_minor) for move in moves]
    assert held == [("hold", seat, 100 * points) for seat in range(seats)]
    assert ENGINE.exposure(made).seats_minor == (100 * points,) * seats
    assert ENGINE.exposure(made).house_minor == 0


ACES = {"royal_flush": 1, "three_aces": 3}
ROWS = (
    {"royal_flush": 10, "straight_flush": 4, "four_of_a_kind": 3, "": 0},
    {"royal_flush": 10, "straight_flush": 4, "four_of_a_kind": 3, "full_house": 1, "": 0},
    {"three_aces": 10, "three_of_a_kind": 2, "": 0},
)


def test_cp_1_4_no_seat_gets_more_prizes_than_the_hold_counts():
    """All triples of rows that a pack with four aces can make; the highest is laid out by ROYAL."""
    possible = [
        sum(rows[name] for rows, name in zip(ROWS, names, strict=True))
        for names in product(*ROWS)
        if sum(ACES.get(name, 0) for name in names) <= 4
    ]
    assert max(possible) == MOST_PRIZES == 24
    assert [sorted({*row.values()} - {0, 10}) for row in ROWS] == [sorted({*prizes.values()}) for prizes in PRIZES]


OUTCOMES = [((1,), (0,)), ((0,), (1,)), ((1,), (1,))]
TIMED_OUT = [[((), (0,))] * 3, [((0,), ())] * 3, [((), ())] * 3]


def test_cp_1_4_two_seats_get_at_most_seven_points_from_each_other():
    """Every outcome of three positions between two seats, after each of them; so n seats get no more than 7n(n-1)/2 together."""
    for values in (*product(OUTCOMES, repeat=3), *TIMED_OUT):
        given = [points_of(position, values) for position in Position]
        without_prizes = [sum(points.comparison) + sum(points.two_positions) for points in given]
        assert all(sum(without_prizes[: opened + 1]) <= 7 for opened in Position)
        assert sum(without_prizes) <= 7


def test_cp_1_4_several_seats_get_what_each_two_get_from_each_other():
    random = Random(4)
    for _ in range(500):
        seats = random.randint(2, 4)
        timed_out = [random.random() < 0.25 for _ in range(seats)]
        values = [[() if gone else (random.randrange(3),) for gone in timed_out] for _ in Position]
        for position in Position:
            points = points_of(position, values)
            for kind in ("comparison", "two_positions"):
                by_pairs = [0] * seats
                for one in range(seats):
                    for other in range(one + 1, seats):
                        two = points_of(position, [[row[one], row[other]] for row in values])
                        by_pairs[one] += getattr(two, kind)[0]
                        by_pairs[other] += getattr(two, kind)[1]
                assert list(getattr(points, kind)) == by_pairs


def test_cp_1_4_the_largest_loss_can_come_true():
    """The loser never scores; the winner begins the last deal one point below the target and takes all there is."""
    table = Table([WINNER, LOSER], [ROYAL, LOSER], target=8).arrange().arrange()
    assert table.go_on(0, 0).over
    assert table.scores == [38, 0] == [most_lost_points(2, 8), 0]
    assert table.net() == [38 * PRICE, -38 * PRICE]
    assert table.totals[1].staked_minor == ENGINE.exposure(table.setup).seats_minor[1]
    assert table.money()[0] == ("release", 0, 38 * PRICE, "unplaced")


def test_cp_1_4_types_of_actions():
    table = Table([WINNER, LOSER], target=2)
    types = {spec.type for spec in ENGINE.legal_actions(table.state, 0)}
    table.arrange()
    types |= {spec.type for spec in ENGINE.legal_actions(table.state, 0)}
    assert types == {"arrange", "doezd", "compare_next"}
    for type in ("forfeit_deal", "timeout", "Arrange", ""):
        with pytest.raises(InvalidData) as refused:
            ENGINE.parse_action({"type": type})
        assert refused.value.field == "type"


def test_cp_1_4_no_game_has_more_deals_than_the_bound():
    """Each two seats take six points from a deal; the slowest game shares them evenly."""
    for seats in (2, 3, 4):
        for target in range(1, 60):
            scores, deals = 0, 0
            while scores < target:
                scores += 3 * (seats - 1)
                deals += 1
            assert deals == most_deals(seats, target)
    assert ENGINE.max_steps == 1 + 2 * most_deals(2, MOST_TARGET) + 4


def test_cp_1_5_an_absent_seat_stays_to_the_end():
    table = Table(padded(WINNER, LOSER, None), target=51)
    table.arrange(0, 1)
    assert table.to_act == [2]
    assert ENGINE.exposure(table.setup).seats_minor[2] == 169 * PRICE
    table.time_out(2)
    assert table.over
    assert table.scores == [14, 7, 0]
    assert table.net() == [21 * PRICE, 0, -21 * PRICE]

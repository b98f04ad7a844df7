"""RP-2: table, boxes, limits."""

import copy

import pytest

from games.core.codec import canonical
from games.core.errors import InvalidData
from games.core.limits import stake_errors
from games.core.shuffle import ExplicitDecks

from .table import ENGINE, NO_GAME, Table, limits


def setup(*boxes, **rest):
    return ENGINE.parse_setup({"boxes": list(boxes), **rest})


def ante(number, amount=100, **bonus):
    return {"box": number, "ante_minor": amount, **bonus}


@pytest.mark.parametrize("numbers", [(1,), (5,), (2, 4), (1, 3, 5), (1, 2, 3, 4), (2, 3, 4, 5)])
def test_rp_2_1_any_one_to_four_boxes(numbers):
    assert tuple(box.number for box in setup(*map(ante, reversed(numbers))).boxes) == numbers


@pytest.mark.parametrize(
    ("boxes", "field"),
    [
        ([], "boxes"),
        ([ante(n) for n in range(1, 6)], "boxes"),
        ([ante(1), ante(1)], "boxes"),
        ([ante(0)], "boxes.0.box"),
        ([ante(1), ante(6)], "boxes.1.box"),
        ([ante("1")], "boxes.0.box"),
        ([ante(True)], "boxes.0.box"),
        ([ante(1, 0)], "boxes.0.ante_minor"),
        ([ante(1, -5)], "boxes.0.ante_minor"),
        ([ante(1, 1.0)], "boxes.0.ante_minor"),
        ([ante(1, "5")], "boxes.0.ante_minor"),
        ([ante(1, 2**53)], "boxes.0.ante_minor"),
        ([ante(1, 2**52)], "boxes"),
        ([ante(1, bonus_minor=-1)], "boxes.0.bonus_minor"),
        ([ante(1, chip=1)], "boxes.0.chip"),
        (["1"], "boxes.0"),
        ("1", "boxes"),
    ],
)
def test_rp_2_1_other_boxes_are_refused(boxes, field):
    with pytest.raises(InvalidData) as refused:
        ENGINE.parse_setup({"boxes": boxes})
    assert refused.value.field == field


def test_rp_2_2_a_bonus_needs_an_ante():
    with pytest.raises(InvalidData) as refused:
        setup({"box": 1, "bonus_minor": 100})
    assert refused.value.field == "boxes.0.ante_minor"


def test_rp_2_2_antes_may_differ():
    table = Table("2s 4h 6d 8c Ts", "2c 4d 6h 8s Tc", NO_GAME, boxes=(ante(1, 100), ante(2, 300, bonus_minor=50)))
    assert [(box["ante_minor"], box["bonus_minor"]) for box in table.view["boxes"]] == [(100, 0), (300, 50)]
    assert table.totals.held_minor == 3 * 400 + 50


@pytest.mark.parametrize(("numbers", "blind"), [((1,), []), ((4, 5), []), ((5, 3, 1), [5]), ((5, 4, 2, 1), [4, 5])])
def test_rp_2_3_the_third_and_fourth_played_box_are_blind(numbers, blind):
    table = Table(boxes=[ante(number) for number in numbers])
    assert [box["box"] for box in table.view["boxes"] if box["blind"]] == blind


HALLS = {
    "first": ((10, 1000), (10, 200), 10),
    "second": ((100, 10000), (100, 2000), 100),
    "vip": ((2500, 100000), (2500, 20000), 2500),
}


@pytest.mark.parametrize("hall", HALLS)
def test_rp_2_4_halls_limit_ante_and_bonus_inclusively_in_chip_steps(hall):
    (ante_min, ante_max), (bonus_min, bonus_max), step = HALLS[hall]
    rules = ENGINE.default_limits[hall]

    def codes(ante_minor, bonus_minor=0):
        checked = setup({"box": 1, "ante_minor": ante_minor, "bonus_minor": bonus_minor}, limits=rules)
        return [(field, code) for field, code, _ in stake_errors(ENGINE.stakes(checked), rules)]

    for good in ((ante_min, bonus_min), (ante_max, bonus_max), (ante_min + step, 0)):
        assert codes(*good) == []
    assert codes(ante_min - 1) == [("boxes.0.ante_minor", "stake_below_minimum")]
    assert codes(ante_max + 1) == [("boxes.0.ante_minor", "stake_above_maximum")]
    assert codes(ante_min + 1) == [("boxes.0.ante_minor", "stake_not_in_steps")]
    assert codes(ante_min, bonus_min - 1) == [("boxes.0.bonus_minor", "stake_below_minimum")]
    assert codes(ante_max + step, bonus_max + step) == [
        ("boxes.0.ante_minor", "stake_above_maximum"),
        ("boxes.0.bonus_minor", "stake_above_maximum"),
    ]


def test_rp_2_4_limits_count_for_each_box():
    rules = ENGINE.default_limits["first"]
    boxes = [{"box": number, "ante_minor": 1000, "bonus_minor": 200} for number in range(1, 5)]
    assert stake_errors(ENGINE.stakes(setup(*boxes, limits=rules)), rules) == []
    boxes[2]["ante_minor"] = 5
    ((field, code, details),) = stake_errors(ENGINE.stakes(setup(*boxes, limits=rules)), rules)
    assert (field, code) == ("boxes.2.ante_minor", "stake_below_minimum")
    assert details == {"kind": "ante", "amount_minor": 5, "min_minor": 10}


def test_rp_2_4_a_state_keeps_limits_and_pay_table_in_their_canonical_words():
    played = setup(ante(1), ante(4), limits=limits(), pay_table=ENGINE.default_pay_table)
    state = ENGINE.start(played, ExplicitDecks(((),))).state
    dump, data = ENGINE.dump(state), ENGINE.dump_setup(played)
    assert (dump["limits"].encode(), dump["pay_table"].encode()) == (canonical(data["limits"]), canonical(data["pay_table"]))
    assert ENGINE.load(dump).setup == played


def test_rp_2_4_the_default_limits_make_sense():
    for rules in ENGINE.default_limits.values():
        ENGINE.check_limits(rules)


@pytest.mark.parametrize(
    ("path", "value", "field"),
    [
        ("stakes.ante.min_minor", 2000, "stakes.ante.max_minor"),
        ("stakes.ante.min_minor", 0, "stakes.ante.min_minor"),
        ("stakes.ante.step_minor", 0, "stakes.ante.step_minor"),
        ("stakes.ante.step_minor", 7, "stakes.ante.min_minor"),
        ("stakes.bonus.max_minor", 205, "stakes.bonus.max_minor"),
        ("stakes.bonus.max_minor", "200", "stakes.bonus.max_minor"),
        ("stakes.bet", {}, "stakes.bet"),
        ("max_payout_minor", 0, "max_payout_minor"),
        ("max_payout_minor", "none", "max_payout_minor"),
        ("abandon_after_seconds", 0, "abandon_after_seconds"),
        ("abandon_after_seconds", 10**9, "abandon_after_seconds"),
        ("colour", "red", "colour"),
    ],
)
def test_rp_2_4_limits_that_make_no_sense_are_refused(path, value, field):
    rules = copy.deepcopy(dict(ENGINE.default_limits["first"]))
    *parents, last = path.split(".")
    inner = rules
    for parent in parents:
        inner = inner[parent]
    inner[last] = value
    with pytest.raises(InvalidData) as refused:
        ENGINE.check_limits(rules)
    assert refused.value.field == field


def test_rp_2_5_the_maximum_payout_caps_insurance_and_nothing_else():
    royal = "As Ks Qs Js Ts"
    capped = Table(royal, "2d 2h 9s Jd Kc", limits=limits(max_payout_minor=15_000)).play("bet")
    assert capped.box()["insurance_bounds"] == {"min_minor": 100, "max_minor": 15_000, "step_minor": 1}
    capped.play("open_dealer")
    assert capped.event("box_settled")["returned_minor"] == 300 + 200 * 100
    free = Table(royal, NO_GAME).play("bet")
    assert free.box()["insurance_bounds"]["max_minor"] == 20_000

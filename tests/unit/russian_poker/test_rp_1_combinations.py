"""RP-1: cards and combinations."""

import json

import pytest

from games.core.cards import DECK_52
from games.core.errors import InvalidData
from games.core.ranking import strength
from games.core.shuffle import Seed
from games.russian_poker.engine.scoring import Category, evaluate, shown
from games.russian_poker.engine.setup import BET_CATEGORIES, parse_pay_table

from .table import ENGINE, NO_GAME, Table, cards

PAYS = parse_pay_table(ENGINE.default_pay_table)


def codes(text):
    first, second = evaluate(cards(text))
    return first.category.code, second and second.category.code


def multiple(text, pays=PAYS):
    return evaluate(cards(text)).multiple(pays.bet)


def test_rp_1_1_one_pack_of_52_is_shuffled_by_shuffle_0():
    seed = Seed("00000000-0000-4000-8000-000000000001", bytes(32), ("x",))
    state = ENGINE.start(ENGINE.parse_setup({"boxes": [{"box": 3, "ante_minor": 1}]}), seed).state
    assert sorted(card.index for card in ENGINE.cards(state)) == list(range(52))
    assert state.boxes[0].cards + state.dealer + state.deck == seed.shuffled(DECK_52, 0)


LADDER = [
    ("ace_king", 1, None, "As Kh 9d 7c 2s"),
    ("pair", 1, None, "2s 2h 9d 7c 3s"),
    ("two_pair", 2, None, "2s 2h 9d 9c 3s"),
    ("three_of_a_kind", 3, 25, "2s 2h 2d 9c 3s"),
    ("straight", 4, 40, "2s 3h 4d 5c 6s"),
    ("flush", 5, 50, "2s 3s 4s 5s 7s"),
    ("full_house", 7, 70, "2s 2h 2d 3c 3s"),
    ("four_of_a_kind", 20, 200, "2s 2h 2d 2c 3s"),
    ("straight_flush", 50, 500, "2s 3s 4s 5s 6s"),
    ("royal_flush", 100, 1000, "As Ks Qs Js Ts"),
]


@pytest.mark.parametrize(("code", "bet", "bonus", "text"), LADDER, ids=[row[0] for row in LADDER])
def test_rp_1_2_the_ladder_pays(code, bet, bonus, text):
    assert codes(text)[0] == code
    assert multiple(text) == bet == ENGINE.default_pay_table["bet"][code]
    assert ENGINE.default_pay_table["bonus"].get(code) == bonus


def test_rp_1_2_the_ladder_rises():
    found = [evaluate(cards(text)).first.category for _, _, _, text in LADDER]
    assert found == list(BET_CATEGORIES) == sorted(found)


def changed_table(where, code, value):
    table = json.loads(json.dumps(ENGINE.default_pay_table))
    table[where][code] = value
    return table


@pytest.mark.parametrize(
    ("where", "code", "value", "field"),
    [
        ("bet", "flush", 3, "bet.flush"),
        ("bet", "flush", 8, "bet.full_house"),
        ("bet", "pair", -1, "bet.pair"),
        ("bet", "pair", "1", "bet.pair"),
        ("bet", "pair", True, "bet.pair"),
        ("bet", "nothing", 0, "bet.nothing"),
        ("bonus", "two_pair", 5, "bonus.two_pair"),
        ("bonus", "royal_flush", 499, "bonus.royal_flush"),
        ("bonus", "royal_flush", 100_001, "bonus.royal_flush"),
        ("insurance", "flush", 1, "bet"),
    ],
)
def test_rp_1_2_a_pay_table_that_makes_no_sense_is_refused(where, code, value, field):
    table = changed_table(where, code, value) if where != "insurance" else {}
    with pytest.raises(InvalidData) as refused:
        ENGINE.check_pay_table(table)
    assert refused.value.field == field


def test_rp_1_2_a_hall_may_pay_otherwise_but_thresholds_go_by_category():
    flat = {
        "bet": dict.fromkeys(ENGINE.default_pay_table["bet"], 2),
        "bonus": dict.fromkeys(ENGINE.default_pay_table["bonus"], 0),
    }
    boxes = ({"box": 1, "ante_minor": 100, "bonus_minor": 10},)
    table = Table("2s 2h 2c 9c 3s", NO_GAME, boxes=boxes, pay_table=flat)
    assert table.event("bonus_won")["returned_minor"] == 10
    table.play("bet").act("insure", box=1, amount_minor=400)
    assert table.view["phase"] == "insuring"
    pair = Table("2s 2h 4c 9c 3s", NO_GAME, boxes=boxes, pay_table=flat)
    assert pair.event("bonus_lost") == {"type": "bonus_lost", "box": 1, "stake_minor": 10}
    assert pair.play("bet").view["phase"] == "buying"


def test_rp_1_3_the_ace_may_be_lowest():
    assert codes("As 2h 3d 4c 5s")[0] == "straight"
    assert codes("As 2s 3s 4s 5s")[0] == "straight_flush"
    assert strength(cards("As 2h 3d 4c 5s")) < strength(cards("2s 3h 4d 5c 6s"))
    assert strength(cards("As 2s 3s 4s 5s")) < strength(cards("2s 3s 4s 5s 6s"))


@pytest.mark.parametrize("text", ["Qs Kh Ad 2c 3s", "Ks Ah 2d 3c 4s", "Js Qh Kd Ac 2s"])
def test_rp_1_3_no_run_goes_round_the_ace(text):
    assert codes(text) == ("ace_king", None)


SIZES = {"ace_king": 2, "pair": 2, "two_pair": 4, "three_of_a_kind": 3, "four_of_a_kind": 4}


@pytest.mark.parametrize(("code", "size"), [(row[0], SIZES.get(row[0], 5)) for row in LADDER])
def test_rp_1_4_a_combination_is_its_exact_cards(code, size):
    text = next(row[3] for row in LADDER if row[0] == code)
    first, _ = shown(evaluate(cards(text)), cards(text))
    assert len(first.cards) == size
    assert evaluate(cards(text)).first.category.code == code


SECONDS = [
    ("As Ah Kd 8c 9s", "pair", "ace_king", 2),
    ("2s 2h Ad Kc 9s", "pair", "ace_king", 2),
    ("As Ah Ad Ac 7s 7h", "four_of_a_kind", "full_house", 27),
    ("As Kh Qd Jc Ts 9h", "straight", "straight", 8),
    ("As Ks Qs Js Ts 9s", "royal_flush", "straight_flush", 150),
    ("As Ah Ad Ac 9s", "four_of_a_kind", None, 20),
    ("Kh Qs Jd Tc 9h 9s", "straight", "straight", 8),
    ("As Kh Qd Jc Ts 2h", "straight", None, 4),
    ("8s 8h 8d 7c 7s 7h", "full_house", "full_house", 14),
    ("As Ks Qs Js Ts Ah", "royal_flush", "straight", 104),
]


@pytest.mark.parametrize(("text", "first", "second", "total"), SECONDS)
def test_rp_1_5_first_and_second_combination(text, first, second, total):
    assert codes(text) == (first, second)
    assert multiple(text) == total


@pytest.mark.parametrize(
    ("text", "first", "second"),
    [
        ("As Ah Kd 8c 9s", "As Ah", "As Kd"),
        ("Ad Kc As Ah 9s", "Ad As Ah", "Ad Kc"),
        ("9s Kh Qs Jd Tc 9h", "9s Kh Qs Jd Tc", "Kh Qs Jd Tc 9h"),
        ("As Ah Ad Ac 7s 7h", "As Ah Ad Ac", "As Ah Ad 7s 7h"),
        ("Ks Kh Qd Qc 2s 2h", "Ks Kh Qd Qc", "Ks Kh 2s 2h"),
        ("As Ks 9s 5s 3s 2s", "As Ks 9s 5s 3s", "As Ks 9s 5s 2s"),
        ("8s 8h 8d 7c 7s 7h", "8s 8h 8d 7c 7s", "8s 8h 8d 7c 7h"),
    ],
)
def test_rp_1_5_the_smallest_list_of_places_is_shown(text, first, second):
    shown_first, shown_second = shown(evaluate(cards(text)), cards(text))
    assert shown_first.cards == cards(first)
    assert shown_second and shown_second.cards == cards(second)


def test_rp_1_6_the_sixth_card_is_ignored_against_the_dealers_five():
    table = Table("Ks Kh 8d 8h 2c", "Kd Kc 8s 8c 3h", "2s").play("sixth_card", "bet")
    assert table.event("box_settled")["outcome"] == "lost"
    table = Table("As Kh Qd Jc 9h", "Kd Qs Jh Tc 9d", "Ts").play("sixth_card", "bet", "open_dealer")
    assert table.event("box_settled")["outcome"] == "won"


@pytest.mark.parametrize(
    ("higher", "lower"),
    [
        ("3s 3h 3d 2c 2s", "2d 2h 2c As Ah"),
        ("As Ah 2d 2c 3s", "Ks Kh Qd Qc Js"),
        ("Ks Kh 3d 3c 2s", "Kd Kc 2d 2h As"),
        ("Ks Kh 3d 3c 5s", "Kd Kc 3s 3h 4s"),
        ("9s 9h Kd 5c 2s", "9d 9c Ks 4h 3d"),
        ("As Kh 9d 8c 3s", "Ad Kc 9s 8h 2d"),
        ("Ah Jh 9h 8h 3h", "As Js 9s 8s 2s"),
        ("7s 7h 7d 4c 3s", "7s 7h 7d 4c 2s"),
        ("2s 2h 2d 2c 4s", "2s 2h 2d 2c 3s"),
    ],
)
def test_rp_1_7_equal_categories_compare_by_the_order_of_poker(higher, lower):
    assert evaluate(cards(higher)).first.category is evaluate(cards(lower)).first.category
    assert strength(cards(higher)) > strength(cards(lower))


def test_rp_1_7_suits_break_no_tie():
    table = Table("Ad Kh Jd 7c 2s", "As Kd Jh 7s 2d").play("bet")
    assert table.event("box_settled")["outcome"] == "tied"


def test_rp_1_8_amounts_of_one_minor_unit_settle_exactly():
    boxes = ({"box": 1, "ante_minor": 1, "bonus_minor": 1},)
    table = Table("As Ah Ad Ac 7s", NO_GAME, "7h", boxes=boxes).play("sixth_card", "bet")
    table.act("insure", box=1, amount_minor=54).play("open_dealer", "continue")
    assert table.totals.staked_minor == 1 + 1 + 1 + 2 + 54
    assert table.totals.returned_minor == 201 + 2 * 54 + 2 + 2


def test_category_codes_are_those_of_the_rules():
    assert [category.code for category in Category] == ["nothing"] + [row[0] for row in LADDER]

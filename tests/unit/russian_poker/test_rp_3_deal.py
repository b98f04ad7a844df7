"""RP-3 and RP-4: the deal and Bonus."""

import pytest

from games.core.cards import texts

from .table import ENGINE, NO_GAME, Table

BOXES = (
    {"box": 5, "ante_minor": 300, "bonus_minor": 0},
    {"box": 2, "ante_minor": 100, "bonus_minor": 20},
    {"box": 3, "ante_minor": 200, "bonus_minor": 10},
)
THREES, PAIR, HIGH = "3s 3h 3d 9c Js", "6s 6h 4d 2c Ks", "7s 8h Td Qc As"


def dealt():
    return Table(THREES, PAIR, HIGH, NO_GAME, boxes=BOXES)


def test_rp_3_1_five_cards_in_a_row_to_each_box_along_the_table_then_to_the_dealer():
    table = dealt()
    assert [(box["box"], " ".join(box["cards"])) for box in table.view["boxes"]] == [(2, THREES), (3, PAIR), (5, HIGH)]
    assert " ".join(texts(table.state.dealer)) == NO_GAME
    assert texts(table.state.deck)[:3] == ["3c", "4c", "5c"]


def test_rp_3_2_one_step_deals_settles_bonus_and_shows_the_players_cards():
    order = [(event["type"], event.get("box")) for event in dealt().events()]
    assert order == [
        ("box_dealt", 2),
        ("box_dealt", 3),
        ("box_dealt", 5),
        ("dealer_dealt", None),
        ("bonus_won", 2),
        ("bonus_lost", 3),
        ("cards_shown", 2),
        ("cards_shown", 3),
        ("cards_shown", 5),
    ]


def test_rp_3_2_only_the_dealers_fifth_card_is_seen():
    table = dealt()
    assert table.event("dealer_dealt") == {"type": "dealer_dealt", "shown": "Kc"}
    assert table.view["dealer"] == {"cards": [None] * 4 + ["Kc"], "first": None, "has_game": None, "replaced": []}
    seen = str(table.events()) + str(table.view)
    assert not [hidden for hidden in NO_GAME.split()[:4] if f"'{hidden}'" in seen]


def test_rp_3_3_the_deal_holds_three_antes_and_bonus_of_every_box():
    holds = [(amount, code) for kind, amount, code in dealt().money() if kind == "hold"]
    box_2, box_3 = [(100, "ante"), (20, "bonus"), (200, "bet")], [(200, "ante"), (10, "bonus"), (400, "bet")]
    assert holds == [*box_2, *box_3, (300, "ante"), (600, "bet")]


def test_rp_3_3_holds_come_before_any_win():
    kinds = [kind for kind, _, _ in dealt().money()]
    assert kinds.index("fund") > max(place for place, kind in enumerate(kinds) if kind == "hold")


def test_rp_3_3_a_bet_moves_no_money():
    table = dealt().play("bet", box=2)
    assert table.money() == []


@pytest.mark.parametrize(
    ("text", "multiple"),
    [
        ("2s 2h 2d 9c 3s", 25),
        ("2s 3h 4d 5c 6s", 40),
        ("2s 3s 4s 5s 7s", 50),
        ("2s 2h 2d 3c 3s", 70),
        ("2s 2h 2d 2c 3s", 200),
        ("2s 3s 4s 5s 6s", 500),
        ("As Ks Qs Js Ts", 1000),
    ],
)
def test_rp_4_1_bonus_pays_from_three_of_a_kind_and_comes_back(text, multiple):
    table = Table(text, boxes=({"box": 1, "ante_minor": 100, "bonus_minor": 7},))
    assert table.money()[-2:] == [("fund", 7 * multiple, "bonus"), ("release", 7 + 7 * multiple, "bonus")]
    assert table.event("bonus_won")["multiple"] == multiple


@pytest.mark.parametrize("text", ["As Ah Kd Kc 2s", "2s 2h 9d 7c 3s", "As Kh 9d 7c 2s", "Qs Jh 9d 7c 2s"])
def test_rp_4_1_bonus_is_lost_below_three_of_a_kind(text):
    table = Table(text, boxes=({"box": 1, "ante_minor": 100, "bonus_minor": 7},))
    assert table.money()[-1] == ("collect", 7, "bonus")


def test_rp_4_1_bonus_is_settled_whatever_becomes_of_the_box():
    boxes = ({"box": 1, "ante_minor": 500, "bonus_minor": 100},)
    won = Table("2s 2h 2c 9c 3s", NO_GAME, boxes=boxes).play("fold")
    assert (won.totals.staked_minor, won.totals.returned_minor) == (600, 2600)
    late = Table("4s 4h 9d 7c 3s", NO_GAME, "4c 4d As", boxes=boxes).act("exchange", box=1, cards=["9d", "7c", "3s"])
    assert late.box()["first"]["category"] == "four_of_a_kind"
    assert [code for kind, _, code in late.money(0) if kind == "collect"] == ["bonus"]
    assert not [move for move in late.steps[-1].moves if move.code == "bonus"]


def test_a_deal_has_no_bonus_event_without_a_bonus():
    assert not [event for event in Table("2s 2h 2d 9c 3s").events() if "bonus" in event["type"]]
    assert ENGINE.stakes(Table().setup) == tuple(s for s in ENGINE.stakes(Table().setup) if s.kind == "ante")

"""RP-6: the dealer, and what comes back."""

import pytest

from .table import ENGINE, NO_GAME, Table

THREES, PAIR, HIGH, ROYAL = "3s 3h 3d 9c Js", "6s 6h 4d 2c Ks", "7s 8h Td Qc 4s", "As Ks Qs Js Ts"
GAME = "2d 2h 9s Jd Kc"
SAME_PAIR = "6d 6c 4c 2s Kh"


def boxes(*numbers, ante_minor=100):
    return [{"box": number, "ante_minor": ante_minor} for number in numbers]


@pytest.mark.parametrize(
    ("dealer", "has_game"),
    [
        ("Ac Kd 3c 5s 9h", True),
        ("Ah Qh 9h 5h 2h", True),
        ("Ac Qd Jd 5s 9h", False),
        ("Kd Qc Jd Tc 8d", False),
        ("2d 2h 9s Jd Kc", True),
    ],
)
def test_rp_6_1_the_dealer_has_a_game_from_ace_king(dealer, has_game):
    table = Table(PAIR, dealer).play("bet")
    assert table.event("dealer_opened")["has_game"] is has_game
    assert table.over is has_game


def insured(hand, dealer):
    return Table(hand, dealer).play("bet").act("insure", box=1, amount_minor=500).play("open_dealer")


def test_rp_6_2_higher_wins_the_total_multiple_and_loses_insurance():
    table = insured(THREES, GAME)
    assert table.money() == [
        ("release", 100, "ante"),
        ("fund", 600, "bet"),
        ("release", 800, "bet"),
        ("collect", 500, "insurance"),
    ]
    assert table.event("box_settled") == {"type": "box_settled", "box": 1, "outcome": "won", "multiple": 3, "returned_minor": 900}


def test_rp_6_2_lower_loses_ante_and_bet_and_gets_insurance_back():
    table = insured(THREES, "4s 4h 4d 9d Jh")
    assert table.money() == [("collect", 100, "ante"), ("collect", 200, "bet"), ("release", 500, "insurance")]
    assert table.event("insurance_settled")["returned_minor"] == 500


def test_rp_6_2_equal_gets_ante_and_bet_back_and_loses_insurance():
    table = insured("4s 5h 6d 7c 8s", "4h 5d 6c 7s 8h")
    assert table.money() == [("release", 100, "ante"), ("release", 200, "bet"), ("collect", 500, "insurance")]
    assert table.box()["outcome"] == "tied"


def test_rp_6_2_boxes_are_compared_one_by_one_by_their_first_combination():
    table = Table("As Ah Kd 8c 9h", THREES, HIGH, GAME, boxes=boxes(1, 2, 3)).play("bet", box=1).play("bet", box=2)
    table.play("open_dealer")
    settled = [(e["box"], e["outcome"], e["returned_minor"]) for e in table.events() if e["type"] == "box_settled"]
    assert settled == [(1, "won", 300 + 200 * 2), (2, "won", 300 + 200 * 3), (3, "lost", 0)]


def test_rp_6_3_without_a_game_insurance_pays_even_money_at_once():
    table = insured(THREES, NO_GAME)
    assert table.money() == [("fund", 500, "insurance"), ("release", 1000, "insurance")]
    assert table.view["phase"] == "buying"


def test_rp_6_3_a_game_is_bought_box_by_box_blind_and_empty_ones_too():
    stakes = [{"box": n, "ante_minor": 100 * n} for n in (1, 2, 3)]
    table = Table(PAIR, HIGH, "7c 8d Th Qd 4h", NO_GAME, boxes=stakes).play("bet", box=1).play("bet", box=2)
    assert {key: spec.cost_minor for key, spec in table.legal().items()} == {
        ("buy_game", 1): 100,
        ("buy_game", 2): 200,
        ("buy_game", 3): 300,
        ("continue", None): 0,
    }
    table.play("buy_game", box=3)
    assert table.money() == [("hold", 300, "game_purchase"), ("collect", 300, "game_purchase")]
    table.refuse("already_bought", "buy_game", box=3)
    table.play("buy_game", box=1).play("buy_game", box=2)
    assert set(table.legal()) == {("continue", None)}
    assert len(table.state.deck) == 52 - 20


def test_rp_6_3_no_purchase_before_the_dealer_opens_or_for_a_folded_box():
    table = Table(PAIR, HIGH, NO_GAME, boxes=boxes(1, 2))
    table.refuse("game_not_for_sale", "buy_game", box=1)
    table.play("fold", box=1).play("bet", box=2)
    table.refuse("box_folded", "buy_game", box=1)
    assert ("buy_game", 2) in table.legal()


def test_rp_6_4_boxes_that_did_not_buy_win_the_ante_and_get_the_bet_back():
    table = Table(PAIR, NO_GAME).play("bet", "continue")
    assert table.money() == [("fund", 100, "ante"), ("release", 200, "ante"), ("release", 200, "bet")]
    assert table.event("box_settled")["outcome"] == "no_game"
    assert table.over


def test_rp_6_4_they_are_finished_before_the_replacement():
    table = Table(PAIR, "7s 8h Td Qc 3s", NO_GAME, "2h", boxes=boxes(1, 2)).play("bet", box=1).play("bet", box=2)
    table.play("buy_game", box=2).play("continue")
    assert [(e["type"], e.get("box")) for e in table.events()] == [
        ("box_settled", 1),
        ("dealer_card_replaced", None),
        ("dealer_shown_again", None),
        ("box_settled", 2),
    ]
    assert (table.box(1)["outcome"], table.box(2)["outcome"]) == ("no_game", "lost")


def bought(hand, dealer, *drawn):
    """Play a box to the end with a purchase."""
    table = Table(hand, dealer, *drawn).play("bet")
    return table.play(*(["open_dealer"] if table.view["phase"] == "insuring" else []), "buy_game", "continue")


def replacements(table):
    return [(e["replaced"], e["drawn"]) for e in table.events() if e["type"] == "dealer_card_replaced"]


def test_rp_6_5_the_highest_card_gives_way_to_the_next_one_in_its_place():
    table = bought(PAIR, "2d Kc 5h 9s Jd", "Th Jh")
    assert replacements(table) == [("Kc", "Th")]
    assert table.view["dealer"]["cards"] == ["2d", "Th", "5h", "9s", "Jd"]
    assert table.view["dealer"]["replaced"] == ["Kc"]


def test_rp_6_5_same_rank_is_replaced_again():
    table = bought(PAIR, "2d 5h 9s Jd Ac", "Ah As Ad 5c")
    assert replacements(table) == [("Ac", "Ah"), ("Ah", "As"), ("As", "Ad"), ("Ad", "5c")]
    assert table.event("dealer_shown_again")["has_game"] is True
    assert sorted(card.text for card in table.state.replaced) == ["Ac", "Ad", "Ah", "As"]
    assert len(set(ENGINE.cards(table.state))) == 52


def test_rp_6_5_a_flush_is_kept():
    table = bought(PAIR, "2h 5h 9h Jh Ac", "Ah As")
    assert replacements(table) == [("Ac", "Ah")]
    assert table.event("dealer_shown_again")["combination"]["category"] == "flush"


def test_rp_6_5_the_replacement_happens_once_for_all_boxes_and_free_of_a_second_fee():
    table = Table(PAIR, "7s 8h Td Qc 3s", NO_GAME, "Kh Qh", boxes=boxes(1, 2)).play("bet", box=1).play("bet", box=2)
    table.play("buy_game", box=1).play("buy_game", box=2).play("continue")
    assert replacements(table) == [("Kc", "Kh"), ("Kh", "Qh")]
    assert not [move for move in table.steps[-1].moves if move.kind == "hold"]


def test_rp_6_5_nothing_is_replaced_when_nothing_was_bought():
    assert replacements(Table(PAIR, NO_GAME, "2h").play("bet", "continue")) == []


def test_rp_6_6_with_a_game_the_bought_boxes_are_settled():
    won = bought(ROYAL, "2d 5h 9s Jd Kc", "2h")
    assert won.money() == [("release", 100, "ante"), ("fund", 20_000, "bet"), ("release", 20_200, "bet")]
    lost = bought(PAIR, "2d 5h 9s Td Jc", "9h")
    assert (lost.box()["outcome"], lost.box()["returned_minor"]) == ("lost", 0)


def test_rp_6_6_still_no_game_returns_ante_and_bet_but_never_the_fee():
    table = bought(ROYAL, "2d 5h 9s Jd Kc", "Th")
    assert table.money() == [("release", 100, "ante"), ("release", 200, "bet")]
    assert table.box()["outcome"] == "still_no_game"
    assert (table.totals.staked_minor, table.totals.returned_minor) == (400, 300)


def test_rp_6_6_a_tie_does_not_return_the_fee():
    tied = bought("6s 6h 4d 2c Js", "6d Jh 4c 2s Kh", "6c")
    assert tied.box()["outcome"] == "tied"
    assert (tied.totals.staked_minor, tied.totals.returned_minor) == (400, 300)


def test_rp_6_6_insurance_is_not_settled_twice():
    table = insured(THREES, NO_GAME).play("buy_game", "continue")
    assert not [move for move in table.steps[-1].moves if move.code == "insurance"]
    assert table.box()["returned_minor"] == 900 + 1000


def test_the_documents_first_example():
    stakes = [{"box": 1, "ante_minor": 100, "bonus_minor": 100}]
    table = Table("4s 5h 6d 7c 8s", GAME, boxes=stakes).play("bet", "open_dealer")
    credited = [(amount, code) for step in (0, -1) for kind, amount, code in table.money(step) if kind == "release"]
    assert credited == [(4100, "bonus"), (100, "ante"), (1000, "bet")]


def test_the_documents_royal_flush_without_a_purchase():
    table = Table(ROYAL, NO_GAME).play("bet", "open_dealer", "continue")
    assert table.box()["returned_minor"] == 400

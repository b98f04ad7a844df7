"""RP-5: what a player decides."""

import pytest

from games.core.engine import UNPLACED, Amount, SubsetOf
from games.core.errors import IllegalAction, InvalidData

from .table import ENGINE, NO_GAME, Table, cards, limits

PAIR, HIGH, THREES, ACES = "6s 6h 4d 2c Ks", "7s 8h Td Qc As", "3s 3h 3d 9c Js", "Ah Ad 8c 5s 4c"
GAME = "2d 2h 9s Jd Kc"


def boxes(*numbers, ante_minor=100):
    return [{"box": number, "ante_minor": ante_minor} for number in numbers]


def four_boxes(*hands):
    return Table(*(hands or (PAIR, HIGH, THREES, ACES)), NO_GAME, "Qh Qs Jc Jh", boxes=boxes(1, 2, 4, 5))


def test_rp_5_1_an_exchange_costs_an_ante_and_leaves_fold_and_bet():
    table = Table(PAIR, NO_GAME, "Qh Qs Jc").act("exchange", box=1, cards=["4d", "2c"])
    assert table.money() == [("hold", 100, "exchange_fee"), ("collect", 100, "exchange_fee")]
    assert set(table.legal()) == {("fold", 1), ("bet", 1)}
    table.refuse("already_drew", "exchange", box=1, cards=["6s"])
    table.refuse("already_drew", "sixth_card", box=1)


def test_rp_5_1_new_cards_take_the_places_from_left_to_right():
    table = Table(PAIR, NO_GAME, "Qh Qs Jc").act("exchange", box=1, cards=["Ks", "6s", "2c"])
    assert table.box()["cards"] == ["Qh", "6h", "4d", "Qs", "Jc"]
    event = table.event("cards_exchanged")
    assert (event["discarded"], event["drawn"], event["fee_minor"]) == (["6s", "2c", "Ks"], ["Qh", "Qs", "Jc"], 100)
    assert table.event("cards_shown")["cards"] == table.box()["cards"]


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5])
def test_rp_5_1_one_to_five_cards_which_do_not_come_back(count):
    named = PAIR.split()[:count]
    table = Table(PAIR, NO_GAME).act("exchange", box=1, cards=named)
    assert [card.text for card in table.state.discarded] == named
    assert not set(table.state.discarded) & {*table.state.deck, *cards(" ".join(table.box()["cards"]))}


@pytest.mark.parametrize("named", [[], [*PAIR.split(), "2d"], ["6s", "6s"], ["6x"], "6s", [6], None])
def test_rp_5_1_no_cards_too_many_or_no_card_at_all_are_refused(named):
    with pytest.raises(InvalidData) as refused:
        ENGINE.parse_action({"type": "exchange", "box": 1, "cards": named})
    assert refused.value.field.startswith("cards")


def test_rp_5_1_a_card_of_another_box_cannot_be_exchanged():
    table = Table(PAIR, HIGH, NO_GAME, boxes=boxes(1, 2))
    table.refuse("card_not_in_box", "exchange", box=1, cards=["6s", "7s"])


def test_rp_5_2_a_sixth_card_costs_an_ante_goes_last_and_leaves_fold_and_bet():
    table = Table(PAIR, NO_GAME, "6c").play("sixth_card")
    assert table.money() == [("hold", 100, "sixth_card_fee"), ("collect", 100, "sixth_card_fee")]
    assert table.box()["cards"] == [*PAIR.split(), "6c"]
    assert set(table.legal()) == {("fold", 1), ("bet", 1)}
    table.refuse("already_drew", "sixth_card", box=1)
    table.refuse("already_drew", "exchange", box=1, cards=["6s"])


def test_rp_5_3_a_fold_loses_ante_and_fee_and_frees_what_waited_for_the_bet():
    table = Table(PAIR, NO_GAME).play("sixth_card", "fold")
    assert table.money() == [("collect", 100, "ante"), ("release", 200, UNPLACED)]
    assert table.over
    assert (table.totals.staked_minor, table.totals.returned_minor) == (200, 0)
    assert table.event("box_folded") == {"type": "box_folded", "box": 1, "lost_minor": 200}


def test_rp_5_4_a_bet_is_twice_the_ante():
    table = Table(PAIR, GAME, boxes=boxes(1, ante_minor=70)).play("bet")
    assert table.event("bet_placed") == {"type": "bet_placed", "box": 1, "amount_minor": 140, "blind": False}
    assert table.box()["bet_minor"] == 140
    with pytest.raises(InvalidData):
        ENGINE.parse_action({"type": "bet", "box": 1, "amount_minor": 140})


def test_rp_5_5_every_action_names_its_own_cost():
    table = Table(THREES, NO_GAME, boxes=boxes(1, ante_minor=70))
    assert {type: spec.cost_minor for (type, _), spec in table.legal().items()} == {
        "exchange": 70,
        "sixth_card": 70,
        "fold": 0,
        "bet": 0,
    }
    table.play("bet")
    assert {type: spec.cost_minor for (type, _), spec in table.legal().items()} == {"insure": 70, "open_dealer": 0}
    table.play("open_dealer")
    assert {type: spec.cost_minor for (type, _), spec in table.legal().items()} == {"buy_game": 70, "continue": 0}


def test_rp_5_5_what_an_action_holds_is_its_cost():
    table = Table(THREES, NO_GAME)
    for type in ("sixth_card", "bet", "open_dealer", "buy_game", "continue"):
        cost = next(spec.cost_minor for (known, _), spec in table.legal().items() if known == type)
        table.play(type)
        assert sum(amount for kind, amount, _ in table.money() if kind == "hold") == cost


def test_rp_5_6_a_blind_box_decides_nothing_and_bets_by_itself():
    table = four_boxes()
    for number in (4, 5):
        for type in ("sixth_card", "fold", "bet"):
            table.refuse("box_blind", type, box=number)
        table.refuse("box_blind", "exchange", box=number, cards=["3s"])
    table.play("fold", box=1).play("fold", box=2)
    placed = [(event["box"], event["blind"]) for event in table.events() if event["type"] == "bet_placed"]
    assert placed == [(4, True), (5, True)]


def test_rp_5_6_a_blind_box_may_have_bonus_and_insurance():
    stakes = [{"box": n, "ante_minor": 100, "bonus_minor": 10} for n in (1, 2, 3)]
    table = Table(PAIR, HIGH, THREES, NO_GAME, boxes=stakes)
    assert [event["box"] for event in table.events() if event["type"] == "bonus_won"] == [3]
    table.play("fold", box=1).play("fold", box=2).act("insure", box=3, amount_minor=600)
    assert table.money() == [("hold", 600, "insurance")]


def test_rp_5_7_open_boxes_decide_along_the_table_each_to_its_end():
    table = four_boxes()
    assert {box for _, box in table.legal()} == {1}
    table.refuse("box_not_its_turn", "bet", box=2)
    table.play("sixth_card")
    assert {box for _, box in table.legal()} == {1}
    table.refuse("box_not_its_turn", "sixth_card", box=2)
    table.play("bet")
    assert {box for _, box in table.legal()} == {2}
    assert table.view["deciding_box"] == 2
    table.refuse("box_decided", "fold", box=1)
    assert [event["type"] for event in table.events()] == ["bet_placed"]
    table.play("bet", box=2)
    assert [event["box"] for event in table.events() if event["type"] == "bet_placed"] == [2, 4, 5]


def test_rp_5_8_insurance_from_an_ante_to_twice_the_ante_times_the_total_multiple():
    table = Table("As Ah Ad Ac 7s", NO_GAME, "7h").play("sixth_card", "bet")
    assert table.legal()[("insure", 1)].parameters["amount_minor"] == Amount(100, 200 * 27, 1)
    for amount in (99, 5401):
        table.refuse("insurance_out_of_bounds", "insure", box=1, amount_minor=amount)
    table.act("insure", box=1, amount_minor=5400)
    assert table.event("box_insured") == {"type": "box_insured", "box": 1, "amount_minor": 5400}
    table.refuse("already_insured", "insure", box=1, amount_minor=100)


@pytest.mark.parametrize("hand", [PAIR, HIGH, "As Ah Kd Kh 2s"])
def test_rp_5_8_no_insurance_below_three_of_a_kind(hand):
    table = Table(hand, THREES, NO_GAME, boxes=boxes(1, 2)).play("bet", box=1).play("bet", box=2)
    assert set(table.legal()) == {("insure", 2), ("open_dealer", None)}
    assert table.box(1)["insurance_bounds"] is None
    table.refuse("insurance_not_offered", "insure", box=1, amount_minor=100)


def test_rp_5_8_the_final_cards_decide():
    table = Table("Js 3h 9c 7d 2c", NO_GAME, "3s 3d").act("exchange", box=1, cards=["Js", "2c"]).play("bet")
    assert ("insure", 1) in table.legal()
    table = Table(THREES, NO_GAME, "Qd 2h").act("exchange", box=1, cards=["3s", "3h"]).play("bet")
    assert table.view["phase"] == "buying"


def test_rp_5_8_amounts_are_in_chip_steps_and_the_maximum_rounded_down():
    rules = limits(step_minor=50, max_payout_minor=333)
    table = Table(THREES, NO_GAME, limits=rules).play("bet")
    assert table.box()["insurance_bounds"] == {"min_minor": 100, "max_minor": 300, "step_minor": 50}
    table.refuse("insurance_not_in_steps", "insure", box=1, amount_minor=299)
    table.refuse("insurance_out_of_bounds", "insure", box=1, amount_minor=350)
    assert table.act("insure", box=1, amount_minor=150).box()["insurance_minor"] == 150


def test_rp_5_8_where_the_maximum_is_below_an_ante_there_is_no_insurance():
    table = Table(THREES, NO_GAME, limits=limits(max_payout_minor=99)).play("bet")
    assert table.view["phase"] == "buying"
    table = Table(THREES, NO_GAME, limits=limits(max_payout_minor=100)).play("bet")
    assert table.box()["insurance_bounds"] == {"min_minor": 100, "max_minor": 100, "step_minor": 1}


def test_rp_5_8_the_maximum_payout_counts_for_each_box_in_any_order():
    other = "7s 7h 7d 9h Jh"
    table = Table(THREES, other, NO_GAME, boxes=boxes(1, 2), limits=limits(max_payout_minor=500))
    table.play("bet", box=1)
    table.refuse("insurance_not_open", "insure", box=1, amount_minor=100)
    table.play("bet", box=2).act("insure", box=2, amount_minor=500).act("insure", box=1, amount_minor=500)
    assert set(table.legal()) == {("open_dealer", None)}


def test_rp_5_8_a_folded_box_is_not_insured():
    table = Table(THREES, "7s 7h 7d 9h Jh", NO_GAME, boxes=boxes(1, 2)).play("fold", box=1).play("bet", box=2)
    table.refuse("box_folded", "insure", box=1, amount_minor=100)
    assert table.event("insurance_opened") == {"type": "insurance_opened", "boxes": [2]}


def test_rp_5_9_only_opening_the_dealer_ends_the_window():
    table = Table(THREES, NO_GAME).play("bet")
    table.refuse("nothing_to_continue", "continue")
    table.act("insure", box=1, amount_minor=100)
    assert table.view["phase"] == "insuring"
    assert set(table.legal()) == {("open_dealer", None)}
    assert table.play("open_dealer").view["phase"] == "buying"


def test_rp_5_9_without_a_box_to_insure_the_dealer_opens_in_the_same_step():
    table = Table(PAIR, GAME)
    table.refuse("dealer_not_ready", "open_dealer")
    table.play("bet")
    assert [event["type"] for event in table.events()] == ["bet_placed", "dealer_opened", "box_settled"]
    assert table.over


def test_rp_5_9_when_every_box_folds_the_dealers_cards_are_never_seen():
    table = Table(PAIR, HIGH, NO_GAME, boxes=boxes(1, 2)).play("fold", box=1).play("fold", box=2)
    assert table.over
    assert table.view["dealer"]["cards"] == [None] * 4 + ["Kc"]
    assert ENGINE.result(table.state)["dealer"]["cards"] == [None] * 4 + ["Kc"]
    seen = str([table.events(step) for step in range(3)]) + str(table.view) + str(ENGINE.result(table.state))
    assert not [hidden for hidden in NO_GAME.split()[:4] if f"'{hidden}'" in seen]


def test_an_exchange_offers_the_boxs_own_cards():
    table = Table(PAIR, NO_GAME)
    assert table.legal()[("exchange", 1)].parameters["cards"] == SubsetOf(tuple(PAIR.split()), 1, 5)


@pytest.mark.parametrize(("type", "more"), [("bet", {}), ("insure", {"amount_minor": 1}), ("buy_game", {})])
def test_a_box_that_is_not_played_takes_no_action(type, more):
    Table(PAIR, NO_GAME).refuse("box_not_played", type, box=3, **more)


def test_another_seat_never_acts():
    state = Table(PAIR, NO_GAME).state
    assert ENGINE.legal_actions(state, 1) == ()
    with pytest.raises(IllegalAction) as refused:
        ENGINE.apply(state, 1, ENGINE.parse_action({"type": "bet", "box": 1}))
    assert refused.value.code == "seat_not_to_act"


@pytest.mark.parametrize(
    ("data", "field"),
    [
        ({}, "type"),
        ({"type": "raise", "box": 1}, "type"),
        ({"type": 1}, "type"),
        ({"type": "bet"}, "box"),
        ({"type": "bet", "box": 0}, "box"),
        ({"type": "bet", "box": 6}, "box"),
        ({"type": "bet", "box": "1"}, "box"),
        ({"type": "bet", "box": 1, "seat": 0}, "seat"),
        ({"type": "open_dealer", "box": 1}, "box"),
        ({"type": "insure", "box": 1}, "amount_minor"),
        ({"type": "insure", "box": 1, "amount_minor": 0}, "amount_minor"),
        ({"type": "insure", "box": 1, "amount_minor": True}, "amount_minor"),
    ],
)
def test_an_action_of_another_shape_is_refused(data, field):
    with pytest.raises(InvalidData) as refused:
        ENGINE.parse_action(data)
    assert refused.value.field == field

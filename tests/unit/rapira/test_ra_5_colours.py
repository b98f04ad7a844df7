"""RA-5: what colours do."""

import pytest

from games.rapira.engine.cards import COLOURS, coloured, with_colour
from games.rapira.engine.scoring import evaluate

from .table import Table, cards


def own_bonuses(table, seat=0, step=-1):
    return [event["bonuses"] for event in table.events(seat, step) if event["type"] in ("cards_played", "cards_discarded")]


def test_ra_5_1_red_brings_a_bonus_each_time_it_is_played():
    table = Table("2c 3c 4c", colours={0: "2c.r 3c.r 4c.r"}).play(0, 0, 1)
    assert table.earned == [2, 0] and own_bonuses(table) == [2]
    table.play(1, 0).play(0, 0)
    assert own_bonuses(table) == [1]


def test_ra_5_1_red_brings_nothing_when_it_is_discarded_or_kept():
    table = Table("2c 3c 4c", colours={0: "2c.r 3c.r 4c.r"}).discard(0, 0).play(0, 7)
    assert table.earned == [0, 0]


def test_ra_5_1_green_brings_a_bonus_each_time_it_is_discarded_and_not_when_played():
    table = Table("2c 3c 4c 5c", colours={0: "2c.g 3c.g 4c.g"}).discard(0, 0, 1, 3)
    assert table.earned == [2, 0] and own_bonuses(table) == [2]
    table.play_cards(0, "4c.g")
    assert table.earned == [2, 0]


def test_ra_5_2_yellow_counts_as_its_rank_or_one_more_or_less():
    values = {evaluate(cards(f"4s.y {rank}h"))[0] for rank in "345"}
    assert values == {1}
    assert evaluate(cards("4s.y 6h")) == (0, 6, 5)
    assert evaluate(cards("4s.y 2h")) == (0, 5, 2)


def test_ra_5_2_the_rank_it_counts_as_decides_ties():
    table = Table("9s", "Th", colours={0: "9s.y"}).play_cards(0, "9s.y").play_cards(1, "Th")
    assert table.event("hand_won")["seats"] == [0, 1]
    assert table.view()["last_hand"]["seats"][0]["ranks"] == [10]


def test_ra_5_2_nothing_lies_below_two_or_above_the_ace():
    assert evaluate(cards("As.y")) == (0, 14)
    assert evaluate(cards("As.y 2h")) == (0, 14, 2)
    assert evaluate(cards("2s.y Ah")) == (0, 14, 3)
    assert evaluate(cards("As.y Kh")) == (1, 13, 13)


def test_ra_5_3_pink_counts_as_any_suit():
    assert evaluate(cards("4h 8h Th Jh As.p")) == (5, 14, 11, 10, 8, 4)
    assert evaluate(cards("4c 8h Th Jh As.p"))[0] == 0
    assert evaluate(cards("4c.p 8d.p Th.p Js.p As.p"))[0] == 5


def test_ra_5_4_blue_brings_one_bonus_once_in_a_cycle_if_it_was_not_played():
    table = Table("2c 3c 4c 5c", colours={0: "2c.b 3c.b"}).play_cards(0, "4c")
    assert own_bonuses(table) == [2]
    table.play(1, 0).play_cards(0, "5c")
    assert own_bonuses(table) == [0] and table.bonuses == [0, 0]
    table.play_cards(1, table.own(1)["hand"][0])
    table.play_cards(0, "2c.b")
    assert own_bonuses(table) == [0]
    table.to_next_cycle()
    table.play_cards(0, "4c")
    assert own_bonuses(table) == [2]


def test_ra_5_4_blue_brings_nothing_when_it_is_played_or_discarded():
    table = Table("2c 3c 4c", colours={0: "2c.b 3c.b"}).discard(0, 0).play_cards(0, "3c.b")
    assert table.earned == [0, 0]


def test_ra_5_4_blue_is_counted_by_slot_so_that_twins_bring_one_each():
    table = Table("2c 3c 4c", colours={0: "2c=Ks.b 3c=Ks.b"}).play_cards(0, "4c")
    assert own_bonuses(table) == [2]


def test_ra_5_4_what_is_drawn_after_the_play_was_not_in_hand_at_it():
    table = Table("2c 3c 4c 5c 6c 7c 8c 9c Tc", colours={0: "Tc.b"}).play(0, 0)
    assert own_bonuses(table) == [0]
    table.play(1, 0).play(0, 0)
    assert own_bonuses(table) == [1]


@pytest.mark.parametrize(("text", "played"), [("2c.rb", 1), ("2c.rygbp", 1), ("2c.yp", 0)])
def test_ra_5_1_the_effects_of_several_colours_add_up(text, played):
    table = Table("2c 3c", colours={0: text}).play_cards(0, text)
    assert table.earned == [played, 0]
    table = Table("2c 3c", colours={0: text}).play_cards(0, "3c")
    assert table.earned == [int("b" in text), 0]


def test_ra_5_1_colours_stand_after_a_dot_in_their_order():
    card = coloured("Ts")
    for name in ("pink", "yellow", "red", "blue", "green"):
        card = with_colour(card, COLOURS[name])
    assert card.text == "Ts.rygbp" and coloured("Ts.rygbp") is card
    with pytest.raises(KeyError):
        coloured("Ts.yr")

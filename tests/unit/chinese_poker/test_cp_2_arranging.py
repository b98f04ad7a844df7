"""CP-2: arranging."""

import json

import pytest

from games.chinese_poker.engine.scoring import in_order
from games.core.cards import card
from games.core.errors import IllegalAction, InvalidData
from games.core.ranking import strength

from .table import ENGINE, PRICE, ROYAL, Table, arranged, hands, padded
from .test_cp_1_table import LOSER, WINNER


def cards(text):
    return tuple(map(card, text.split()))


def order(text):
    return in_order(*[tuple(map(card, part)) for part in hands(text)])


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("As Ks Qs Js Ts | Ah Kh Qh Jh Th | 9s 9h 9d", None),
        ("As Ah Kd Kc 9s | Ad Ac Ks Kh 9d | Qs Qh 2c", None),
        ("As Ah 9d 7c 5s | Ks Kh 9c 7d 5h | Qs Qh 2c", None),
        ("Ks Kh 9c 7d 5h | As Ah 9d 7c 5s | Qs Qh 2c", "first_below_second"),
        ("Qs Qh 9c 7d 5h | Ks Kh 9d 7c 5s | As Ah 2c", "first_below_second"),
        ("Ks Kh 9c 7d 5h | Qs Qh 9d 7c 5s | As Ah 2c", "second_below_third"),
        ("As Ah Kd Kc 9s | Ad Ac Ks Kh Td | Qs Qh 2c", "first_below_second"),
    ],
)
def test_cp_2_1_no_hand_is_above_the_one_before_it(text, code):
    table = Table(padded(text, None))
    if code:
        table.refuse(code, 0, "arrange", **arranged(text))
    else:
        table.act(0, "arrange", **arranged(text))
        assert table.view(0)["own"]["arrangement"] == arranged(text)


def test_cp_2_2_straights_and_flushes_do_not_count_in_third():
    assert order("9c 8d 7h 5c 4d | 8c 7d 6h 4c 3d | 5h 4h 3h") == (True, True)
    assert strength(cards("Qs Ks As")) < strength(cards("2c 2d 3h"))
    assert strength(cards("2h 3h 4h")) == strength(cards("2c 3d 4s"))


LADDER = [
    "As Kh 9d 8c 7s",
    "2s 2h 5d 4c 3s",
    "3s 3h 2d 2c 4s",
    "2s 2h 2d 4c 3s",
    "As 2h 3d 4c 5s",
    "As Kh Qd Jc Ts",
    "7s 5s 4s 3s 2s",
    "2s 2h 2d 3c 3s",
    "2s 2h 2d 2c 3s",
    "As 2s 3s 4s 5s",
    "As Ks Qs Js Ts",
]


def test_cp_2_2_the_ladder_is_the_ordinary_one():
    values = [strength(cards(text)) for text in LADDER]
    assert values == sorted(values) and len(set(values)) == len(LADDER)


@pytest.mark.parametrize(
    ("higher", "lower"),
    [
        ("3s 3h 3d 2c 2s", "2h 2d 2c As Ah"),
        ("As Ah 2d 2c 3s", "Ks Kh Qd Qc Js"),
        ("As Ah 3d 3c 2s", "Ad Ac 2d 2c Ks"),
        ("As Ah 2d 2c 4s", "Ad Ac 2s 2h 3s"),
        ("6s 2h 3d 4c 5s", "As 2d 3c 4h 5d"),
        ("Qs Jd Tc 9h 4d", "Qd Jc Th"),
        ("Qs Qd 3c 2h 4s", "Qc Qh 4d"),
        ("Ks Qd 3c 2h 4s", "Kd Qh 4d"),
        ("3s 3h 4c 5d 6h", "Ks Qd Jh"),
    ],
)
def test_cp_2_3_hands_of_one_category(higher, lower):
    assert strength(cards(higher)) > strength(cards(lower))


def test_cp_2_3_suits_decide_nothing():
    assert strength(cards("As Ks Qs Js 9s")) == strength(cards("Ah Kh Qh Jh 9h"))


def test_cp_2_3_side_cards_of_second_count_before_it_is_longer():
    text = "As Ah 9d 7c 5s | Qd Js Tc 9s 4d | Qs Jd 8c"
    assert order(text) == (True, True)
    assert order("As Ah 9d 7c 5s | Qd Js 7d 6s 4d | Qs Jd 8c") == (True, False)


def test_cp_2_4_all_seats_arrange_at_the_same_time():
    table = Table(padded(None, WINNER, LOSER))
    assert table.to_act == [0, 1, 2]
    table.arrange(2)
    assert table.to_act == [0, 1]
    table.arrange(1)
    assert table.to_act == [0]
    assert ENGINE.legal_actions(table.state, 1) == ()


def changed(**hands):
    return {**arranged(WINNER), **hands}


@pytest.mark.parametrize(
    ("parameters", "code"),
    [
        (changed(third=["Qs", "Qh", "Qs"]), "card_named_twice"),
        (changed(third=["Qs", "Qh", "Js"]), "card_named_twice"),
        (changed(third=["Qs", "Qh", "2c"]), "card_not_held"),
        (changed(third=["Qs", "Qh", "X1"]), "card_not_held"),
        (changed(first=arranged(WINNER)["second"], second=arranged(WINNER)["first"]), "first_below_second"),
    ],
)
def test_cp_2_4_a_wrong_arrangement_is_refused_and_nothing_is_lost(parameters, code):
    table = Table([WINNER, LOSER])
    table.refuse(code, 0, "arrange", **parameters)
    table.arrange(0)
    assert table.to_act == [1]


@pytest.mark.parametrize(
    ("parameters", "field"),
    [
        (changed(third=["Qs", "Qh"]), "third"),
        (changed(first=["As"] * 6), "first"),
        (changed(second="Ks"), "second"),
        (changed(third=["Qs", "Qh", "6"]), "third.2"),
        (changed(third=["Qs", "Qh", 6]), "third.2"),
        (changed(fourth=[]), "fourth"),
        ({"first": [], "second": []}, "first"),
    ],
)
def test_cp_2_4_what_is_no_arrangement_is_not_read(parameters, field):
    with pytest.raises(InvalidData) as refused:
        ENGINE.parse_action({"type": "arrange", **parameters})
    assert refused.value.field == field


def test_cp_2_4_an_accepted_arrangement_is_final():
    table = Table([WINNER, LOSER]).arrange(0)
    table.refuse("already_arranged", 0, "arrange", **arranged(WINNER))
    table.refuse("seat_not_to_act", 2, "arrange", **arranged(WINNER))
    table.refuse("window_not_open", 1, "doezd")


def test_cp_2_4_others_see_only_that_it_was_made():
    table = Table(padded(WINNER, LOSER, None)).arrange(0)
    assert table.events() == [{"type": "hand_arranged", "seat": 0}]
    for viewer in (1, 2, None):
        view = table.view(viewer)
        assert view["deal"] == {"number": 1, "standings": ["arranged", "arranging", "arranging"], "positions": []}
        assert not seen(view) & set(WINNER.split())
    dealt = [event for event in table.steps[0].events if type(event).__name__ == "HandDealt"]
    for event in dealt:
        shown = [viewer for viewer in (0, 1, 2, None) if ENGINE.event_view(event, viewer) is not None]
        assert shown == [event.seat]


def seen(value):
    """Every card text in a JSON value."""
    return {text for text in json.dumps(value).replace('"', " ").replace(",", " ").split() if len(text) == 2}


def test_cp_2_4_own_cards_are_shown_as_dealt_then_as_arranged():
    table = Table([WINNER, LOSER])
    assert table.view(0)["own"] == {"seat": 0, "cards": WINNER.replace("| ", "").split(), "arrangement": None}
    table.arrange(0)
    assert table.view(0)["own"] == {"seat": 0, "cards": None, "arrangement": arranged(WINNER)}
    assert table.view(None)["own"] is None


def test_cp_2_5_a_time_out_scores_nothing_and_ends_the_game_after_the_deal():
    table = Table([WINNER, LOSER], [ROYAL, LOSER], target=51).arrange()
    table.time_out(0)
    assert table.events() == [{"type": "arrangement_missed", "seat": 0}]
    table.arrange(1)
    assert table.over
    assert table.scores == [7, 7]
    assert table.event("deal_scored")["points"] == [0, 7]
    assert table.event("game_settled")["ending"] == "timeout"
    assert ENGINE.result(table.state)["timed_out"] == [0]
    assert table.net() == [0, 0]


def test_cp_2_5_the_others_beat_it_and_compare_among_themselves():
    table = Table(padded(WINNER, LOSER, None)).time_out(2).arrange()
    assert [table.opened(name)["comparison_points"] for name in ("first", "second", "third")] == [[4, 2, 0]] * 3
    assert [table.opened(name)["two_positions_points"] for name in ("first", "second", "third")] == [
        [0, 0, 0],
        [2, 1, 0],
        [0, 0, 0],
    ]
    assert table.scores == [14, 7, 0]


def test_cp_2_5_between_two_that_timed_out_nobody_scores():
    table = Table(padded(WINNER, None, None)).time_out(1).time_out(2).arrange(0)
    assert table.over and table.scores == [14, 0, 0]
    table = Table(padded(None, None, None)).time_out(2).time_out(0).time_out(1)
    assert table.over and table.scores == [0, 0, 0]
    assert table.net() == [0, 0, 0]
    assert {move[3] for move in table.money()} == {"unplaced"}


def test_cp_2_5_prizes_stand():
    table = Table([ROYAL, LOSER]).time_out(1).arrange(0)
    assert table.scores == [24 + 7, 0]


def test_cp_2_5_no_window_opens_whatever_the_target():
    table = Table([ROYAL, LOSER], target=1).arrange(0).time_out(1)
    assert table.over
    assert "window_opened" not in table.types()
    assert table.event("game_settled")["ending"] == "timeout"
    assert table.net() == [31 * PRICE, -31 * PRICE]


def test_cp_2_5_cards_not_arranged_in_time_are_not_shown():
    table = Table(padded(WINNER, LOSER, None)).time_out(1)
    for viewer in (0, 1, 2, None):
        assert not seen(table.view(viewer)) & set(LOSER.split())
    assert table.view(1)["own"] == {"seat": 1, "cards": None, "arrangement": None}
    table.arrange(0).time_out(2)
    assert table.over
    for viewer in (0, 1, 2, None):
        assert not seen(table.view(viewer)) & set(LOSER.split())
        assert not seen([ENGINE.event_view(event, viewer) for event in table.steps[-1].events]) & set(LOSER.split())
    assert table.opened("first")["hands"] == [arranged(WINNER)["first"], None, None]


def test_cp_2_5_a_player_cannot_ask_for_a_time_out():
    table = Table([WINNER, LOSER])
    action = ENGINE.timeout_action(table.state, 0)
    assert ENGINE.dump_action(action) == {"type": "forfeit_deal"}
    with pytest.raises(InvalidData):
        ENGINE.parse_action(ENGINE.dump_action(action))
    assert "forfeit_deal" not in {spec.type for spec in ENGINE.legal_actions(table.state, 0)}
    table.arrange(0)
    with pytest.raises(IllegalAction, match="already_arranged"):
        ENGINE.apply(table.state, 0, action)


def test_cp_2_5_one_clock_for_the_arrangement_of_a_deal():
    table = Table([WINNER, LOSER], (), arrange_timeout_seconds=77)
    waits = [ENGINE.wait(table.state, seat) for seat in (0, 1)]
    assert {(wait.timer, wait.seconds, wait.since, wait.period) for wait in waits} == {
        ("arrange_timeout_seconds", 77, "turn", "deal 1")
    }
    table.arrange(0)
    assert ENGINE.wait(table.state, 0) is None
    assert ENGINE.wait(table.state, 1) == waits[1]
    table.arrange(1)
    assert ENGINE.wait(table.state, 1).period == "deal 2"

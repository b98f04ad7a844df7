"""CP-4: Доезд."""

import pytest

from .table import ENGINE, PRICE, ROYAL, Table
from .test_cp_1_table import LOSER, WINNER
from .test_cp_2_arranging import seen

TIED = ["As Ah Kd Kc 9s | Jh Jd 8c 7s 6h | Qs 5d 4c", "Ad Ac Ks Kh 9d | Js Jc 8d 7h 6s | Qd 5h 4s"]
"""Every position ties: 1–1, 2–2, 3–3."""
CROSSED = ["As Ah Kd Qc Js | 9c 8d 7h 5c 4d | 8c 7d 6h", "Ks Kh 9d 8s 7s | Qs Qh Jd Tc 9s | 5h 4h 2c"]
"""Seat 0 wins First and Third, seat 1 Second."""
QUADS = "9s 9h 9d 9c 2s | Ks Kh Qd Qc 3s | Td Th 4s"


def window(table):
    return table.view(None)["window"]


def test_cp_4_1_a_player_at_the_target_after_first_may_press_or_continue():
    table = Table([WINNER, LOSER], target=2).arrange()
    assert table.view()["phase"] == "deciding"
    assert window(table) == {"position": "first", "may_press": [0], "continued": []}
    assert [spec.type for spec in ENGINE.legal_actions(table.state, 0)] == ["doezd", "compare_next"]
    assert table.to_act == [0] and table.scores == [2, 0]
    pressed = Table([WINNER, LOSER], target=2).arrange().act(0, "doezd")
    assert pressed.over and pressed.scores == [2, 0]
    assert pressed.types() == ["doezd_pressed", "game_settled"]
    assert pressed.net() == [2 * PRICE, -2 * PRICE]
    assert ENGINE.result(pressed.state)["ending"] == "doezd" and ENGINE.result(pressed.state)["pressed_by"] == 0
    assert table.go_on(0).scores == [5, 0]
    assert window(table) == {"position": "second", "may_press": [0], "continued": []}


def test_cp_4_1_after_second_too():
    table = Table([WINNER, LOSER], target=3).arrange()
    assert window(table)["position"] == "second"
    table.act(0, "doezd")
    assert table.scores == [5, 0] and table.net() == [5 * PRICE, -5 * PRICE]


@pytest.mark.parametrize(
    ("hands", "target", "position"),
    [
        ([WINNER, LOSER], 2, "first"),
        ([WINNER, LOSER], 3, "second"),
        ([WINNER, LOSER], 5, "second"),
        ([WINNER, LOSER], 6, None),
        ([QUADS, LOSER.replace("9c", "Ah")], 5, "first"),
        ([QUADS, LOSER.replace("9c", "Ah")], 6, "second"),
        ([ROYAL, LOSER], 12, "first"),
        ([ROYAL, LOSER], 13, "second"),
        ([ROYAL, LOSER], 19, "second"),
        ([ROYAL, LOSER], 20, None),
        (CROSSED, 4, None),
    ],
)
def test_cp_4_1_prizes_and_the_certain_point_for_two_positions_count(hands, target, position):
    """WINNER gets 2, then 2 and the point for two positions; prizes come on top: 3 for QUADS, 10 and 4 for ROYAL."""
    table = Table(hands, target=target).arrange()
    assert (window(table) and window(table)["position"]) == position
    assert table.over is (position is None)


def test_cp_4_1_below_the_target_nobody_is_asked():
    table = Table([WINNER, LOSER], (), target=51).arrange()
    assert table.view()["phase"] == "arranging" and window(table) is None


def test_cp_4_2_one_press_settles():
    for seat in (0, 1):
        table = Table(TIED, target=1).arrange()
        assert window(table) == {"position": "first", "may_press": [0, 1], "continued": []}
        assert table.act(seat, "doezd").over
        assert table.scores == [1, 1]
    table = Table(TIED, target=1).arrange().go_on(0)
    assert table.act(1, "doezd").over and table.scores == [1, 1]


def test_cp_4_2_the_next_position_opens_when_all_continued():
    table = Table(TIED, target=1).arrange().go_on(1)
    assert table.types() == ["compare_continued"]
    assert window(table) == {"position": "first", "may_press": [0, 1], "continued": [1]}
    assert table.to_act == [0]
    table.go_on(0)
    assert table.types() == ["compare_continued", "position_opened", "window_opened"]
    assert window(table) == {"position": "second", "may_press": [0, 1], "continued": []}
    table.go_on(0, 1)
    assert table.types() == ["compare_continued", "position_opened", "deal_scored", "game_settled"]
    assert table.over and table.scores == [3, 3]


def test_cp_4_2_the_time_to_compare_continues_for_them():
    table = Table(TIED, target=1).arrange().go_on(0).time_out(1)
    assert window(table)["position"] == "second"
    table.time_out(0).time_out(1)
    assert table.over and table.scores == [3, 3]
    assert ENGINE.dump_action(ENGINE.timeout_action(Table(TIED, target=1).arrange().state, 0)) == {"type": "compare_next"}


def test_cp_4_2_a_seat_that_continued_after_first_may_press_after_second():
    table = Table(CROSSED, target=2).arrange()
    assert window(table)["may_press"] == [0]
    table.go_on(0)
    assert table.scores == [2, 2]
    assert window(table)["may_press"] == [0, 1]
    assert table.act(0, "doezd").over
    table = Table(CROSSED, target=2).arrange().go_on(0)
    assert table.act(1, "doezd").over


def test_cp_4_2_refused_presses():
    for type in ("doezd", "compare_next"):
        Table([WINNER, LOSER]).refuse("window_not_open", 0, type)
    table = Table(TIED, target=1).arrange(0, 1).go_on(0)
    table.refuse("already_continued", 0, "doezd")
    table.refuse("already_continued", 0, "compare_next")
    table.refuse("not_arranging", 0, "arrange", first=["As"] * 5, second=["Ks"] * 5, third=["Qs"] * 3)
    table.refuse("seat_not_to_act", 3, "doezd")
    table = Table([WINNER, LOSER], target=2).arrange()
    table.refuse("target_not_reached", 1, "doezd")
    table.refuse("target_not_reached", 1, "compare_next")
    table.act(0, "doezd")
    for type in ("doezd", "compare_next"):
        table.refuse("round_over", 0, type)


def test_cp_4_2_a_window_has_one_deadline():
    table = Table(TIED, target=1, compare_timeout_seconds=9).arrange()
    waits = [ENGINE.wait(table.state, seat) for seat in (0, 1)]
    assert {(wait.timer, wait.seconds, wait.since, wait.period) for wait in waits} == {
        ("compare_timeout_seconds", 9, "turn", "deal 1 first")
    }
    table.go_on(0)
    assert ENGINE.wait(table.state, 0) is None
    assert ENGINE.wait(table.state, 1) == waits[1]
    table.go_on(1)
    assert {ENGINE.wait(table.state, seat).period for seat in (0, 1)} == {"deal 1 second"}


def test_cp_4_2_no_window_after_third():
    table = Table([WINNER, LOSER], target=7).arrange()
    assert table.over and "window_opened" not in table.types()


@pytest.mark.parametrize("presses", [["doezd"], ["compare_next", "doezd"]])
def test_cp_4_3_what_is_not_open_is_never_shown(presses):
    table = Table([ROYAL, LOSER], target=1).arrange()
    for type in presses:
        table.act(0, type)
    shut = {text for hand in (ROYAL, LOSER) for part in hand.split(" | ")[len(presses) :] for text in part.split()}
    assert table.over
    for viewer in (0, 1, None):
        assert not seen(table.view(viewer)) & shut
        for step in table.steps[1:]:
            assert not seen([ENGINE.event_view(event, viewer) for event in step.events]) & shut
    assert not seen(ENGINE.result(table.state)) & shut
    assert table.scores == ([12, 0] if len(presses) == 1 else [19, 0])


def test_cp_4_4_a_full_deal_with_somebody_at_the_target_is_the_last():
    table = Table([WINNER, LOSER], [LOSER, WINNER], target=7).arrange()
    assert table.over and table.event("game_settled")["ending"] == "target"
    table = Table([WINNER, LOSER], [LOSER, WINNER], target=8).arrange()
    assert not table.over and table.state.deal.number == 2

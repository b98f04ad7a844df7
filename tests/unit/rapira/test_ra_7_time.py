"""RA-7: time, and what the last screen shows."""

from datetime import UTC, datetime, timedelta

from games.core.engine import Wait
from games.rapira.engine.actions import TYPES
from games.rounds.position import position_after, position_start

from .table import ENGINE, Table


def test_ra_7_1_a_time_out_plays_the_strongest_choice_without_discards():
    table = Table("As 9h 2c 9d Kc 9s 3h 9c").time_out(0)
    assert table.own(0)["played"] == ["As", "9h", "9d", "9s", "9c"]
    assert table.own(0)["discards_left"] == 4


def test_ra_7_1_equal_choices_go_to_the_lowest_positions():
    table = Table("As Ah Ad Kc Kd Ks Ac 2c")
    assert ENGINE.dump_action(ENGINE.timeout_action(table.state, 0)) == {"type": "play_hand", "positions": [0, 1, 2, 3, 6]}


def test_ra_7_1_colours_are_read_to_the_best():
    table = Table("4s 5s 7h 8d Jc 2h Kd Qc", colours={0: "5s.y"}).time_out(0)
    assert table.own(0)["played"] == ["4s", "5s.y", "Jc", "Kd", "Qc"]
    table.play(1, 0)
    assert table.view()["last_hand"]["seats"][0]["ranks"] == [4, 4, 13, 12, 11]


def test_ra_7_1_a_short_hand_is_played_as_it_is():
    table = Table()
    table.change(0, hand=(3, 1), deck=(), pile=(0, 2, *range(4, 52)))
    assert ENGINE.timeout_action(table.state, 0).positions == (0, 1)


def test_ra_7_1_in_a_bonus_phase_a_time_out_skips_what_is_left():
    table = Table().to_bonuses()
    slots = table.state.seats[0].slots
    left = table.bonuses[0]
    for _ in range(left):
        assert ENGINE.dump_action(ENGINE.timeout_action(table.state, 0)) == {"type": "bonus_skip"}
        table.time_out(0)
    assert 0 not in ENGINE.to_act(table.state)
    assert table.state.seats[0].slots == slots


def test_ra_7_1_a_seat_has_one_clock_for_a_hand_and_one_for_a_bonus_phase():
    table = Table(hand_timeout_seconds=40, bonus_timeout_seconds=90)
    assert ENGINE.wait(table.state, 0) == Wait("hand_timeout_seconds", 40, "turn", "hand 1.1")
    table.discard(0, 0)
    assert ENGINE.wait(table.state, 0).goes_on(ENGINE.wait(table.steps[0].state, 0), has_acted=True, missed=(0, 0))
    table.play(0, 0)
    assert ENGINE.wait(table.state, 0) is None
    table.to_bonuses()
    first = ENGINE.wait(table.state, 1)
    assert first == Wait("bonus_timeout_seconds", 90, "turn", "bonuses 1")
    assert ENGINE.wait(table.skip(1).state, 1).goes_on(first, has_acted=True, missed=(0, 0))
    table.to_next_cycle()
    assert ENGINE.wait(table.state, 1).period == "hand 2.1"


def test_ra_7_1_discards_do_not_wind_the_clock_up_and_the_next_hand_does():
    table = Table()
    at = datetime(2026, 1, 1, tzinfo=UTC)
    position = position_start(engine=ENGINE, step=table.steps[0], seats=2, opener=None, at=at)
    due = [position.seats[0].deadline]
    for seconds, seat, act in (
        (10, 0, lambda: table.discard(0, 0)),
        (20, 1, lambda: table.play(1, 0)),
        (30, 0, lambda: table.play(0, 0)),
    ):
        act()
        now = at + timedelta(seconds=seconds)
        position = position_after(position, engine=ENGINE, step=table.steps[-1], seat=seat, by_player=True, at=now)
        due.append(position.seats[0].deadline)
    assert due == [at + timedelta(seconds=60)] * 3 + [at + timedelta(seconds=90)]


def test_ra_7_2_a_finished_game_says_that_it_is_over_who_won_and_with_how_many_points():
    table = Table("As Ah", "Ks", max_cycles=1).play(0, 0, 1).play(1, 0).to_bonuses()
    for viewer in (0, 1, None):
        view = table.view(viewer)
        assert (view["phase"], view["winners"]) == ("over", [0])
        assert [seat["points"] for seat in view["seats"]] == table.points
    assert ENGINE.result(table.state) == {"cycle": 1, "hand": 4, "winners": [0], "points": table.points}
    assert ENGINE.wait(table.state, 0) is None


def test_ra_7_3_another_colour_theme_is_nothing_that_the_rules_know():
    table = Table("As Ah", "Ks", max_cycles=1).play(0, 0, 1).play(1, 0).to_bonuses()
    assert table.over and all(ENGINE.legal_actions(table.state, seat) == () for seat in (0, 1))
    assert not {"theme", "colour"} & (table.view(0).keys() | ENGINE.result(table.state).keys())


def test_ra_7_4_action_types():
    assert list(TYPES) == ["discard", "play_hand", "bonus_suit", "bonus_pipette", "bonus_colour", "bonus_skip"]
    table = Table()
    assert table.legal(0) == ["discard", "play_hand"]
    table.to_bonuses()
    assert table.legal(0) == ["bonus_suit", "bonus_pipette", "bonus_skip"] + ["bonus_colour"] * 5

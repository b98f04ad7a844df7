"""RA-1: who plays for what, when it ends, and which shuffle is what."""

import pytest

from games.core.errors import InvalidData
from games.core.limits import stake_errors
from games.core.shuffle import Seed
from games.rapira.engine.cards import FRESH

from .table import ENGINE, Table

SEED = Seed("00000000-0000-4000-8000-000000000000", bytes(range(32)), ("a", "", "b"))


def money(moves):
    return [(move.kind, move.seat, move.amount_minor, move.code) for move in moves]


def out(table, *seats):
    """Leave these seats one point each."""
    for seat in seats:
        table.change(seat, points=1)
    return table


def test_ra_1_1_everybody_begins_with_100_points_and_an_own_deck():
    table = Table(seats=6)
    assert table.points == [100] * 6
    assert all(seat.slots == FRESH and len(seat.deck + seat.hand) == 52 for seat in table.state.seats)


@pytest.mark.parametrize("seats", [1, 7, "2", True, None])
def test_ra_1_1_two_to_six_play(seats):
    with pytest.raises(InvalidData) as refused:
        ENGINE.parse_setup({"seats": seats, "entry_minor": 100})
    assert refused.value.field == "seats"


def test_ra_1_1_the_last_one_with_points_wins():
    table = out(Table("As Ah", "Ks Qh", "Qs Jh", seats=3), 1, 2).play(0, 0, 1).play(1, 0).play(2, 0)
    assert table.over and table.points == [100, 0, 0]
    assert table.view(None)["winners"] == [0]
    assert table.event("game_ended") == {"type": "game_ended", "ending": "last_seat", "winners": [0]}


def test_ra_1_2_everybody_pays_the_entry_and_the_winner_takes_the_pot():
    table = out(Table("As Ah", "Ks Qh", "Qs Jh", seats=3), 1, 2)
    assert money(table.moves) == [("hold", seat, 100, "entry") for seat in range(3)]
    table.play(0, 0, 1).play(1, 0).play(2, 0)
    assert money(table.steps[-1].moves) == [("release", 0, 300, "pot")]


def test_ra_1_2_the_rake_is_rounded_down_and_capped():
    for cap, taken in ((None, 10), (7, 7), (0, 0)):
        rake = {"basis_points": 525, "cap_minor": cap}
        table = out(Table("As Ah", "Ks Qh", rake=rake), 1).play(0, 0, 1).play(1, 0)
        expected = [("rake", 0, taken, "rake"), ("release", 0, 200 - taken, "pot")]
        assert money(table.steps[-1].moves) == [move for move in expected if move[2]]
        assert (table.view()["pot_minor"], table.view(None)["rake_minor"]) == (200, taken)


def test_ra_1_2_nobody_loses_more_than_the_entry():
    exposure = ENGINE.exposure(ENGINE.parse_setup({"seats": 4, "entry_minor": 250}))
    assert (exposure.seats_minor, exposure.house_minor) == ((250,) * 4, 0)


@pytest.mark.parametrize(
    ("hall", "amount", "error"),
    [
        ("first", 10, None),
        ("first", 1000, None),
        ("first", 1010, "stake_above_maximum"),
        ("first", 15, "stake_not_in_steps"),
        ("second", 90, "stake_below_minimum"),
        ("vip", 2500, None),
        ("vip", 100_000, None),
    ],
)
def test_ra_1_2_the_entry_keeps_to_the_halls_limits(hall, amount, error):
    limits = ENGINE.default_limits[hall]
    setup = ENGINE.parse_setup({"seats": 2, "entry_minor": amount, "limits": limits, "pay_table": {}})
    assert [code for _, code, _ in stake_errors(ENGINE.stakes(setup), limits)] == ([error] if error else [])


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("entry_minor", 0),
        ("entry_minor", 2**50),
        ("max_cycles", 0),
        ("discard_scope", "game"),
        ("min_loss", 12),
        ("min_loss", -1),
        ("max_bonuses", -1),
        ("hand_timeout_seconds", 0),
        ("bonus_timeout_seconds", "120"),
        ("rake", {"basis_points": 10_001}),
        ("limits", {"stakes": {}}),
        ("pay_table", {"pair": 1}),
        ("theme", "red"),
    ],
)
def test_ra_1_2_settings_that_make_no_sense_are_refused_by_name(setting, value):
    with pytest.raises(InvalidData) as refused:
        ENGINE.parse_setup({"seats": 2, "entry_minor": 100, setting: value})
    assert refused.value.field.startswith(setting)


def test_ra_1_2_settings_left_out_have_their_defaults():
    setup = ENGINE.dump_setup(ENGINE.parse_setup({"seats": 2, "entry_minor": 100}))
    assert setup == {
        "seats": 2,
        "entry_minor": 100,
        "max_cycles": 30,
        "discard_scope": "hand",
        "min_loss": 0,
        "max_bonuses": None,
        "hand_timeout_seconds": 60,
        "bonus_timeout_seconds": 120,
        "rake": {"basis_points": 0, "cap_minor": None},
        "limits": {
            "stakes": {"entry": {"min_minor": 1, "max_minor": 2**53 - 1, "step_minor": 1}},
            "rake": {"basis_points": 0, "cap_minor": None},
        },
        "pay_table": {},
    }
    assert ENGINE.dump_setup(ENGINE.parse_setup(setup)) == setup


def test_ra_1_3_after_the_last_cycle_the_most_points_win_without_a_bonus_phase():
    table = Table("As Ah", "Ks Qh", "Qs Js", seats=3, max_cycles=1).play(0, 0, 1).play(1, 0).play(2, 0).to_bonuses()
    assert table.over and (table.state.cycle, table.state.hand) == (1, 4)
    assert table.points == [100, 99, 99]
    assert table.event("game_ended")["ending"] == "last_cycle"
    assert "bonus_phase_started" not in table.types(0)
    assert ENGINE.result(table.state) == {"cycle": 1, "hand": 4, "winners": [0], "points": [100, 99, 99]}


def test_ra_1_3_equal_points_share_and_the_odd_units_go_to_the_lowest_seat():
    table = Table(seats=3, max_cycles=1, rake={"basis_points": 34})
    for seat, points in enumerate((7, 50, 50)):
        table.change(seat, points=points)
    table.to_bonuses()
    assert table.points == [7, 50, 50]
    assert money(table.steps[-1].moves) == [("rake", 1, 1, "rake"), ("release", 1, 150, "pot"), ("release", 2, 149, "pot")]


def test_ra_1_3_thirty_cycles_are_the_default_and_bonus_phases_lie_between():
    table = Table()
    while not table.over:
        assert table.state.cycle <= 30
        table.to_next_cycle()
    assert table.state.cycle == 30 and table.points == [100, 100]


def deck_of(seat):
    return [*seat.hand, *seat.pile, *seat.deck]


def test_ra_1_4_each_cycle_shuffles_the_slots_of_living_seats_in_index_order():
    setup = ENGINE.parse_setup({"seats": 3, "entry_minor": 100})
    state = ENGINE.start(setup, SEED).state
    slots = tuple(range(52))
    assert [tuple(deck_of(seat)) for seat in state.seats] == [SEED.shuffled(slots, number) for number in range(3)]
    assert state.next_shuffle == 3


def test_ra_1_4_a_deck_of_the_sandbox_lists_slot_numbers():
    table = Table("Ks 2c", "As")
    assert table.own(0)["hand"] == ["Ks", "2c", "3c", "4c", "5c", "6c", "7c", "8c"]
    assert table.own(1)["hand"][:2] == ["As", "2c"]
    assert table.state.seed.decks[0] == ("50", "0")


def bonus_phase(first):
    """Play to a bonus phase on seeds, with one of three seats out; use the bonuses, the first seat's before all others."""
    table = Table(seats=3)
    table.steps = [ENGINE.start(table.setup, SEED)]
    table.change(0, earned=2)
    table.change(1, points=0)
    table.to_bonuses()
    shown = {seat: [] for seat in (0, 2)}
    opened = list(table.bonuses)
    while table.state.cycle == 1:
        waiting = ENGINE.to_act(table.state)
        seat = first if first in waiting else min(waiting)
        shown[seat].append(table.state.seats[seat].shown)
        table.skip(seat)
    return table, opened, shown


@pytest.mark.parametrize("first", [0, 2])
def test_ra_1_4_bonus_shuffles_are_numbered_seat_by_seat_whoever_acts_first(first):
    table, opened, shown = bonus_phase(first)
    slots = tuple(range(52))
    assert opened[0] >= 3 and opened[1] == 0 and opened[2] >= 1
    assert shown[0] == [SEED.shuffled(slots, 3 + at)[:8] for at in range(opened[0])]
    assert shown[2] == [SEED.shuffled(slots, 3 + opened[0] + at)[:8] for at in range(opened[2])]
    after = 3 + sum(opened)
    assert [tuple(deck_of(table.state.seats[seat])) for seat in (0, 2)] == [SEED.shuffled(slots, after + at) for at in (0, 1)]
    assert table.state.next_shuffle == after + 2


def test_ra_1_5_who_is_away_keeps_the_seat_and_time_outs_play():
    table = Table(seats=2, max_cycles=2)
    while not table.over:
        seat = max(ENGINE.to_act(table.state))
        if seat == 1:
            table.time_out(1)
        elif "play_hand" in table.legal(0):
            table.play(0, 0)
        else:
            table.skip(0)
    assert table.state.cycle == 2 and len(table.points) == 2
    assert {move.seat for move in table.moves if move.kind == "hold"} == {0, 1}

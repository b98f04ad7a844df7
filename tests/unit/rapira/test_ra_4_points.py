"""RA-4: what a lost hand costs, and who is out."""

import pytest

from .table import ENGINE, Table


def after(*hands, **settings):
    """Points after everybody played these cards as their first."""
    table = Table(*hands, seats=len(hands), **settings)
    for seat, hand in enumerate(hands):
        table.play_cards(seat, hand)
    return table


@pytest.mark.parametrize(
    ("hands", "losses"),
    [
        (("Js Jh 9s", "Jd Jc 9h", "5s 5h 5d"), (2, 2, 0)),
        (("4h 5h 6h 7h 8h", "2s"), (0, 8)),
        (("As Ks", "Ah Qs"), (0, 0)),
        (("2s 2h 3d 3c", "Ad Ah", "Kc"), (0, 1, 2)),
    ],
)
def test_ra_4_1_a_loser_loses_the_difference_of_the_places(hands, losses):
    table = after(*hands)
    assert table.points == [100 - loss for loss in losses]
    lost = [(event["seat"], event["points_lost"]) for event in table.events() if event["type"] == "points_lost"]
    assert lost == [(seat, loss) for seat, loss in enumerate(losses) if loss]


def test_ra_4_1_min_loss_is_the_loss_at_equal_places_and_raises_no_other():
    assert after("As Ks", "Ah Qs", min_loss=11).points == [100, 89]
    assert after("As Ah", "Kh Qs", min_loss=11).points == [100, 99]
    assert after("As Ks", "Ah Kh", min_loss=11).points == [100, 100]
    assert after("As Ah", "Ks Kh", min_loss=3).points == [100, 97]


def test_ra_4_1_min_loss_is_what_an_empty_hand_loses_to_a_high_card():
    table = Table("As", min_loss=5)
    table.change(1, deck=(), hand=(), played=(), pile=tuple(range(52)))
    table.play_cards(0, "As")
    assert table.points == [100, 95]
    table.play(0, 0, 1)
    assert table.points == [100, 90]


def test_ra_4_1_points_never_fall_below_zero_and_at_zero_a_player_is_out():
    table = Table("4h 5h 6h 7h 8h", "As", "Ks", seats=3)
    table.change(1, points=8)
    table.change(2, points=3)
    table.play(1, 0).play(2, 0).play(0, 0, 1, 2, 3, 4)
    assert table.points == [100, 0, 0]
    assert [event["seat"] for event in table.events() if event["type"] == "seat_eliminated"] == [1, 2]
    lost = [event["points_lost"] for event in table.events() if event["type"] == "points_lost"]
    assert lost == [8, 3]


def test_ra_4_2_losses_fall_together():
    table = Table("As", "2h 2d", "Ks", seats=3)
    for seat in (0, 2):
        table.change(seat, points=1)
    table.play(0, 0).play(2, 0).play(1, 0, 1)
    assert table.points == [0, 100, 0] and table.over


def test_ra_4_2_the_game_ends_in_the_midst_of_a_cycle_without_a_bonus_phase():
    table = Table("As Ah", "Ks")
    table.change(1, points=1)
    table.play(0, 0, 1).play(1, 0)
    assert table.over and table.state.hand == 1
    assert table.view()["phase"] == "over"
    assert table.bonuses == [0, 0]
    assert ENGINE.legal_actions(table.state, 0) == ()
    table.refuse("game_over", 0, "play_hand", positions=[0])
    table.refuse("game_over", 5, "bonus_skip")


def test_ra_4_2_a_seat_that_is_out_leaves_its_cards_gets_no_bonus_and_acts_no_more():
    table = Table("As Ah", "Ks", "Qs", seats=3)
    table.change(1, points=1)
    table.play(0, 0, 1).play(1, 0).play(2, 0)
    left = table.state.seats[1]
    assert table.points == [100, 0, 99] and not table.over
    assert ENGINE.to_act(table.state) == {0, 2}
    table.refuse("seat_out", 1, "play_hand", positions=[0])
    table.to_bonuses()
    assert table.bonuses[1] == 0
    table.refuse("seat_out", 1, "bonus_skip")
    table.to_next_cycle()
    now = table.state.seats[1]
    assert (now.hand, now.deck, now.pile, now.slots) == (left.hand, left.deck, left.pile, left.slots)


def test_ra_4_2_the_last_hand_of_a_cycle_may_end_the_game_too():
    table = Table("2c 3c 4c Ah Ad", "2c")
    while table.state.hand < 4:
        table.play_all(0)
    table.change(1, points=1)
    table.play_cards(0, "Ah Ad").play(1, 0)
    assert table.over and table.event("game_ended")["ending"] == "last_seat"
    assert "bonus_phase_started" not in table.types()

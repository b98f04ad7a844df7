"""What a player's account shows as held is what is in escrow for the player now."""

import random

import pytest
from pytest_django import DjangoAssertNumQueries

from casino.users.models import User
from games.halls.models import Hall
from games.rounds.models import Round, RoundSeat
from tests.playing import FOUR_BOXES, act, balance, choose, legal, open_round
from wallets.selectors import account_list


def shown(player: User) -> dict[str, tuple[int, int]]:
    """What is available and what is held, by currency."""
    return {row.currency: (row.balance_minor or 0, row.held_minor) for row in account_list(user_id=player.pk)}


def escrowed(player: User) -> int:
    rounds = Round.objects.filter(seats__user=player).select_related("escrow")
    return sum(row.escrow.balance_minor or 0 for row in rounds)


@pytest.mark.parametrize("chance", range(5))
def test_held_is_in_escrow_after_every_step_and_nothing_after_the_last(hall: Hall, player: User, chance: int) -> None:
    rng = random.Random(chance)
    step = open_round(player, hall, FOUR_BOXES)
    while specs := legal(player, step.round_id):
        assert shown(player) == {"EUR": (balance(player), escrowed(player))}
        act(player, step.round_id, choose(specs, rng))
    assert shown(player) == {"EUR": (balance(player), 0)}


def test_a_lost_bonus_is_gone_at_once(hall: Hall, player: User) -> None:
    open_round(player, hall, FOUR_BOXES, seed=bytes(32))
    seat = RoundSeat.objects.get(user=player)
    assert seat.staked_minor == 4 * (100 + 200 + 10)
    assert shown(player) == {"EUR": (100_000 - 4 * 310 + seat.returned_minor, 4 * 300)}


def test_rounds_in_several_halls_add_up(
    halls: dict[str, Hall], hall: Hall, player: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for each in (hall, halls["second"]):
        open_round(player, each, {"boxes": [{"box": 1, "ante_minor": 100}]})
    with django_assert_num_queries(1):
        (available_minor, held_minor) = shown(player)["EUR"]
    assert (available_minor, held_minor) == (balance(player), escrowed(player))
    assert held_minor >= 2 * 300


def test_a_player_without_rounds_holds_nothing(player: User) -> None:
    assert shown(player) == {"EUR": (100_000, 0)}

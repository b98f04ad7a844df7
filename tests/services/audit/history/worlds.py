"""Closed rounds of every game, with time-outs, with rake and voided, for tests that look into them."""

import random
from collections.abc import Iterator

from casino.permissions import Role
from games.halls.models import Hall
from games.rounds.models import Round
from games.rounds.services import round_void
from tests import playing
from tests.table_builders import Game, convention, publish_limits

SHORT: dict[str, dict[str, int]] = {
    "chinese_poker": {"target": 5, "point_price_minor": 10},
    "ukrainian_poker": {"ante_minor": 100},
    "rapira": {"max_cycles": 1},
}
RAKE = {"basis_points": 1000, "cap_minor": None}


def closed_rounds(hall: Hall) -> Iterator[Round]:
    """A round against the house, a voided one, and one of each game at tables, where a seat lets its time run out."""
    chance = random.Random(11)
    player = playing.player(hall)
    settled = playing.open_round(player, hall, playing.FOUR_BOXES, client_seed='=HYPERLINK("evil"), 1')
    playing.play_out(player, settled.round_id, chance)
    yield settled.row
    voided = playing.open_round(player, hall, playing.FOUR_BOXES, client_seed="'+1")
    playing.act(player, voided.round_id, {"type": "bet", "box": 1})
    round_void(actor=playing.user_with(Role.SUPERVISOR), round_id=voided.round_id, reason="test")
    yield voided.row
    for game, short in SHORT.items():
        publish_limits(hall, game, rake=RAKE)
        table = Game.opened(hall, 2, game=game, convention=convention(game, **short))
        table.play_out(chance, is_late=lambda seat: seat == 1 and chance.random() < 0.2)
        yield table.row


def rows(hall: Hall) -> list[Round]:
    return [Round.objects.get(pk=row.pk) for row in closed_rounds(hall)]

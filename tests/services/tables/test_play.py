"""Whole games at tables: from sitting down to the settled round, the verified record and the rematch."""

from random import Random

import pytest

from audit.reconcile import books_reconcile
from games.halls.models import Hall
from games.rounds.models import RoundRecord, RoundStep
from games.tables.models import TableEvent
from games.verify import verify
from tests import playing, table_builders
from tests.playing import Books
from tests.table_builders import SEVERAL, Game

Kind = TableEvent.Kind


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_players_sit_down_play_a_game_and_a_rematch(hall: Hall, seats: int) -> None:
    game = Game.seated(hall, seats)
    committed = game.standing.commitment
    assert committed is not None
    game.all_ready()
    assert game.row.public_id == committed.round_id
    assert list(game.row.seats.order_by("index").values_list("user", "client_seed")) == [
        (player.pk, f"luck {number}") for number, player in enumerate(game.players)
    ]
    chance = Random(seats)
    game.play_out(chance, is_late=lambda seat: chance.random() < 0.1)
    played = game.row
    assert (played.status, played.escrow.balance_minor) == ("settled", 0)
    assert set(RoundStep.objects.filter(round=played).values_list("origin", flat=True)) == {"system", "player", "timeout"}
    assert str(verify(RoundRecord.objects.get(round=played).document.encode())).startswith("verified")
    assert [stay.is_ready for stay in game.standing.stays] == [False] * seats
    game.all_ready()
    assert (game.row.status, game.row.commitment.follows_id) == ("open", played.public_id)
    assert table_builders.events(game.standing) == [
        Kind.OPENED,
        *[Kind.SAT] * seats,
        Kind.AWAITED,
        *[Kind.READY] * seats,
        Kind.ROUND_OPENED,
        Kind.READY,
        Kind.AWAITED,
        *[Kind.READY] * (seats - 1),
        Kind.ROUND_OPENED,
    ]
    assert books_reconcile() == []


@pytest.mark.parametrize("chance", range(3))
@pytest.mark.parametrize("code", SEVERAL)
def test_no_cent_is_made_or_lost_in_any_game(hall: Hall, code: str, chance: int) -> None:
    """What the players lose together is the house's rake, and nobody loses more than was said before joining."""
    fewest, most = table_builders.current_engine(code).seats
    table_builders.publish_limits(hall, code, rake={"basis_points": 777, "cap_minor": None} if chance else {"basis_points": 0})
    game = Game.seated(hall, Random(chance).randint(fewest, min(most, 3)), game=code)
    game.all_ready()
    game.play_out(Random(chance))
    assert (game.row.status, game.row.escrow.balance_minor) == ("settled", 0)
    assert sum(Books.read().balances.values()) == 0
    lost = [seat.staked_minor - seat.returned_minor for seat in game.seats]
    assert lost == [100_000 - playing.balance(player) for player in game.players]
    assert max(lost) <= game.standing.table.most_to_lose_minor
    assert sum(lost) == sum(game.row.escrow.debits.filter(code="rake.rake").values_list("amount_minor", flat=True))
    assert verify(RoundRecord.objects.get(round=game.row).document.encode()).status == "settled"
    assert books_reconcile() == []

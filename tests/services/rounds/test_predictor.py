"""Nothing that a player can read before opening a round tells what will be dealt."""

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from games.core.cards import DECK_52, Card
from games.core.codec import parse
from games.core.shuffle import commitment
from games.halls.models import Hall
from games.rounds.commitments import commitment_ensure
from games.rounds.models import RoundRecord
from tests import playing
from tests.playing import GAME, open_round, play_out
from tests.predicting import Public, first_card, hits, hits_allowed, twister

ROUNDS = 40
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def played(count: int, hall: Hall) -> Iterator[tuple[Public, Card]]:
    """Commit, look at all that is public, and only then open and play; the records tell the seeds."""
    player, chance = playing.player(hall, 10_000_000), random.Random(9)
    seeds, cards = [twister(0)], [DECK_52[0]]
    for _ in range(count):
        made, _ = commitment_ensure(user=player, hall_id=hall.public_id, game=GAME)
        made_at_us = (made.created_at - EPOCH) // timedelta(microseconds=1)
        public = Public(made.round_id, made.seed_hash, made_at_us, tuple(seeds), tuple(cards))
        opened = open_round(player, hall, round_id=made.round_id)
        dealt = opened.position.state.boxes[0].cards[0]
        play_out(player, made.round_id, chance)
        record = parse(RoundRecord.objects.get(round__commitment_id=made.round_id).document.encode())
        seed = bytes.fromhex(record["server_seed"])
        assert (first_card(seed, made.round_id), commitment(seed)) == (dealt, made.seed_hash)
        yield public, dealt
        seeds.append(seed)
        cards.append(dealt)


def test_no_guess_at_a_round_for_money_beats_chance(hall: Hall) -> None:
    right = hits(played(ROUNDS, hall))
    assert {name: count for name, count in right.items() if count > hits_allowed(ROUNDS)} == {}

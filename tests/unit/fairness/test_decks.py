"""Decks and raw bits are the production's own; the second shuffle deals the same; what a laboratory collects is whole."""

import hashlib
from io import BytesIO
from itertools import islice
from random import Random

import numpy as np
import pytest

from audit.fairness.collecting import collect_bits, collect_outcomes
from audit.fairness.dealt import dealt_decks, round_decks
from audit.fairness.decks import PACKS, fixed_seeds, live_seeds, orders_of, pack_named, raw_bytes, raw_sequences
from audit.fairness.rederive import Rederived
from games.core.shuffle import ExplicitDecks, Seed
from games.engines import current_engine
from tests.playthroughs import setups_of
from tests.rounds import record_of, seed_of, text_of

GAMES = ("russian_poker", "chinese_poker", "ukrainian_poker", "rapira")


def second(seed):
    return Rederived(seed.round_id, seed.server_seed, seed.client_seeds)


class Watched:
    """Shuffles that note which items they are asked to shuffle."""

    def __init__(self, seed: Seed) -> None:
        self.seed, self.packs = seed, []

    def shuffled(self, items, number):
        self.packs.append(tuple(map(str, items)))
        return self.seed.shuffled(items, number)

    def dump(self):
        return self.seed.dump()


@pytest.mark.parametrize("game", GAMES)
def test_the_packs_are_those_that_the_games_shuffle(game):
    engine = current_engine(game)
    for setup in map(engine.parse_setup, setups_of(game)):
        watched = Watched(seed_of(Random(1), len(engine.exposure(setup).seats_minor)))
        engine.start(setup, watched)
        assert watched.packs
        assert set(watched.packs) <= {pack.items for pack in PACKS.values()}
        assert pack_named(game).items in watched.packs


def test_decks_are_dealt_by_the_productions_shuffle():
    orders = orders_of(fixed_seeds("a"), 54, 50)
    expected = [seed.shuffled(range(54), 0) for seed in islice(fixed_seeds("a"), 50)]
    assert orders.tolist() == [list(order) for order in expected]


def test_a_fixed_seed_repeats_and_live_ones_never():
    assert orders_of(fixed_seeds("a"), 52, 20).tolist() == orders_of(fixed_seeds("a"), 52, 20).tolist()
    assert orders_of(fixed_seeds("a"), 52, 20).tolist() != orders_of(fixed_seeds("b"), 52, 20).tolist()
    seeds = [seed for one in (live_seeds(), live_seeds()) for seed in islice(one, 500)]
    assert len({seed.server_seed for seed in seeds}) == len({seed.round_id for seed in seeds}) == 1_000


@pytest.mark.parametrize(("items", "decks"), [(1, 5), (257, 5)])
def test_a_pack_has_a_sensible_size(items, decks):
    with pytest.raises(ValueError, match="items"):
        orders_of(fixed_seeds("a"), items, decks)


def test_too_few_seeds_are_noticed():
    with pytest.raises(ValueError, match="6 decks"):
        orders_of([ExplicitDecks(())] * 5, 52, 6)


def test_progress_is_told():
    told = []
    orders_of(fixed_seeds("a"), 2, 20_000, told.append)
    assert told == [10_000, 20_000]


@pytest.mark.parametrize("number", [0, 1, 31])
def test_the_second_shuffle_gives_the_same_orders(number):
    random = Random(number)
    for items in (2, 3, 52, 54, 1_000):
        seed = seed_of(random, 4)
        assert second(seed).shuffled(range(items), number) == seed.shuffled(range(items), number)


def test_the_second_shuffle_passes_over_the_same_words():
    """Of so many items one word in some fourteen thousand is passed over."""
    seed = Seed("ffffffff-ffff-4fff-bfff-ffffffffffff", bytes(32), ("%|", ""))
    assert second(seed).shuffled(range(100_000), 5) == seed.shuffled(range(100_000), 5)


def test_raw_bits_are_the_words_that_the_shuffle_reads():
    (seed,) = islice(fixed_seeds("raw"), 1)
    words = islice(second(seed).words(0), 56)
    assert next(raw_bytes([seed])) == b"".join(word.to_bytes(4, "big") for word in words)


def test_raw_bits_are_cut_into_sequences_without_a_gap():
    whole = b"".join(islice(raw_bytes(fixed_seeds("raw")), 10))
    sequences = list(raw_sequences(fixed_seeds("raw"), 3, 4_000))
    assert np.packbits(np.concatenate(sequences)).tobytes() == whole[:1_500]


@pytest.mark.parametrize("game", GAMES)
def test_a_round_is_dealt_again_by_the_second_shuffle(game):
    record = record_of(current_engine(game), setups_of(game)[0], Random(5))
    found = round_decks(record)
    assert (found.round_id, found.game, found.divergence) == (record["head"]["round_id"], game, None)
    assert {len(deck.order) for deck in found.decks} <= {len(pack.items) for pack in PACKS.values()}
    assert found.decks[0].number == 0


@pytest.mark.parametrize("game", GAMES)
def test_cards_that_are_not_those_of_the_seeds_are_found(game):
    record = record_of(current_engine(game), setups_of(game)[0], Random(5))
    for change in (
        {"server_seed": "00" * 32},
        {"head": record["head"] | {"round_id": "00000000-0000-4000-8000-000000000000"}},
        {"head": record["head"] | {"seats": [seat | {"client_seed": "another"} for seat in record["head"]["seats"]]}},
    ):
        assert round_decks(record | change).divergence is not None


def test_one_card_dealt_otherwise_is_found():
    record = record_of(current_engine("russian_poker"), setups_of("russian_poker")[0], Random(5))
    event = next(event for event in record["steps"][0]["events"] if event["type"] == "dealer_dealt")
    event["shown"] = "2c" if event["shown"] != "2c" else "2d"
    assert round_decks(record).divergence == "step 0: the cards or what came of them are not those of the seeds"


def test_a_voided_round_has_the_decks_that_it_used():
    record = record_of(current_engine("chinese_poker"), setups_of("chinese_poker")[0], Random(5), void_after=2)
    found = round_decks(record)
    assert (found.divergence, len(found.decks)) == (None, 1)


def test_many_rounds_give_their_decks_by_game_and_pack():
    records = [record_of(current_engine(game), setups_of(game)[0], Random(i)) for game in GAMES for i in range(2)]
    found = dealt_decks([(record["head"]["round_id"], text_of(record).decode()) for record in records])
    assert (found.rounds, found.divergences) == (8, {})
    assert {game for game, _ in found.orders} == set(GAMES)
    for (_, items), orders in found.orders.items():
        assert (np.sort(orders, axis=1) == np.arange(items)).all()


def test_a_forged_record_is_named_and_does_not_end_the_run():
    engine, setup = current_engine("russian_poker"), setups_of("russian_poker")[0]
    first, second, third, fourth, fifth = (record_of(engine, setup, Random(number)) for number in range(5))
    second["server_seed"] = "00" * 32
    third["head"]["rules_version"] = 99
    texts = [text_of(record).decode() for record in (first, second, third, fourth, fifth)]
    ids = [record["head"]["round_id"] for record in (first, second, third, fourth, first)]
    texts[3] = texts[3][:100]
    found = dealt_decks(zip(["a", *ids[1:4], "e"], texts, strict=True))
    assert found.rounds == 5
    assert set(found.divergences) == {"a", *ids[1:4], "e"}
    assert found.divergences["a"] == f"the record is that of round {ids[0]}"
    assert "KeyError" in found.divergences[ids[2]]
    assert "InvalidData" in found.divergences[ids[3]]
    assert len(found.orders["russian_poker", 52]) == 3


@pytest.mark.parametrize("name", ["52", "54", "slots", "seats-3", "rapira"])
def test_the_laboratory_gets_shuffled_packs_one_a_line(name):
    file, pack = BytesIO(), pack_named(name)
    digest = collect_outcomes(pack, 30, "lab", file, lambda done: None)
    lines = file.getvalue().decode().splitlines()
    assert [line.split() for line in lines] == [list(seed.shuffled(pack.items, 0)) for seed in islice(fixed_seeds("lab"), 30)]
    assert digest == hashlib.sha256(file.getvalue()).hexdigest()


@pytest.mark.parametrize("size", [1, 224, 225, 10_000])
def test_the_laboratory_gets_as_many_raw_bytes_as_it_asks_for(size):
    file = BytesIO()
    digest = collect_bits(size, "lab", file, lambda done: None)
    assert file.getvalue() == b"".join(islice(raw_bytes(fixed_seeds("lab")), 50))[:size]
    assert digest == hashlib.sha256(file.getvalue()).hexdigest()


def test_there_is_no_other_pack():
    with pytest.raises(KeyError):
        pack_named("53")

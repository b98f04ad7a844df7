"""casino-shuffle/1 against answers of an independent script, and the seeds around it."""

import hashlib
import json
from pathlib import Path

import pytest

from games.core.cards import DECK_52, DECK_54, texts
from games.core.errors import InvalidData
from games.core.shuffle import ExplicitDecks, Seed, commitment, load_shuffles

ANSWERS = json.loads(Path(__file__).with_name("shuffle_known_answers.json").read_text(encoding="utf-8"))
ROUND_ID = "00000000-0000-4000-8000-000000000001"


@pytest.mark.parametrize("known", ANSWERS, ids=["one seat", "three seats, signs to escape", "words discarded"])
def test_shuffle_gives_the_known_answer(known):
    seed = Seed(known["round_id"], bytes.fromhex(known["server_seed"]), tuple(known["client_seeds"]))
    order = seed.shuffled(range(known["items"]), known["number"])
    assert list(order[:60]) == known["first"]
    assert hashlib.sha256(",".join(map(str, order)).encode()).hexdigest() == known["sha256_of_all"]


def test_a_known_answer_discards_words():
    assert [bool(known["words_discarded"]) for known in ANSWERS] == [False, False, True]


def test_every_part_of_the_message_changes_the_order():
    base = Seed(ROUND_ID, bytes(32), ("", ""))
    others = [
        Seed("00000000-0000-4000-8000-000000000002", bytes(32), ("", "")),
        Seed(ROUND_ID, bytes(31) + b"\1", ("", "")),
        Seed(ROUND_ID, bytes(32), ("1", "")),
        Seed(ROUND_ID, bytes(32), ("", "1")),
        Seed(ROUND_ID, bytes(32), ("|", "")),
        Seed(ROUND_ID, bytes(32), ("", "%7C")),
    ]
    orders = {seed.shuffled(DECK_52, 0) for seed in (base, *others)} | {base.shuffled(DECK_52, 1)}
    assert len(orders) == len(others) + 2


def test_a_shuffle_keeps_every_card():
    assert sorted(texts(Seed(ROUND_ID, bytes(32), ()).shuffled(DECK_54, 3))) == sorted(texts(DECK_54))


def test_commitment_is_the_hash_of_the_raw_bytes():
    assert commitment(bytes(range(32))) == hashlib.sha256(bytes(range(32))).hexdigest()


@pytest.mark.parametrize(
    ("round_id", "server_seed", "client_seeds", "field"),
    [
        (ROUND_ID.replace("8", "A"), bytes(32), (), "round_id"),
        ("{" + ROUND_ID + "}", bytes(32), (), "round_id"),
        (ROUND_ID, bytes(31), (), "server_seed"),
        (ROUND_ID, bytes(32), ("", "x" * 65), "client_seeds.1"),
        (ROUND_ID, bytes(32), ("\ud800",), "client_seeds.0"),
    ],
)
def test_a_malformed_seed_is_refused(round_id, server_seed, client_seeds, field):
    with pytest.raises(InvalidData) as refused:
        Seed(round_id, server_seed, client_seeds)
    assert refused.value.field == field


def test_explicit_decks_stand_in_for_shuffles_in_order():
    decks = ExplicitDecks((("As", "Kd"), ("2c",)))
    assert texts(decks.shuffled(DECK_52, 0)[:3]) == ["As", "Kd", "2c"]
    assert texts(decks.shuffled(DECK_52, 1)[:2]) == ["2c", "3c"]
    assert len(set(decks.shuffled(DECK_52, 0))) == 52
    assert decks.shuffled(DECK_52, 2) == DECK_52


@pytest.mark.parametrize(("deck", "field"), [(("As", "As"), "decks.0.1"), (("X1",), "decks.0.0")])
def test_an_impossible_deck_is_refused(deck, field):
    with pytest.raises(InvalidData) as refused:
        ExplicitDecks((deck,)).shuffled(DECK_52, 0)
    assert refused.value.field == field


@pytest.mark.parametrize("shuffles", [Seed(ROUND_ID, bytes(range(32)), ("a|b", "ж")), ExplicitDecks((("As",), ()))])
def test_shuffles_survive_a_dump(shuffles):
    assert load_shuffles(shuffles.dump()) == shuffles

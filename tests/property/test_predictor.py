"""The predictor does no better than chance at seeds from the operating system, and sees through every seed drawn by mistake."""

import secrets
from collections.abc import Callable, Iterator
from uuid import UUID, uuid4

import pytest

from games.core.cards import DECK_52, Card
from games.core.shuffle import commitment
from games.rounds.commitments import SEED_BYTES
from tests.predicting import SEEDS, Public, first_card, hits, hits_allowed, twister

ROUNDS = 1_000
ROUNDS_OF_A_MISTAKE = 100
ROUNDS_TO_LEARN = 200


def drawn_by_the_system() -> bytes:
    return secrets.token_bytes(SEED_BYTES)


def drawn(
    count: int,
    draw: Callable[[], bytes] = drawn_by_the_system,
    dealt_by: Callable[[Public, bytes], bytes] = lambda public, seed: seed,
) -> Iterator[tuple[Public, Card]]:
    """Draw rounds; ``dealt_by`` may deal by another seed than the one committed to."""
    seeds, cards, made_at_us = [twister(0)], [DECK_52[0]], 1_767_225_600_000_000
    for _ in range(count):
        made_at_us += secrets.randbelow(5_000_000)
        round_id, committed = uuid4(), draw()
        public = Public(round_id, commitment(committed), made_at_us, tuple(seeds), tuple(cards))
        seed = dealt_by(public, committed)
        dealt = first_card(seed, round_id)
        yield public, dealt
        seeds.append(seed)
        cards.append(dealt)


def seed_dealing(card: Card, round_id: UUID) -> bytes:
    """Find a seed that deals a card first."""
    seed = drawn_by_the_system()
    while first_card(seed, round_id) is not card:
        seed = drawn_by_the_system()
    return seed


def test_no_guess_beats_chance() -> None:
    right = hits(drawn(ROUNDS))
    assert right.total() > 0
    assert {name: count for name, count in right.items() if count > hits_allowed(ROUNDS)} == {}


def test_the_bound_leaves_one_false_alarm_in_a_thousand_million_and_finds_a_slight_edge() -> None:
    assert ROUNDS / 52 < hits_allowed(ROUNDS) < 3 * ROUNDS / 52
    assert hits_allowed(1) == 1
    assert hits_allowed(20) < 10


@pytest.mark.parametrize("mistake", SEEDS)
def test_control_a_deal_that_follows_from_what_is_public_is_predicted(mistake: str) -> None:
    right = hits(drawn(ROUNDS_OF_A_MISTAKE, dealt_by=lambda public, seed: SEEDS[mistake](public)))
    assert right[mistake] == ROUNDS_OF_A_MISTAKE > hits_allowed(ROUNDS_OF_A_MISTAKE)


def test_control_a_seed_of_16_bits_is_predicted() -> None:
    right = hits(drawn(ROUNDS_OF_A_MISTAKE, draw=lambda: secrets.randbelow(2**16).to_bytes(SEED_BYTES, "big")))
    assert right["a short seed, by trying"] == ROUNDS_OF_A_MISTAKE


def test_control_a_card_that_comes_too_often_is_predicted() -> None:
    def one_in_three(public: Public, seed: bytes) -> bytes:
        return seed if secrets.randbelow(3) else seed_dealing(DECK_52[-1], public.round_id)

    assert hits(drawn(ROUNDS_TO_LEARN, dealt_by=one_in_three))["the most frequent card"] > hits_allowed(ROUNDS_TO_LEARN)


def test_control_a_card_that_follows_from_the_last_one_is_predicted() -> None:
    def in_a_circle(public: Public, seed: bytes) -> bytes:
        return seed_dealing(DECK_52[(public.first_cards[-1].index + 1) % 52], public.round_id)

    assert hits(drawn(ROUNDS_TO_LEARN, dealt_by=in_a_circle))["what followed last time"] > hits_allowed(ROUNDS_TO_LEARN)

"""Hands as rows of card indexes, and what the engine says of each."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from games.core.cards import DECK_52
from games.core.ranking import EIGHT_OR_MORE, RANKS_ONLY, THREE_EACH, Strength, strength
from games.russian_poker.engine.scoring import evaluate

Ints = NDArray[Any]
CARDS = len(DECK_52)
SUITS = 4

_TALLIES = np.array([card.tally for card in DECK_52], dtype=np.int64)
_SUIT_BITS = np.array([[1 << card.rank if card.suit == suit else 0 for card in DECK_52] for suit in range(SUITS)], dtype=np.int32)


def all_hands(size: int) -> Ints:
    """Return every hand of so many cards, a row each, cards ascending.

    **Rule** Hands stand by their highest card, then the next: so a hand's row number is the sum of comb(card, place) over its
    cards, places counted from 1, and the hands of the first m cards are the first rows.
    """
    hands = np.zeros((1, 0), dtype=np.uint8)
    for length in range(1, size + 1):
        highest = range(length - 1, CARDS)
        hands = np.concatenate([_extended(hands[: comb(card, length - 1)], card) for card in highest])
    return hands


def _extended(hands: Ints, card: int) -> Ints:
    return np.column_stack((hands, np.full(len(hands), card, dtype=np.uint8)))


def hands_up_to_suits(size: int) -> tuple[Ints, Ints]:
    """Return one hand of each kind that differs by more than the names of suits, and how many hands are of its kind."""
    found, weights = [], []
    shorter = all_hands(size - 1)
    for card in range(size - 1, CARDS):
        hands = _extended(shorter[: comb(card, size - 1)], card)
        suits = np.stack([bits[hands].sum(axis=1) for bits in _SUIT_BITS])
        ordered = np.all(suits[:-1] >= suits[1:], axis=0)
        found.append(hands[ordered])
        weights.append(_namings(suits[:, ordered]))
    return np.concatenate(found), np.concatenate(weights)


def _namings(suits: Ints) -> Ints:
    """Return in how many ways four suits can be named, where equal ones (and those are neighbours) are not told apart."""
    alike = suits[:-1] == suits[1:]
    run, ways = np.ones(suits.shape[1], dtype=np.int64), np.full(suits.shape[1], 24, dtype=np.int64)
    for same in alike:
        run = np.where(same, run + 1, 1)
        ways //= run
    return ways


@dataclass(frozen=True, slots=True)
class Judged:
    """What the engine says of each hand: its two combinations' categories, 0 for none, and its strength."""

    first: Ints
    second: Ints
    strength: Ints
    """As a number that orders hands as their strengths do; the same for hands of five and of six cards."""


def judged(hands: Ints) -> Judged:
    """Ask the engine about every hand: once for all hands of the same ranks, as long as no five cards are of one suit."""
    tallies = _TALLIES[hands].sum(axis=1)
    suited = (tallies + THREE_EACH) & EIGHT_OR_MORE != 0
    answers = np.zeros((len(hands), 3), dtype=np.int64)
    _, examples, kinds = np.unique(tallies[~suited] & RANKS_ONLY, return_index=True, return_inverse=True)
    answers[~suited] = _asked(hands[~suited][examples])[kinds]
    answers[suited] = _asked(hands[suited])
    return Judged(answers[:, 0], answers[:, 1], answers[:, 2])


def _asked(hands: Ints) -> Ints:
    return np.array([_answer(row) for row in hands.tolist()], dtype=np.int64).reshape(-1, 3)


def _answer(row: Iterable[int]) -> tuple[int, int, int]:
    cards = [DECK_52[index] for index in row]
    hand = evaluate(cards)
    return hand.first.category, hand.second.category if hand.second else 0, _number(strength(cards))


def _number(ranked: Strength) -> int:
    """Return a strength as one number: its parts are below 16, and hands of one kind have equally many."""
    number = 0
    for place in range(6):
        number = number * 16 + (ranked[place] if place < len(ranked) else 0)
    return number

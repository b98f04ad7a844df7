"""Hands as a game deals them: how often each seat gets each kind, against the exact number of such hands.

**Shapes** a kind of five cards without jokers is a rank of poker, a high card with ace and king apart from others. Any other hand
goes by its jokers and by how many ranks it holds once, twice, three and four times.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import product
from math import comb, factorial, prod
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from audit.fairness.decks import Orders
from audit.fairness.laws import Floats, Outcome, chi_square, goodness, pooled

RANKS, SUITS, CARDS = 13, 4, 52
FLUSH, STRAIGHT, ACE_KING = 1_000_000, 2_000_000, 4_000_000
"""Added to a pattern's number where five cards are of one suit, run, or are a high card with ace and king."""
POKER = MappingProxyType(
    {
        "straight flush": 40,
        "four of a kind": 624,
        "full house": 3_744,
        "flush": 5_108,
        "straight": 10_200,
        "three of a kind": 54_912,
        "two pair": 123_552,
        "pair": 1_098_240,
        "ace-king": 167_280,
        "high card": 1_302_540 - 167_280,
    }
)
"""How many of the 2,598,960 hands of five are of each rank."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Which places of the deck each seat's hand is dealt from."""

    places: tuple[tuple[int, ...], ...]
    jokers: int = 0


def deck_size(game: str) -> int:
    """Return how many items a game's hands are dealt from."""
    return CARDS + LAYOUTS[game].jokers


def in_a_row(seats: int, cards: int) -> Layout:
    """Deal each seat's cards in a row, seat after seat."""
    return Layout(tuple([tuple(range(cards * seat, cards * (seat + 1))) for seat in range(seats)]))


LAYOUTS: Mapping[str, Layout] = MappingProxyType(
    {
        "russian_poker": in_a_row(5, 5),
        "chinese_poker": in_a_row(4, 13),
        "ukrainian_poker": Layout(tuple([tuple(range(seat, 54, 6)) for seat in range(6)]), jokers=2),
        "rapira": in_a_row(6, 8),
    }
)
"""RP-3.1: boxes and dealer; CP-1.1: four seats; UP-2.2: six seats, one card at a time; RA-2.1: eights of one's own deck."""


def hands_names(game: str) -> tuple[str, ...]:
    """Name every test of a game's hands, however few there are."""
    places = range(len(LAYOUTS[game].places))
    return *(f"{game}: hands of place {place}" for place in places), f"{game}: hands alike at all places"


def hands(orders: Orders, game: str) -> Iterator[Outcome]:
    """Judge the hands that a game deals from such decks: each seat against the exact law, and the seats against each other."""
    layout, (*of_places, alike) = LAYOUTS[game], hands_names(game)
    size = len(layout.places[0])
    chances = kinds_law(size, layout.jokers)
    numbers = np.array(sorted(chances))
    law = np.array([chances[int(number)] for number in numbers])
    dealt = np.stack([np.searchsorted(numbers, kinds(orders[:, list(places)])) for places in layout.places])
    for name, kind in zip(of_places, dealt, strict=True):
        found = goodness(name, np.bincount(kind, minlength=len(law)).astype(np.int64), law)
        if found is not None:
            yield found
    groups = pooled(law * len(orders))
    if len(groups) > 1:
        group_of = np.empty(len(law), dtype=np.intp)
        for number, group in enumerate(groups):
            group_of[group] = number
        yield equal_places(alike, group_of[dealt], len(groups))


def kinds(cards: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Return the number of each hand's kind."""
    size = cards.shape[1]
    is_card = cards < CARDS
    ranks = np.where(is_card, cards % RANKS, RANKS)
    held = np.stack([(ranks == rank).sum(axis=1, dtype=np.uint8) for rank in range(RANKS)], axis=1)
    jokers = (~is_card).sum(axis=1)
    number = sum(((held == times).sum(axis=1) * 16 ** (times - 2) for times in range(2, SUITS + 1)), 0) + 16**3 * jokers
    if size == 5:
        suits = cards // RANKS
        high = (number == 0) & (jokers == 0)
        ordered = np.sort(ranks, axis=1)
        ace = ordered[:, 4] == RANKS - 1
        run = high & ((ordered[:, 4] - ordered[:, 0] == 4) | (ace & (ordered[:, 3] == 3)))
        flush = is_card.all(axis=1) & (suits == suits[:, :1]).all(axis=1)
        number = number + FLUSH * flush + STRAIGHT * run + ACE_KING * (high & ~run & ~flush & ace & (ordered[:, 3] == RANKS - 2))
    return np.asarray(number, dtype=np.int64)


@cache
def kinds_law(size: int, jokers: int) -> Mapping[int, float]:
    """Return the chance of each kind's number, by counting the hands of it."""
    if size == 5 and not jokers:
        poker = {
            FLUSH + STRAIGHT: "straight flush", 256: "four of a kind", 17: "full house", FLUSH: "flush", STRAIGHT: "straight",
            16: "three of a kind", 2: "two pair", 1: "pair", ACE_KING: "ace-king", 0: "high card",
        }  # fmt: skip
        return {number: POKER[rank] / comb(CARDS, 5) for number, rank in poker.items()}
    total = comb(CARDS + jokers, size)
    return {number: count / total for number, count in _patterns(size, jokers).items()}


def _patterns(size: int, jokers: int) -> dict[int, int]:
    """Count the hands by their jokers and by how many ranks they hold twice, three and four times."""
    found = {}
    for joker, fours, threes, twos in product(range(jokers + 1), range(4), range(5), range(7)):
        ones = size - joker - 4 * fours - 3 * threes - 2 * twos
        ranks = (ones, twos, threes, fours)
        if ones >= 0 and sum(ranks) <= RANKS:
            ways = factorial(RANKS) // prod(map(factorial, (*ranks, RANKS - sum(ranks))))
            suits = prod(comb(SUITS, times) ** count for times, count in enumerate(ranks, start=1))
            found[twos + 16 * threes + 256 * fours + 16**3 * joker] = comb(jokers, joker) * ways * suits
    return found


def equal_places(name: str, dealt: NDArray[np.intp], groups: int) -> Outcome:
    """Judge whether all places get the same kinds of hands.

    **Rule** Cochran, Mantel and Haenszel: given which hands a deck gave, every way to give them to the places is equally likely.
    So what the hands of one deck have to do with each other, being of one pack, is taken into account exactly.
    **Shapes** ``dealt`` has a row for each place, a column for each deck, and holds groups of kinds.
    """
    places = len(dealt)
    counts = np.stack([np.bincount(row, minlength=groups) for row in dealt]).astype(np.float64)
    of_deck: Floats = np.stack([(dealt == group).sum(axis=0) for group in range(groups)], axis=1).astype(np.float64)
    within = np.diag(of_deck.sum(axis=0)) / places - of_deck.T @ of_deck / places**2
    apart = (counts - of_deck.sum(axis=0) / places)[:, :-1]
    statistic = np.einsum("ij,jk,ik->", apart, np.linalg.pinv(within[:-1, :-1]), apart) * (places - 1) / places
    return chi_square(name, float(statistic), (places - 1) * (groups - 1))

"""Ordinary poker: which of two hands is higher. Suits never break ties."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from enum import IntEnum

from games.core.cards import ACE, TALLY_SUITS, Card

Strength = tuple[int, ...]
"""A hand's ``HandRank``, then the ranks that decide between hands of that rank: the greater tuple is the higher hand."""

RUNS: tuple[tuple[int, ...], ...] = (*(tuple(range(high, high - 5, -1)) for high in range(ACE, 5, -1)), (5, 4, 3, 2, ACE))
"""The ranks of every straight, highest first; in the last the ace is low."""

RANKS_ONLY = (1 << TALLY_SUITS) - 1
"""The part of a tally that counts ranks."""
THREE_EACH = 0x3333 << TALLY_SUITS
EIGHT_OR_MORE = 0x8888 << TALLY_SUITS
"""A tally and THREE_EACH together reach one of these bits when five or more cards are of one suit: only then do suits matter."""


class HandRank(IntEnum):
    """Kinds of hand, lowest first. A royal flush is the highest straight flush."""

    HIGH_CARD = 0
    PAIR = 1
    TWO_PAIR = 2
    THREE_OF_A_KIND = 3
    STRAIGHT = 4
    FLUSH = 5
    FULL_HOUSE = 6
    FOUR_OF_A_KIND = 7
    STRAIGHT_FLUSH = 8


def suited_ranks(cards: Sequence[Card]) -> tuple[int, list[int]]:
    """Return the suit of a flush and the ranks in it, highest first; suit -1 and no ranks without a flush."""
    suit, count = Counter(card.suit for card in cards).most_common(1)[0]
    return (suit, sorted((card.rank for card in cards if card.suit == suit), reverse=True)) if count >= 5 else (-1, [])


def runs_in(ranks: Iterable[int]) -> Iterator[tuple[int, ...]]:
    """Yield the straights that can be made of the ranks, highest first."""
    have = set(ranks)
    if len(have) >= 5:
        yield from (run for run in RUNS if have.issuperset(run))


def strength(cards: Sequence[Card]) -> Strength:
    """Return how high the best five of five to seven cards are, or all of three.

    Three cards make no straight and no flush. No jokers.
    """
    total = 0
    for card in cards:
        total += card.tally
    if total + THREE_EACH & EIGHT_OR_MORE:
        return _strength(cards)
    ranks = total & RANKS_ONLY
    known = _KNOWN.get(ranks)
    if known is None:
        known = _KNOWN[ranks] = _strength(cards)
    return known


_KNOWN: dict[int, Strength] = {}
"""Strengths by ranks where suits do not matter: some 74,000 at most."""


def _strength(cards: Sequence[Card]) -> Strength:
    counts = Counter(card.rank for card in cards)
    by_count = sorted(counts, key=lambda rank: (counts[rank], rank), reverse=True)
    flush = suited_ranks(cards)[1]
    straight_flush, straight = next(runs_in(flush), None), next(runs_in(counts), None)
    most, next_most = counts[by_count[0]], max((counts[rank] for rank in by_count[1:]), default=0)
    if straight_flush:
        return HandRank.STRAIGHT_FLUSH, straight_flush[0]
    if most == 4:
        return HandRank.FOUR_OF_A_KIND, *_with_sides(by_count[:1], counts, 1)
    if most == 3 and next_most >= 2:
        pair = max(rank for rank in by_count[1:] if counts[rank] >= 2)
        return HandRank.FULL_HOUSE, by_count[0], pair
    if flush:
        return HandRank.FLUSH, *flush[:5]
    if straight:
        return HandRank.STRAIGHT, straight[0]
    if most == 3:
        return HandRank.THREE_OF_A_KIND, *_with_sides(by_count[:1], counts, 2)
    if most == 2 and next_most == 2:
        return HandRank.TWO_PAIR, *_with_sides(by_count[:2], counts, 1)
    if most == 2:
        return HandRank.PAIR, *_with_sides(by_count[:1], counts, 3)
    return HandRank.HIGH_CARD, *_with_sides([], counts, 5)


def _with_sides(made: list[int], ranks: Iterable[int], sides: int) -> list[int]:
    """Append the highest side cards to the ranks that make the hand."""
    return made + sorted((rank for rank in ranks if rank not in made), reverse=True)[:sides]

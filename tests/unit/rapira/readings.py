"""What cards are worth, found the long way: every reading of every card, each classified on its own.

Written from RA-3 alone, without anything of the engine's scoring, so that the two can be held against each other.
"""

from collections import Counter
from itertools import product

NAMES = [
    "high_card",
    "pair",
    "two_pair",
    "three_of_a_kind",
    "straight",
    "flush",
    "full_house",
    "four_of_a_kind",
    "straight_flush",
    "five_of_a_kind",
    "flush_house",
    "rapira",
]
RANKS = "..23456789TJQKA"


def ranks_read(text):
    """Every rank that a card may count as; an ace also as 1, which only a straight may use."""
    rank = RANKS.index(text[0])
    ranks = {rank - 1, rank, rank + 1} & set(range(2, 15)) if "y" in text.partition(".")[2] else {rank}
    return ranks | {1} if 14 in ranks else ranks


def suits_read(text):
    """Every suit that a card may count as."""
    return "cdhs" if "p" in text.partition(".")[2] else text[1]


def classify(ranks, one_suit):
    """The place and the ranks in the order in which they compare; None for a low ace outside a straight."""
    counts = Counter(ranks)
    groups = sorted(counts.values(), reverse=True)
    five = len(ranks) == 5
    straight = five and len(counts) == 5 and max(ranks) - min(ranks) == 4
    if 1 in counts and not straight:
        return None
    flush = five and one_suit
    fits = {
        "high_card": True,
        "pair": groups[0] == 2,
        "two_pair": groups[:2] == [2, 2],
        "three_of_a_kind": groups[0] == 3,
        "straight": straight,
        "flush": flush,
        "full_house": groups == [3, 2],
        "four_of_a_kind": groups[0] == 4,
        "straight_flush": flush and straight,
        "five_of_a_kind": groups == [5],
        "flush_house": flush and groups == [3, 2],
        "rapira": flush and groups == [5],
    }
    place = max(NAMES.index(name) for name, does in fits.items() if does)
    by_group = NAMES[place] not in ("straight", "flush", "straight_flush")
    return place, sorted(ranks, key=lambda rank: (by_group and counts[rank], rank), reverse=True)


def worth(names):
    """The best reading of played cards: (place, ranks as they compare)."""
    all_suits = {len(set(suits)) == 1 for suits in product(*map(suits_read, names))}
    all_ranks = set(product(*map(ranks_read, names)))
    classified = [classify(ranks, one_suit) for ranks in all_ranks for one_suit in all_suits]
    return max((place, *ranks) for place, ranks in filter(None, classified))

"""What no sample can show: that the shuffle turns words into orders evenly, by going through all of them.

Statistics never find a 16-bit word taken modulo 52, not in a million decks. Going through the words does.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import count, permutations, product, repeat
from math import factorial, prod

from games.core.shuffle import Seed

ShuffleByWords = Callable[[Iterator[int], int], tuple[int, ...]]
"""Puts the items 0 to n - 1 in order by the words that it takes, one by one and no more than it needs."""
WORDS = 2**32
MOST_ITEMS, MOST_CARDS = 6, 54


@dataclass(frozen=True, slots=True)
class GivenWords(Seed):
    """A seed whose stream of words is laid down: the shuffle that deals for money, fed by hand."""

    words: Iterator[int]

    def _blocks(self, number: int) -> Iterator[tuple[int, ...]]:
        for word in self.words:
            yield (word,)


def shuffle_by_words(words: Iterator[int], items: int) -> tuple[int, ...]:
    """Put items in order by the production's shuffle."""
    return GivenWords("00000000-0000-4000-8000-000000000000", bytes(32), (), words).shuffled(range(items), 0)


def uneven_orders(shuffle: ShuffleByWords, items: int, choices: Sequence[int] | None = None) -> dict[tuple[int, ...], int]:
    """Go through every sequence of indexes; return the orders that come more or less often than others, with how often.

    **Shapes** ``choices`` says how many places each step chooses from: n, n - 1, … 2 unless the shuffle does otherwise. So every
    order of n items must come exactly once.
    """
    choices = choices or range(items, 1, -1)
    counts = Counter(shuffle(iter(indexes), items) for indexes in product(*map(range, choices)))
    fair = Fraction(prod(choices), factorial(items))
    return {order: counts[order] for order in {*counts, *permutations(range(items))} if counts[order] != fair}


def index_of(shuffle: ShuffleByWords, items: int, word: int) -> int | None:
    """Return which item a word, as the first one, puts in the last place; None when it is passed over."""
    taken = count()
    order = shuffle((each for each, _ in zip(_and_zeros(word), taken, strict=False)), items)
    return order[-1] if next(taken) == items - 1 else None


def uneven_words(shuffle: ShuffleByWords = shuffle_by_words, words: int = WORDS, most_items: int = MOST_CARDS) -> list[str]:
    """Tell for which counts of items the words do not divide evenly.

    **Rule** For each count m: words are used up to the greatest multiple of m, by their remainder, and none from there on. All
    the words at both ends of that range are tried, and some between.
    """
    wrong = []
    for items in range(2, most_items + 1):
        limit = words - words % items
        used = (*range(items), *range(items, limit - items, limit // 97), *range(limit - items, limit))
        if any(index_of(shuffle, items, word) != word % items for word in used):
            wrong.append(f"{items} items: words below {limit} do not choose by their remainder")
        if any(index_of(shuffle, items, word) is not None for word in range(limit, words)):
            wrong.append(f"{items} items: words from {limit} on are not passed over")
    return wrong


def exact_faults() -> list[str]:
    """Tell what is wrong with the production's shuffle by enumeration; nothing is as it must be."""
    faults = uneven_words()
    for items in range(2, MOST_ITEMS + 1):
        uneven = uneven_orders(shuffle_by_words, items)
        if uneven:
            faults.append(f"{items} items: {len(uneven)} orders do not come exactly once")
    return faults


def _and_zeros(word: int) -> Iterator[int]:
    yield word
    yield from repeat(0)

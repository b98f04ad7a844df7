"""Shuffled packs, and the raw bytes behind them, from the very shuffle that deals for money."""

import hashlib
import secrets
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from uuid import UUID, uuid4

import numpy as np
from numpy.typing import NDArray

from games.core import shuffle
from games.core.cards import DECK_52, DECK_54, texts
from games.core.shuffle import Seed

Orders = NDArray[np.uint8]
"""One deck a row: the numbers of a pack's items, the first dealt first."""
MOST_ITEMS = 256
ALGORITHM = "casino-shuffle/1"
LIVE = "live"
BLOCKS_OF_A_DECK = 7
"""So many blocks of eight words hold the 51 words of a pack of 52, and some to spare for those passed over."""
PROGRESS_EVERY = 10_000


@dataclass(frozen=True, slots=True)
class Pack:
    """What is shuffled: its items as texts, in their order before the shuffle, and the games that deal hands from it."""

    name: str
    items: tuple[str, ...]
    games: tuple[str, ...] = ()


PACKS: Mapping[str, Pack] = MappingProxyType(
    {
        pack.name: pack
        for pack in (
            Pack("52", tuple(texts(DECK_52)), ("russian_poker", "chinese_poker")),
            Pack("54", tuple(texts(DECK_54)), ("ukrainian_poker",)),
            Pack("slots", tuple(map(str, range(52))), ("rapira",)),
            *(Pack(f"seats-{seats}", tuple(map(str, range(seats)))) for seats in range(2, 7)),
        )
    }
)
"""Cards (RP-1.1, CP-1.1), cards with jokers and the seats, of which the first one deals (UP-1.3), slots (RA-1.4)."""


def pack_named(name: str) -> Pack:
    """Return a pack by its own name or by that of a game that deals from it.

    **Errors** KeyError for neither.
    """
    found = next((pack for pack in PACKS.values() if name in pack.games), None)
    return PACKS[name] if found is None else found


def live_seeds() -> Iterator[Seed]:
    """Yield seeds as commitments make them: each drawn from the operating system."""
    while True:
        yield Seed(str(uuid4()), secrets.token_bytes(32), ("",))


def fixed_seeds(label: str) -> Iterator[Seed]:
    """Yield seeds that the label fixes, so that a run can be repeated to the last digit."""
    number = 0
    while True:
        drawn = hashlib.sha512(f"{label}|{number}".encode()).digest()
        yield Seed(str(UUID(bytes=drawn[:16], version=4)), drawn[32:], ("",))
        number += 1


def orders_of(
    shuffles: Iterable[shuffle.Shuffles], items: int, decks: int, progress: Callable[[int], None] = lambda done: None
) -> Orders:
    """Shuffle a pack of so many items once by each of so many seeds."""
    if not 2 <= items <= MOST_ITEMS:
        raise ValueError(f"a pack has 2 to {MOST_ITEMS} items")
    orders = np.empty((decks, items), dtype=np.uint8)
    pack = range(items)
    done = 0
    for done, seed in enumerate(islice(shuffles, decks), start=1):
        orders[done - 1] = seed.shuffled(pack, 0)
        if done % PROGRESS_EVERY == 0:
            progress(done)
    if done < decks:
        raise ValueError(f"{decks} decks were asked for and {done} seeds given")
    return orders


def raw_bytes(seeds: Iterable[Seed]) -> Iterator[bytes]:
    """Yield the words that a shuffle of 52 cards reads, before they choose anything: for each seed, those of one deck."""
    for seed in seeds:
        # Nothing but the shuffle itself may read its words; a test laboratory asks for exactly them.
        yield b"".join(struct.pack(">8I", *words) for words in islice(seed._blocks(0), BLOCKS_OF_A_DECK))


def seeds_of(seed: str) -> Iterator[Seed]:
    """Yield live seeds for ``LIVE``, and for any other text those that it fixes."""
    return live_seeds() if seed == LIVE else fixed_seeds(seed)


def raw_sequences(seeds: Iterable[Seed], sequences: int, bits: int) -> Iterator[NDArray[np.uint8]]:
    """Yield so many sequences of so many raw bits, each bit a number."""
    stream, kept, size = raw_bytes(seeds), bytearray(), -(-bits // 8)
    for _ in range(sequences):
        while len(kept) < size:
            kept += next(stream)
        yield np.unpackbits(np.frombuffer(bytes(kept[:size]), dtype=np.uint8))[:bits]
        del kept[:size]


def shuffle_digest() -> str:
    """Return the SHA-256 of the file that holds the shuffle: which version of it a run has judged."""
    return hashlib.sha256(Path(shuffle.__file__).read_bytes()).hexdigest()

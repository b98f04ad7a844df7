"""A second ``casino-shuffle/1``, written from its description alone, to hold the first one's cards against (GLI-19, A.6.2).

It shares no line with ``games.core.shuffle`` and takes the slow and plain way wherever there is one.
"""

import hashlib
import hmac
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Dealt:
    """One shuffle of a round: its number, how many items there were, and their order."""

    number: int
    order: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Rederived:
    """The shuffles of a round, derived from its revealed seeds; ``dealt`` keeps each that was asked for."""

    round_id: str
    server_seed: bytes
    client_seeds: tuple[str, ...]
    dealt: dict[int, Dealt] = field(default_factory=dict)

    def shuffled(self, items: Sequence[T], number: int) -> tuple[T, ...]:
        """Return the items in the order of shuffle ``number``, and keep it."""
        order = list(range(len(items)))
        stream = self.words(number)
        for i in range(len(items) - 1, 0, -1):
            m = i + 1
            x = next(stream)
            while not x < 2**32 - (2**32 % m):
                x = next(stream)
            j = x % m
            order[i], order[j] = order[j], order[i]
        self.dealt[number] = Dealt(number, tuple(order))
        return tuple([items[place] for place in order])

    def words(self, number: int) -> Iterator[int]:
        """Yield the big-endian 32-bit words of the stream of shuffle ``number``."""
        seeds = [seed.replace("%", "%25").replace("|", "%7C") for seed in self.client_seeds]
        block = 0
        while True:
            message = "|".join([self.round_id, *seeds, str(number), str(block)])
            digest = hmac.digest(self.server_seed, message.encode("utf-8"), hashlib.sha256)
            yield from (int.from_bytes(digest[at : at + 4], "big") for at in range(0, 32, 4))
            block += 1

    def dump(self) -> dict[str, Any]:
        """Return the seeds as the rounds' states keep them."""
        return {"round_id": self.round_id, "server_seed": self.server_seed.hex(), "client_seeds": list(self.client_seeds)}

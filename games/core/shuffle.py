"""Where a round's chance comes from: ``casino-shuffle/1``, derived from the seeds alone, so that anybody can repeat it."""

import hashlib
import itertools
import re
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol, TypeVar

from games.core.codec import Fields
from games.core.errors import InvalidData

T = TypeVar("T")

_WORDS = struct.Struct(">8I")
_BLOCK_BYTES = 64
_INNER_PAD, _OUTER_PAD = (bytes(byte ^ pad for byte in range(256)) for pad in (0x36, 0x5C))
"""RFC 2104, for keys of at most a block."""
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_SEED = re.compile(r"[0-9a-f]{64}")
_HALF_PAIR = re.compile("[\ud800-\udfff]")
MAX_CLIENT_SEED_LENGTH = 64


class Shuffles(Protocol):
    """A round's shuffles, numbered from 0: the same number always gives the same order."""

    def shuffled(self, items: Sequence[T], number: int) -> tuple[T, ...]:
        """Return the items in the order of shuffle ``number``; the first one is dealt first."""

    def dump(self) -> Mapping[str, Any]:
        """Return the JSON from which ``load_shuffles`` builds an equal value."""


@cache
def _sizes(count: int) -> tuple[tuple[int, int], ...]:
    """The counts of what is still to be shuffled, from that one down, each with the word from which on words favour some item."""
    return tuple((size, 2**32 - 2**32 % size) for size in range(count, 1, -1))


def commitment(server_seed: bytes) -> str:
    """Return the SHA-256 of a server seed's raw bytes, in lower-case hex: what players see before they choose anything."""
    return hashlib.sha256(server_seed).hexdigest()


@dataclass(frozen=True, slots=True)
class Seed:
    """The seeds of a money round, and the shuffles that they fix.

    **Shapes** ``round_id`` is a lower-case UUID, ``server_seed`` 32 bytes, ``client_seeds`` one text per seat, "" for none.

    **Errors** InvalidData for another shape.
    """

    round_id: str
    server_seed: bytes
    client_seeds: tuple[str, ...]

    def __post_init__(self) -> None:
        if not _UUID.fullmatch(self.round_id):
            raise InvalidData("round_id", "must be a UUID in lower case")
        if len(self.server_seed) != 32:
            raise InvalidData("server_seed", "must be 32 bytes")
        for seat, text in enumerate(self.client_seeds):
            check_client_seed(text, f"client_seeds.{seat}")

    def shuffled(self, items: Sequence[T], number: int) -> tuple[T, ...]:
        """Return the items in the order of ``casino-shuffle/1``.

        **Rule** A Fisher-Yates shuffle from the last item down: item i changes places with item x mod (i + 1). The x are the
        big-endian 32-bit words of HMAC-SHA256(key = server_seed, message = "round_id|client seeds|number|block") for block 0, 1,
        2 …; client seeds stand in seat order with | between them, their own % and | percent-encoded. A word x is passed over from
        2^32 - 2^32 mod (i + 1) on, since it would favour some item.
        """
        order = list(items)
        words = itertools.chain.from_iterable(self._blocks(number))
        for size, limit in _sizes(len(order)):
            word = next(words)
            while word >= limit:
                word = next(words)
            chosen, last = word % size, size - 1
            order[last], order[chosen] = order[chosen], order[last]
        return tuple(order)

    def _blocks(self, number: int) -> Iterator[tuple[int, ...]]:
        """Yield the words of a shuffle by blocks. Every block's HMAC goes on from the same start, which is computed once."""
        message = "|".join((self.round_id, *map(_escaped, self.client_seeds), str(number), "")).encode()
        key = self.server_seed.ljust(_BLOCK_BYTES, b"\0")
        inner, outer = hashlib.sha256(key.translate(_INNER_PAD) + message), hashlib.sha256(key.translate(_OUTER_PAD))
        for block in itertools.count():
            first, second = inner.copy(), outer.copy()
            first.update(b"%d" % block)
            second.update(first.digest())
            yield _WORDS.unpack(second.digest())

    def dump(self) -> dict[str, Any]:
        """Return the seeds as JSON."""
        return {"round_id": self.round_id, "server_seed": self.server_seed.hex(), "client_seeds": list(self.client_seeds)}


@dataclass(frozen=True, slots=True)
class ExplicitDecks:
    """Decks laid out by hand, one for each shuffle in order: for the sandbox only, never for money.

    **Shapes** each deck lists texts of items; it may stop early, and the items that it leaves out follow in their own order. A
    deck that is not there leaves out all.
    """

    decks: tuple[tuple[str, ...], ...]

    def shuffled(self, items: Sequence[T], number: int) -> tuple[T, ...]:
        """Return the items in the order of deck ``number``.

        **Errors** InvalidData for a deck that names an item twice or not of the pack.
        """
        left = {str(item): item for item in items}
        front = []
        for place, text in enumerate(self.decks[number] if number < len(self.decks) else ()):
            if text not in left:
                raise InvalidData(f"decks.{number}.{place}", f"{text} is not in the pack or was named before")
            front.append(left.pop(text))
        return (*front, *left.values())

    def dump(self) -> dict[str, Any]:
        """Return the decks as JSON."""
        return {"decks": [list(deck) for deck in self.decks]}


def load_shuffles(data: Mapping[str, Any]) -> Shuffles:
    """Return the shuffles that were dumped.

    **Errors** InvalidData for anything else.
    """
    fields = Fields(data, "seed")
    if "decks" in fields:
        decks = ExplicitDecks(tuple(tuple(deck) for deck in fields.items("decks", 0, 10_000)))
        fields.end()
        return decks
    seed = Seed(
        fields.text("round_id"),
        read_server_seed(fields.value("server_seed"), fields.path("server_seed")),
        tuple(fields.items("client_seeds", 0, 64)),
    )
    fields.end()
    return seed


def read_server_seed(value: object, field: str) -> bytes:
    """Return the 32 bytes written as 64 lower-case hex digits.

    **Errors** InvalidData names the field.
    """
    if not isinstance(value, str) or not _SEED.fullmatch(value):
        raise InvalidData(field, "must be 64 hex digits in lower case")
    return bytes.fromhex(value)


def check_client_seed(value: object, field: str) -> None:
    """Refuse what is not a client seed: InvalidData names the field."""
    if not isinstance(value, str) or len(value) > MAX_CLIENT_SEED_LENGTH or _HALF_PAIR.search(value):
        raise InvalidData(field, f"must be a text of at most {MAX_CLIENT_SEED_LENGTH} characters")


def _escaped(text: str) -> str:
    """Percent-encode the signs that would let two lists of client seeds read the same."""
    return text.replace("%", "%25").replace("|", "%7C") if "%" in text or "|" in text else text
